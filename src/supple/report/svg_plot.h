// Line plots as SVG: readable in black and white, by dashes and by a label at the end of each line.
#pragma once
#include <string>
#include <vector>

namespace supple {

struct PlotLine {
  std::string label;
  std::vector<double> x, y;  // as far as the shorter of the two; the line has a gap where either is not finite
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  bool y_from_zero = false;  // the axis starts at 0 when no value is below it
  int width = 640, height = 300;
};

// A complete <svg> element, fit for a file of its own or for a page. Without any finite point it says "no data".
std::string to_svg(const Plot& plot);

// Round numbers that cover [low, high] in about n steps, ascending; at least two.
std::vector<double> nice_ticks(double low, double high, int n);

// Text inside HTML or SVG: & < > " ' as entities, characters that XML does not allow left out.
std::string escape_markup(const std::string& text);

}  // namespace supple
