#include "supple/scene/figures.h"

#include "supple/scene/figure_bench.h"
#include "supple/scene/figure_pages.h"

namespace supple {

namespace {

constexpr FigureMaker kFigureMakers[] = {{2, figure_2}, {4, figure_4},   {6, figure_6},  {8, figure_8},
                                         {9, figure_9}, {10, figure_10}, {11, figure_11}};

}  // namespace

std::vector<int> figure_numbers() { return numbers_of(kFigureMakers); }

std::vector<Figure> write_figures(const FigureOptions& options) {
  return make_figures(kFigureMakers, "Figures, made anew", options);
}

}  // namespace supple
