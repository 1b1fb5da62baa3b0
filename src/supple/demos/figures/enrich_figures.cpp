#include "supple/demos/figures/enrich_figures.h"

#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/demos/figures/figure_pages.h"

namespace supple::demos {

namespace {

constexpr FigureMaker kMakers[] = {{3, figure_plant}, {6, figure_weights}, {7, figure_fold}, {8, figure_head}};

}  // namespace

std::vector<int> enrich_figure_numbers() { return numbers_of(kMakers); }

std::vector<Figure> write_enrich_figures(const FigureOptions& options, const Watch& watch) {
  return make_figures(kMakers, "Figures of enriched animations, made anew", options, watch);
}

}  // namespace supple::demos
