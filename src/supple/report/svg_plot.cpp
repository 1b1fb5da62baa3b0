#include "supple/report/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/markup.h"

namespace supple {

namespace {
constexpr double kLeft = 68, kTop = 32, kBottom = 44;
constexpr double kLetter = 6.6;     // mean width of a letter at 12 px
constexpr double kLineHeight = 14;  // of labels
constexpr int kMarkersOnALine = 8;
constexpr int kLeastWidth = 240, kLeastHeight = 140;
}  // namespace

std::vector<double> nice_ticks(double low, double high, int n) {
  if (!(high > low)) {
    const double room = std::max(std::abs(low) * 0.1, 1e-300);
    low -= room, high += room;
  }
  const double raw = (high - low) / std::max(1, n);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double s : {1.0, 2.0, 5.0})
    if (s * power >= raw * (1 - 1e-9)) {
      step = s * power;
      break;
    }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; ++k) ticks.push_back(k * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int n) {
  const double first = std::floor(std::log10(low) + 1e-9), last = std::ceil(std::log10(high) - 1e-9);
  std::vector<double> ticks;
  if (last - first <= 2) {
    // Few decades: 1, 2, 5 within them, as many as are needed to cover.
    for (double k = first; k <= last; ++k)
      for (const double s : {1.0, 2.0, 5.0}) ticks.push_back(s * std::pow(10, k));
    while (ticks.size() > 2 && ticks[1] <= low * (1 + 1e-9)) ticks.erase(ticks.begin());
    while (ticks.size() > 2 && ticks[ticks.size() - 2] >= high * (1 - 1e-9)) ticks.pop_back();
    return ticks;
  }
  const double step = std::max(1.0, std::ceil((last - first) / std::max(1, n)));
  for (double k = first;; k += step) {
    ticks.push_back(std::pow(10, k));
    if (k >= last) return ticks;
  }
}

int label_room(const Plot& plot) {
  size_t longest = 0;
  for (const PlotLine& line : plot.lines) longest = std::max(longest, line.label.size());
  const double needed = longest == 0 ? 20 : 48 + kLetter * static_cast<double>(longest);
  return static_cast<int>(std::min(std::max(plot.width, kLeastWidth) / 3.0, needed));
}

LineLook line_look(size_t line) {
  // Colours of about equal darkness that colour-blind readers tell apart; dashes and markers carry the meaning.
  static constexpr std::array<const char*, 6> kColours = {"#000000", "#0072b2", "#b34700",
                                                          "#00795c", "#9b4079", "#555555"};
  static constexpr std::array<const char*, 6> kDashes = {"", "7 3", "2 3", "9 3 2 3", "14 4", "4 2 1 2 1 2"};
  static constexpr std::array<const char*, 7> kMarkers = {
      "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", "M-3 -3h6v6h-6z", "M0 -4L4 3H-4z", "M0 -4.5L4 0L0 4.5L-4 0z",
      "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",          "M-4 0H4M0 -4V4", "M0 4L4 -3H-4z"};
  return {kColours[line % kColours.size()], kDashes[line % kDashes.size()], kMarkers[line % kMarkers.size()]};
}

namespace {

struct Axis {
  bool log = false;
  double low = 0, high = 1;
  std::vector<double> ticks;
  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
  // 0 at the low end, 1 at the high end.
  double at(double v) const { return log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low); }
};

struct Frame {
  Axis x, y;
  double left = kLeft, right = 0, top = kTop, bottom = 0;  // edges [px]
  double px(double v) const { return left + x.at(v) * (right - left); }
  double py(double v) const { return bottom - y.at(v) * (bottom - top); }
  bool shows(const PlotLine& line, size_t i) const { return x.shows(line.x[i]) && y.shows(line.y[i]); }
};

size_t n_points(const PlotLine& line) { return std::min(line.x.size(), line.y.size()); }

std::string number(double v, double span) {
  if (std::abs(v) < 1e-9 * span) return "0";
  return fmt::format("{:.6g}", v);
}

// The ends of an axis: the data's own along x, round numbers along y.
Axis make_axis(double low, double high, bool log, bool round, int n) {
  Axis axis{.log = log, .low = low, .high = high};
  if (log && !(high > low)) low /= 2, high *= 2;
  axis.ticks = log ? log_ticks(low, high, n) : nice_ticks(low, high, n);
  axis.low = round || !(high > low) ? axis.ticks.front() : low;
  axis.high = round || !(high > low) ? axis.ticks.back() : high;
  return axis;
}

