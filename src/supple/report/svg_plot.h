// Line plots as SVG: readable in black and white, by dashes, by markers and by a label at the end of each line.
#pragma once
#include <string>
#include <vector>

namespace supple {

enum class PlotDraw { line, points, both };

struct PlotLine {
  std::string label;
  std::vector<double> x, y;  // as far as the shorter of the two; the line has a gap where either cannot be drawn
  PlotDraw draw = PlotDraw::line;
};

// Something to be seen at one place of the x axis: an upright line with a label at its top.
struct PlotMark {
  double x = 0;
  std::string label;
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  std::vector<PlotMark> marks;        // those outside the lines' range are left out
  bool y_from_zero = false;           // the axis starts at 0 when no value is below it
  bool log_x = false, log_y = false;  // values of zero and below are not drawn
  bool x_from_zero = false;           // likewise
  int width = 860, height = 240;
  int label_room = 0;  // [px] for the labels on the right; 0: as the longest needs
};
// What the longest label needs, at most a third of the width: for plots above each other to share their axes.
int label_room(const Plot& plot);

// A complete <svg> element, fit for a file of its own or for a page. Without any point to draw it says "no data".
std::string to_svg(const Plot& plot);
// Several in one element, row by row, each as large as it says.
std::string to_svg(const std::vector<Plot>& panels, int columns);

// How the line of this number looks: no two of the first 42 share both.
struct LineLook {
  const char *colour, *dash, *marker;  // dash: stroke-dasharray, "" for a whole line; marker: path around (0, 0)
};
LineLook line_look(size_t line);

// Round numbers that cover [low, high] in about n steps, ascending; at least two.
std::vector<double> nice_ticks(double low, double high, int n);
// The same for an axis of logarithms; low > 0.
std::vector<double> log_ticks(double low, double high, int n);

}  // namespace supple
