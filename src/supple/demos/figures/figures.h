// The figures of "adjustable constrained soft-tissue dynamics", made anew: numbers as CSV, plots as SVG, pictures as
// PNG, each with what was prescribed beside what was measured.
#pragma once
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/report/html.h"

namespace supple::demos {

struct FigureOptions {
  std::string directory;  // created when missing
  std::vector<int> only;  // numbers of figures; empty: all
  bool quick = false;     // fewer points
};

struct Figure {
  int number = 0;
  std::string title, caption;
  std::vector<std::string> files;  // relative to the directory, those to look at first
  std::vector<PageTable> tables;   // prescribed and measured
};

std::vector<int> figure_numbers();

// Writes the figures with figures.md and index.html about them. InputError: a figure that is not among them.
std::vector<Figure> write_figures(const FigureOptions& options, const Watch& watch = {});

}  // namespace supple::demos