// One stretch without a gap. Where many points share a column of pixels only its first, lowest, highest and last count.
void add_stretch(std::string& d, const std::vector<std::array<double, 2>>& p) {
  size_t i = 0;
  bool down = false;
  const auto put = [&](const std::array<double, 2>& q) {
    d += fmt::format("{}{:.2f} {:.2f}", down ? "L" : "M", q[0], q[1]);
    down = true;
  };
  while (i < p.size()) {
    size_t end = i + 1;
    while (end < p.size() && std::floor(p[end][0]) == std::floor(p[i][0])) ++end;
    if (end - i <= 4) {
      for (; i < end; ++i) put(p[i]);
      continue;
    }
    size_t low = i, high = i;
    for (size_t k = i; k < end; ++k) {
      if (p[k][1] < p[low][1]) low = k;
      if (p[k][1] > p[high][1]) high = k;
    }
    put(p[i]);
    put(p[std::min(low, high)]), put(p[std::max(low, high)]);
    put(p[end - 1]);
    i = end;
  }
  if (p.size() == 1) d += "h0.01";  // a point alone between gaps becomes a dot
}

std::string path_of(const PlotLine& line, const Frame& f) {
  std::string d;
  std::vector<std::array<double, 2>> stretch;
  for (size_t i = 0; i <= n_points(line); ++i) {
    if (i < n_points(line) && f.shows(line, i)) {
      stretch.push_back({f.px(line.x[i]), f.py(line.y[i])});
    } else if (!stretch.empty()) {
      add_stretch(d, stretch);
      stretch.clear();
    }
  }
  return d;
}

std::string marker_at(const LineLook& look, double x, double y) {
  return fmt::format(
      "<path d=\"{}\" transform=\"translate({:.2f} {:.2f})\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.3\"/>\n",
      look.marker, x, y, look.colour);
}

// On every point, or a few along the line, beside those of other lines.
std::string markers_of(const PlotLine& line, const Frame& f, size_t k, size_t n_lines) {
  std::string svg;
  const LineLook look = line_look(k);
  if (line.draw != PlotDraw::line) {
    for (size_t i = 0; i < n_points(line); ++i)
      if (f.shows(line, i)) svg += marker_at(look, f.px(line.x[i]), f.py(line.y[i]));
    return svg;
  }
  const double spacing = (f.right - f.left) / kMarkersOnALine;
  double next = f.left + spacing * (static_cast<double>(k) + 0.5) / static_cast<double>(n_lines);
  for (size_t i = 0; i < n_points(line); ++i) {
    if (!f.shows(line, i) || f.px(line.x[i]) < next) continue;
    svg += marker_at(look, f.px(line.x[i]), f.py(line.y[i]));
    while (next <= f.px(line.x[i])) next += spacing;
  }
  return svg;
}

// Without cutting a letter of several bytes.
std::string shortened(const std::string& text, size_t letters) {
  size_t n = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (++n == letters) {
      size_t rest = 0;
      for (size_t k = i; k < text.size(); ++k) rest += (static_cast<unsigned char>(text[k]) & 0xC0) != 0x80;
      if (rest > 1) return text.substr(0, i) + "\u2026";
    }
  }
  return text;
}

std::string grid_of(const Plot& plot, const Frame& f, double h) {
  std::string svg;
  for (const double y : f.y.ticks) {
    svg += fmt::format("<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.2f}\" y2=\"{2:.2f}\" stroke=\"#dddddd\"/>\n", f.left,
                       f.right, f.py(y));
    svg += fmt::format("<text x=\"{:g}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", f.left - 6, f.py(y) + 4,
                       number(y, f.y.log ? y : f.y.high - f.y.low));
  }
  for (const double x : f.x.ticks) {
    if (f.x.at(x) < -1e-9 || f.x.at(x) > 1 + 1e-9) continue;
    svg += fmt::format("<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1:g}\" y2=\"{2:g}\" stroke=\"#666666\"/>\n", f.px(x),
                       f.bottom, f.bottom + 4);
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", f.px(x), f.bottom + 17,
                       number(x, f.x.log ? x : f.x.high - f.x.low));
  }
  svg += fmt::format("<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:g}\" y2=\"{2:g}\" stroke=\"#666666\"/>\n", f.left,
                     f.right, f.bottom);
  svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", (f.left + f.right) / 2, h - 8,
                     escape_markup(plot.x_label));
  svg += fmt::format("<text transform=\"translate(14 {:g}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (f.top + f.bottom) / 2, escape_markup(plot.y_label));
  return svg;
}

std::string marks_of(const Plot& plot, const Frame& f) {
  std::string svg;
  double y = f.top + 10;
  for (const PlotMark& mark : plot.marks) {
    if (!f.x.shows(mark.x) || f.x.at(mark.x) < 0 || f.x.at(mark.x) > 1) continue;
    const double x = f.px(mark.x);
    const bool left = x > (f.left + f.right) / 2;
    svg += fmt::format(
        "<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1:g}\" y2=\"{2:g}\" stroke=\"#333333\" "
        "stroke-dasharray=\"1 3\"/>\n",
        x, f.top, f.bottom);
    svg +=
        fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" font-size=\"11\" fill=\"#333333\">{}</text>\n",
                    x + (left ? -4 : 4), y, left ? "end" : "start", escape_markup(mark.label));
    y += kLineHeight;
  }
  return svg;
}

