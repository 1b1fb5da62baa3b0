#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/cast/verdict.h"

namespace supple::cast {

// Chosen by what a person sees in a picture of 400 pixels, not by what the program does.
const std::vector<Rule>& rules() {
  static const std::vector<Rule> list = {
      {.name = "finite", .number = "nan", .most = 0, .why = "one bad number tears the whole picture"},
      {.name = "moves", .number = "moved_share", .least = 5, .why = "less skin in motion is a rigid character"},
      {.name = "reads",
       .number = "swing",
       .least = 6,
       .when = {"drawn_accel", 3},
       .why = "6 pixels of 400 are what a viewer notices; flesh of 2 Hz goes so far at 3 heights/s^2"},
      {.name = "calm",
       .number = "calm",
       .most = 1,
       .when = {.number = "whole_accel", .most = 3},
       .why = "unless the whole body is thrown, flesh goes no further than the motion that drives it"},
      {.name = "in_bounds", .number = "max", .most = 20, .why = "a fifth of the body is no longer flesh on a bone"},
      {.name = "buzz", .number = "buzz", .most = 0.1, .why = "energy above 6 Hz flickers at 24 frames a second"},
      {.name = "reversals", .number = "reversals", .most = 0.5, .why = "long steps that turn back are noise"},
      {.name = "pop", .number = "pop", .most = 0.3, .why = "a loop does not jump where it starts again"},
      {.name = "settles",
       .number = "settle_speed",
       .most = 1,
       .when = {"still_s", 1.5},
       .why = "a second and a half after the body stands, the flesh stands"},
      {.name = "planted", .number = "planted", .most = 0.3, .why = "a foot that stands does not swim"},
      {.name = "soles", .number = "soles", .most = 0.3, .why = "nor does a sole that a walk moves along the floor"},
      {.name = "stretch", .number = "edge_over", .most = 1, .why = "stretched skin shows as smeared texture"},
      {.name = "worst_edge", .number = "edge_worst", .most = 2, .why = "an edge at twice what it ever was is a spike"},
      {.name = "turned", .number = "flips", .most = 0.1, .why = "turned triangles shade black"},
      {.name = "volume_low", .number = "volume_least", .least = 0.95, .why = "flesh is nearly incompressible"},
      {.name = "volume_high", .number = "volume_most", .most = 1.05, .why = "flesh is nearly incompressible"},
      {.name = "seams", .number = "torn", .most = 0, .why = "a texture's seam does not open"},
      {.name = "gap", .number = "gap", .most = 1, .why = "eyes and clothes stay on the skin that they touch"},
      {.name = "symmetry", .number = "one_sided", .most = 5, .why = "left and right go soft alike"},
      {.name = "fidelity", .number = "file_error", .most = 0.05, .why = "0.2 pixels of 400 from what was simulated"},
  };
  return list;
}

std::vector<std::string> broken(const Numbers& numbers) {
  std::vector<std::string> list;
  for (const Rule& r : rules()) {
    const auto got = numbers.find(r.number), when = numbers.find(r.when.number);
    if (got == numbers.end()) continue;
    if (*r.when.number && (when == numbers.end() || when->second < r.when.least || when->second > r.when.most))
      continue;
    if (std::isfinite(got->second) && got->second >= r.least && got->second <= r.most) continue;
    list.push_back(fmt::format("{}: {} = {:.4g}, not {} {:g} ({})", r.name, r.number, got->second,
                               std::isfinite(r.least) ? "at least" : "at most",
                               std::isfinite(r.least) ? r.least : r.most, r.why));
  }
  return list;
}

std::string text(const Numbers& numbers) {
  std::string line;
  for (const auto& [name, value] : numbers) line += fmt::format("{}{} {:.4g}", line.empty() ? "" : ", ", name, value);
  return line;
}

}  // namespace supple::cast
