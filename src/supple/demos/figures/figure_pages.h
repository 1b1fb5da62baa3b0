// What all sets of figures share: which are wanted, made one after the other, and the pages about them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "supple/demos/figures/figure_bench.h"

namespace supple::demos {

struct FigureMaker {
  int number;
  Figure (*make)(FigureStage&);
};

std::vector<int> numbers_of(std::span<const FigureMaker> makers);

// Makes those that the options ask for, with figures.md and index.html about them under the heading. InputError: a
// figure that is not among them, a directory that cannot be made.
std::vector<Figure> make_figures(std::span<const FigureMaker> makers, const std::string& heading,
                                 const FigureOptions& options, const Watch& watch);

}  // namespace supple::demos