// Labels at the ends of the lines, in the order of the ends and pushed apart within the frame.
std::string labels_of(const Plot& plot, const Frame& f, double w) {
  struct Label {
    size_t line;
    double y;
  };
  std::vector<Label> labels;
  for (size_t k = 0; k < plot.lines.size(); ++k) {
    const PlotLine& line = plot.lines[k];
    size_t end = n_points(line);
    while (end > 0 && !f.shows(line, end - 1)) --end;
    if (end > 0 && !line.label.empty()) labels.push_back({k, f.py(line.y[end - 1])});
  }
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  for (size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLineHeight);
  double room = f.bottom;
  for (size_t i = labels.size(); i-- > 0; room = labels[i].y - kLineHeight) labels[i].y = std::min(labels[i].y, room);
  std::string svg;
  for (const Label& label : labels) {
    const LineLook look = line_look(label.line);
    const PlotDraw draw = plot.lines[label.line].draw;
    const double x = f.right + 8;
    if (draw != PlotDraw::points)
      svg += fmt::format(
          "<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.2f}\" y2=\"{2:.2f}\" stroke=\"{3}\" stroke-width=\"1.6\"{4}/>\n", x,
          x + 28, label.y, look.colour, *look.dash ? fmt::format(" stroke-dasharray=\"{}\"", look.dash) : "");
    if (draw != PlotDraw::line || plot.lines.size() > 1) svg += marker_at(look, x + 14, label.y);
    svg += fmt::format("<text x=\"{:g}\" y=\"{:.2f}\">{}</text>\n", x + 34, label.y + 4,
                       escape_markup(shortened(plot.lines[label.line].label,
                                               static_cast<size_t>(std::max(3.0, (w - x - 34) / kLetter)))));
  }
  return svg;
}

std::string inside_of(const Plot& plot, double w, double h) {
  std::string svg = fmt::format(
      "<rect width=\"{:g}\" height=\"{:g}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{:g}\" y=\"18\" font-weight=\"bold\">{}</text>\n",
      w, h, kLeft, escape_markup(plot.title));
  Frame f{.right = w - (plot.label_room > 0 ? std::min(plot.label_room, static_cast<int>(w) / 2) : label_room(plot)),
          .bottom = h - kBottom};
  f.x.log = plot.log_x, f.y.log = plot.log_y;
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  for (const PlotLine& line : plot.lines)
    for (size_t i = 0; i < n_points(line); ++i) {
      if (!f.shows(line, i)) continue;
      x0 = std::min(x0, line.x[i]), x1 = std::max(x1, line.x[i]);
      y0 = std::min(y0, line.y[i]), y1 = std::max(y1, line.y[i]);
    }
  if (!(x0 <= x1))
    return svg + fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">no data</text>\n", w / 2, h / 2);
  if (plot.y_from_zero && !plot.log_y && y0 > 0) y0 = 0;
  if (plot.x_from_zero && !plot.log_x && x0 > 0) x0 = 0;
  f.x = make_axis(x0, x1, plot.log_x, false, 8);
  f.y = make_axis(y0, y1, plot.log_y, true, 4);

  svg += grid_of(plot, f, h) + marks_of(plot, f);
  for (size_t k = 0; k < plot.lines.size(); ++k) {
    const PlotLine& line = plot.lines[k];
    const LineLook look = line_look(k);
    const std::string d = line.draw == PlotDraw::points ? "" : path_of(line, f);
    if (!d.empty())
      svg += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"{}/>\n", d,
          look.colour, *look.dash ? fmt::format(" stroke-dasharray=\"{}\"", look.dash) : " stroke-linecap=\"round\"");
    if (line.draw != PlotDraw::line || plot.lines.size() > 1) svg += markers_of(line, f, k, plot.lines.size());
  }
  return svg + labels_of(plot, f, w);
}

double width_of(const Plot& plot) { return std::max(plot.width, kLeastWidth); }
double height_of(const Plot& plot) { return std::max(plot.height, kLeastHeight); }

std::string svg_head(double w, double h, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#111111\">\n<title>{2}</title>\n",
      w, h, escape_markup(title));
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const double w = width_of(plot), h = height_of(plot);
  return svg_head(w, h, plot.title) + inside_of(plot, w, h) + "</svg>\n";
}

std::string to_svg(const std::vector<Plot>& panels, int columns) {
  const size_t n = static_cast<size_t>(std::max(1, columns));
  std::string inside, title;
  double width = 0, y = 0;
  for (size_t row = 0; row < panels.size(); row += n) {
    double x = 0, height = 0;
    for (size_t i = row; i < std::min(row + n, panels.size()); ++i) {
      const double w = width_of(panels[i]), h = height_of(panels[i]);
      inside += fmt::format("<g transform=\"translate({:g} {:g})\">\n{}</g>\n", x, y, inside_of(panels[i], w, h));
      title += (title.empty() ? "" : "; ") + panels[i].title;
      x += w, height = std::max(height, h);
    }
    width = std::max(width, x), y += height;
  }
  return svg_head(std::max(width, 1.0), std::max(y, 1.0), title) + inside + "</svg>\n";
}

}  // namespace supple
