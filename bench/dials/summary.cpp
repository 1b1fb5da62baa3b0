#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace supple {

using namespace demos;

namespace {

constexpr int kMostRuns = 6;

struct Errors {
  std::vector<double> values;
  void add(double got, double asked) {
    if (std::isfinite(got)) values.push_back(100 * std::abs(got / asked - 1));
  }
  std::string text() {
    if (values.empty()) return "";
    std::sort(values.begin(), values.end());
    return fmt::format("{:.2f} / {:.2f} %", values[values.size() / 2], values.back());
  }
};

// What tune itself reports as out of reach does not count, however near.
bool within(const PointRow& r, size_t dial, double tolerance) {
  return r.met[dial] && std::abs(r.tuned[dial] / r.asked[dial] - 1) <= tolerance;
}

// Not there to be measured: no gravity.
bool absent(const PointRow& r, size_t dial) { return std::isnan(r.tuned[dial]) && std::isnan(r.formula[dial]); }

std::string asked_text(const PointRow& r) {
  return fmt::format("{:.3g} / {:.3g} / {:.3g} / {:.3g}", r.asked[0], r.asked[1], r.asked[2], r.asked[3]);
}

std::string scene_part(const DialScene& scene, const std::vector<PointRow>& rows) {
  int met = 0, told = 0, runs = 0;
  std::string missed;
  for (const PointRow& r : rows) {
    bool all = r.full_runs <= kMostRuns;
    for (size_t d = 0; d < 4; ++d) all = all && (absent(r, d) || within(r, d, scene.tolerance));
    met += all;
    runs = std::max(runs, r.full_runs);
    if (all) continue;
    told += !r.note.empty();
    missed += "| " + asked_text(r);
    for (size_t d = 0; d < 4; ++d)
      missed += absent(r, d)             ? " | -"
                : std::isnan(r.tuned[d]) ? " | not measured"
                                         : fmt::format(" | {:+.1f} %", 100 * (r.tuned[d] / r.asked[d] - 1));
    missed += fmt::format(" | {} | {} |\n", r.full_runs, r.note);
  }
  std::string text = fmt::format(
      "## {}\n\n{} points, {} with every dial within {:g} % in at most {} whole motions (the most that any took: {}).",
      scene.name, rows.size(), met, 100 * scene.tolerance, kMostRuns, runs);
  if (const int rest = static_cast<int>(rows.size()) - met; rest > 0)
    text += fmt::format(" Of the other {}, {} are reported as out of reach.", rest, told);
  text +=
      "\n\n| dial | formula alone: median / worst error | tuned: median / worst error | within bounds |\n"
      "| --- | --- | --- | --- |\n";
  for (size_t d = 0; d < 4; ++d) {
    Errors formula, tuned;
    int in = 0, there = 0;
    for (const PointRow& r : rows) {
      if (absent(r, d)) continue;
      formula.add(r.formula[d], r.asked[d]), tuned.add(r.tuned[d], r.asked[d]);
      ++there, in += within(r, d, scene.tolerance);
    }
    if (there > 0)
      text += fmt::format("| {} | {} | {} | {} of {} |\n", kDialNames[d], formula.text(), tuned.text(), in, there);
  }

  std::string talk;
  double most_talk = 0;  // tuned
  for (const PointRow& r : rows) {
    if (r.moved() != 1) continue;
    for (size_t d = 0; d < 4; ++d) {
      if (r.asked[d] == 1) continue;
      talk += fmt::format("| {} {:.3g}", kDialNames[d], r.asked[d]);
      for (size_t other = 0; other < 4; ++other)
        if (other != d && std::isfinite(r.tuned[other])) most_talk = std::max(most_talk, std::abs(r.tuned[other] - 1));
      for (const auto* got : {&r.formula, &r.tuned})
        for (size_t other = 0; other < 4; ++other)
          talk += other == d                      ? " | ."
                  : !std::isfinite((*got)[other]) ? " | -"
                                                  : fmt::format(" | {:+.2f}", 100 * ((*got)[other] - 1));
      talk += " |\n";
    }
  }
  if (!talk.empty())
    text +=
        fmt::format("\nOne dial moved: the others change by {:.2f} % at most once tuned.", 100 * most_talk) +
        " Change of the others [%], frequency, amplitude, sag, half-life; by the formulas alone, "
        "then tuned.\n\n| moved | f | a | s | h | f | a | s | h |\n| --- | --- | --- | --- | --- | --- | --- | --- | "
        "--- |\n" +
        talk;
  if (!missed.empty())
    text +=
        "\nMissed, asked as frequency / amplitude / sag / half-life, with what is off:\n\n"
        "| asked | f | a | s | h | motions | told |\n| --- | --- | --- | --- | --- | --- | --- |\n" +
        missed;
  return text + "\n";
}

}  // namespace

std::string summary_of(const std::vector<PointRow>& rows) {
  std::string text = "# The dials, asked and measured\n\n";
  for (const DialScene& scene : dial_scenes()) {
    std::vector<PointRow> mine;
    for (const PointRow& r : rows)
      if (r.scene == scene.name) mine.push_back(r);
    if (!mine.empty()) text += scene_part(scene, mine);
  }
  return text;
}

}  // namespace supple
