#include "supple/demos/figures/curves_figures.h"

#include "supple/demos/figures/curves_figure_bench.h"
#include "supple/demos/figures/figure_pages.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

constexpr FigureMaker kCurvesMakers[] = {
    {2, figure_rigged_sphere}, {3, figure_rigged_bar},    {4, figure_belly_modes},
    {5, figure_rigged_walk},   {6, figure_rigged_flower}, {7, figure_few_modes},
    {8, figure_workout},       {9, figure_scaled_mode},   {10, figure_fitted_anew},
};

}  // namespace

std::vector<int> curves_figure_numbers() { return numbers_of(kCurvesMakers); }

std::vector<Figure> write_curves_figures(const FigureOptions& options, const Watch& watch) {
  return make_figures(kCurvesMakers, "Figures of rig-space physics, made anew", options, watch);
}

}  // namespace supple::demos
