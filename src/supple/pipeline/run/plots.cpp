#include "supple/pipeline/run/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/tune/estimators.h"

namespace supple::pipeline {

namespace {

constexpr size_t kPartsShown = 6;  // more lines are no longer told apart

class Plots {
 public:
  Plots(const Job& job, const RunMeasure& measure, const RunNumbers& numbers, const std::vector<HistoryRow>& rows)
      : job_(job), measure_(measure), numbers_(numbers), rows_(rows) {
    for (const HistoryRow& row : rows_) frames_.push_back(row.time * job_.shot.fps);
  }

  std::vector<Plot> all() const {
    std::vector<Plot> plots = {displacement(), amplitude()};
    if (!numbers_.parts.empty()) plots.push_back(by_part());
    plots.push_back(points());
    plots.push_back(first_mode());
    plots.push_back(spectra());
    plots.push_back(energy());
    // One time axis under the other.
    int room = 0;
    for (const Plot& plot : plots) room = std::max(room, label_room(plot));
    for (Plot& plot : plots) plot.label_room = room;
    return plots;
  }

 private:
  PlotLine line(const std::string& label, std::vector<double> y, double scale) const {
    for (double& v : y) v *= scale;
    return {.label = label, .x = frames_, .y = std::move(y)};
  }
  PlotLine line(const std::string& label, double HistoryRow::*field, double scale) const {
    std::vector<double> y;
    for (const HistoryRow& row : rows_) y.push_back(row.*field);
    return line(label, std::move(y), scale);
  }
  Plot over_time(const std::string& title, const std::string& unit) const {
    Plot plot{.title = title, .x_label = "frame", .y_label = unit, .x_from_zero = true};
    // Where the ring-down is measured.
    if (numbers_.still_row > 0 && numbers_.still_row < rows_.size())
      plot.marks = {{rows_[numbers_.still_row].time * job_.shot.fps, "motion ends"}};
    return plot;
  }

  Plot displacement() const {
    Plot plot = over_time("Dynamic displacement", "[mm]");
    plot.y_from_zero = true;
    plot.lines = {line("rms", &HistoryRow::rms, 1e3), line("peak", &HistoryRow::peak, 1e3)};
    return plot;
  }
  Plot amplitude() const {
    Plot plot = over_time("Amplitude so far", "[mm \u221as]");
    plot.y_from_zero = true;
    plot.lines = {line("", &HistoryRow::amplitude, 1e3)};
    return plot;
  }
  Plot by_part() const {
    Plot plot = over_time("Dynamic displacement by part, rms", "[mm]");
    plot.y_from_zero = true;
    for (size_t p = 0; p < std::min(kPartsShown, job_.body->parts.size()); ++p)
      plot.lines.push_back(line(job_.body->parts[p].name, measure_.part_rms(rows_, static_cast<int>(p)), 1e3));
    if (job_.body->parts.size() > kPartsShown) plot.title += fmt::format(" (the {} heaviest)", kPartsShown);
    return plot;
  }
  Plot points() const {
    Plot plot = over_time("Dynamic displacement of points", "[mm]");
    plot.y_from_zero = true;
    for (size_t i = 0; i < measure_.points().size(); ++i)
      plot.lines.push_back(line(point_name(measure_.points()[i]), measure_.point(rows_, i), 1e3));
    return plot;
  }
  std::string point_name(int vertex) const {
    std::string name = fmt::format("vertex {}", vertex);
    if (job_.body->parts.size() > 1)
      for (const PartNumbers& p : job_.body->parts)
        if (std::binary_search(p.vertices.begin(), p.vertices.end(), vertex)) name = p.name + ", " + name;
    return name;
  }

  // The body as one, or its parts each with its own first mode.
  std::vector<int> subjects() const {
    std::vector<int> list;
    if (numbers_.parts.empty()) list.push_back(-1);
    for (size_t p = 0; p < std::min(kPartsShown, numbers_.parts.size()); ++p) list.push_back(static_cast<int>(p));
    return list;
  }
  std::string name_of(int subject) const {
    return subject < 0 ? "" : job_.body->parts[static_cast<size_t>(subject)].name;
  }
  double predicted(int subject) const {
    return subject < 0 ? job_.body->frequency_hz : job_.body->parts[static_cast<size_t>(subject)].adjusted.frequency_hz;
  }

  Plot first_mode() const {
    Plot plot = over_time("First mode, where it moves most", "[mm]");
    for (int s : subjects()) plot.lines.push_back(line(name_of(s), measure_.swing(rows_, s), 1e3));
    return plot;
  }
  PlotLine spectrum_of(const std::string& label, const std::vector<double>& swing, double top_hz) const {
    const Spectrum f = spectrum(swing, job_.body->step());
    PlotLine l{.label = label};
    for (size_t k = 0; k < f.magnitude.size(); ++k) {
      const double hz = static_cast<double>(k) * f.bin_hz;
      if (top_hz > 0 && hz > top_hz) break;
      l.x.push_back(hz);
      l.y.push_back(1e3 * f.magnitude[k]);
    }
    return l;
  }
  Plot spectra() const {
    Plot plot{.title = "Spectrum of the first mode",
              .x_label = "frequency [Hz]",
              .y_label = "[mm]",
              .y_from_zero = true,
              .x_from_zero = true};
    double top = 0;
    for (int s : subjects()) top = std::max(top, 3 * predicted(s));
    for (int s : subjects()) {
      const std::vector<double> swing = measure_.swing(rows_, s);
      plot.lines.push_back(spectrum_of(s < 0 ? "whole run" : name_of(s), swing, top));
      const std::string whose = s < 0 ? "" : name_of(s) + ": ";
      if (predicted(s) > 0)
        plot.marks.push_back({predicted(s), fmt::format("{}predicted {:.3g} Hz", whose, predicted(s))});
      const double got = numbers_.whole.frequency_hz;
      if (s >= 0 || !std::isfinite(got) || numbers_.still_row >= swing.size()) continue;
      const auto from = swing.begin() + static_cast<std::ptrdiff_t>(numbers_.still_row);
      plot.lines.push_back(spectrum_of("after the motion", {from, swing.end()}, top));
      plot.marks.push_back({got, fmt::format("measured {:.3g} Hz", got)});
    }
    return plot;
  }
  Plot energy() const {
    Plot plot = over_time("Energy", "[J]");
    plot.lines = {line("kinetic", &HistoryRow::kinetic, 1), line("elastic", &HistoryRow::elastic, 1)};
    return plot;
  }

  const Job& job_;
  const RunMeasure& measure_;
  const RunNumbers& numbers_;
  const std::vector<HistoryRow>& rows_;
  std::vector<double> frames_;
};

}  // namespace

std::vector<Plot> run_plots(const Job& job, const RunMeasure& measure, const RunNumbers& numbers,
                            const std::vector<HistoryRow>& rows) {
  return Plots(job, measure, numbers, rows).all();
}

}  // namespace supple::pipeline
