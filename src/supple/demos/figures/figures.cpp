#include "supple/demos/figures/figures.h"

#include "supple/demos/figures/figure_pages.h"

namespace supple::demos {

namespace {

constexpr FigureMaker kFigureMakers[] = {{2, figure_2}, {4, figure_4},   {6, figure_6},  {8, figure_8},
                                         {9, figure_9}, {10, figure_10}, {11, figure_11}};

}  // namespace

std::vector<int> figure_numbers() { return numbers_of(kFigureMakers); }

std::vector<Figure> write_figures(const FigureOptions& options, const Watch& watch) {
  return make_figures(kFigureMakers, "Figures, made anew", options, watch);
}

}  // namespace supple::demos
