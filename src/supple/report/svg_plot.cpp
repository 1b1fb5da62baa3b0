#include "supple/report/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace supple {

std::string escape_markup(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

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

namespace {

constexpr double kLeft = 64, kRight = 110, kTop = 30, kBottom = 44;
// Colours of about equal darkness that colour-blind readers tell apart; the dashes carry the meaning.
constexpr std::array<const char*, 6> kColours = {"#000000", "#0072b2", "#b34700", "#00795c", "#9b4079", "#555555"};
constexpr std::array<const char*, 6> kDashes = {"", "7 3", "2 3", "9 3 2 3", "14 4", "4 2 1 2 1 2"};

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
};

size_t n_points(const PlotLine& line) { return std::min(line.x.size(), line.y.size()); }
bool drawn(const PlotLine& line, size_t i) { return std::isfinite(line.x[i]) && std::isfinite(line.y[i]); }

std::string number(double v, double step) {
  if (std::abs(v) < 1e-9 * step) return "0";
  return fmt::format("{:.6g}", v);
}

// Path data with a new M after every gap; a point alone between gaps becomes a dot.
template <class X, class Y>
std::string path_of(const PlotLine& line, X px, Y py) {
  std::string d;
  bool down = false;
  for (size_t i = 0; i < n_points(line); ++i) {
    if (!drawn(line, i)) {
      down = false;
      continue;
    }
    d += fmt::format("{}{:.2f} {:.2f}", down ? "L" : "M", px(line.x[i]), py(line.y[i]));
    if (!down && (i + 1 == n_points(line) || !drawn(line, i + 1))) d += "h0.01";
    down = true;
  }
  return d;
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const double w = std::max(plot.width, 240), h = std::max(plot.height, 140);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
      "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3:g}\" y=\"18\" font-weight=\"bold\">{2}</text>\n",
      w, h, escape_markup(plot.title), kLeft);

  Range xs, ys;
  for (const PlotLine& line : plot.lines) {
    for (size_t i = 0; i < n_points(line); ++i)
      if (drawn(line, i)) xs.add(line.x[i]), ys.add(line.y[i]);
  }
  if (!(xs.low <= xs.high)) {
    return svg +
           fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">no data</text>\n</svg>\n", w / 2, h / 2);
  }
  if (plot.y_from_zero && ys.low > 0) ys.low = 0;
  const std::vector<double> x_ticks = nice_ticks(xs.low, xs.high, 6), y_ticks = nice_ticks(ys.low, ys.high, 4);
  const double x0 = xs.high > xs.low ? xs.low : x_ticks.front(), x1 = xs.high > xs.low ? xs.high : x_ticks.back();
  const double y0 = y_ticks.front(), y1 = y_ticks.back();
  const auto px = [&](double x) { return kLeft + (x - x0) / (x1 - x0) * (w - kLeft - kRight); };
  const auto py = [&](double y) { return h - kBottom - (y - y0) / (y1 - y0) * (h - kTop - kBottom); };

  // Grid, ticks and axis labels.
  for (const double y : y_ticks) {
    svg += fmt::format("<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.2f}\" y2=\"{2:.2f}\" stroke=\"#dddddd\"/>\n", kLeft,
                       w - kRight, py(y));
    svg += fmt::format("<text x=\"{:g}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, py(y) + 4,
                       number(y, y1 - y0));
  }
  for (const double x : x_ticks) {
    if (x < x0 - 1e-9 * (x1 - x0) || x > x1 + 1e-9 * (x1 - x0)) continue;
    svg += fmt::format("<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1:g}\" y2=\"{2:g}\" stroke=\"#888888\"/>\n", px(x),
                       h - kBottom, h - kBottom + 4);
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", px(x), h - kBottom + 18,
                       number(x, x1 - x0));
  }
  svg += fmt::format("<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:g}\" y2=\"{2:g}\" stroke=\"#888888\"/>\n", kLeft,
                     w - kRight, h - kBottom);
  svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", (kLeft + w - kRight) / 2, h - 8,
                     escape_markup(plot.x_label));
  svg += fmt::format("<text transform=\"translate(14 {:g}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (kTop + h - kBottom) / 2, escape_markup(plot.y_label));

  // Lines, each with its label at its end, pushed apart where ends meet.
  std::vector<double> label_y;
  for (size_t k = 0; k < plot.lines.size(); ++k) {
    const PlotLine& line = plot.lines[k];
    const char* colour = kColours[k % kColours.size()];
    const char* dash = kDashes[k % kDashes.size()];
    const std::string d = path_of(line, px, py);
    if (d.empty()) continue;
    const std::string dashes = *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : "";
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linecap=\"round\"{}/>\n",
                       d, colour, dashes);
    size_t end = n_points(line);
    while (end > 0 && !drawn(line, end - 1)) --end;
    double y = py(line.y[end - 1]) + 4;
    for (bool moved = true; moved;) {
      moved = false;
      for (const double other : label_y)
        if (std::abs(other - y) < 13) y = other + 13, moved = true;
    }
    label_y.push_back(y);
    svg += fmt::format(
        "<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.2f}\" y2=\"{2:.2f}\" stroke=\"{3}\" stroke-width=\"1.5\"{4}/>\n",
        w - kRight + 6, w - kRight + 24, y - 4, colour, dashes);
    svg += fmt::format("<text x=\"{:g}\" y=\"{:.2f}\" fill=\"{}\">{}</text>\n", w - kRight + 28, y, colour,
                       escape_markup(line.label));
  }
  return svg + "</svg>\n";
}

}  // namespace supple
