#include "supple/pipeline/trials/reference_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "supple/base/error.h"
#include "supple/base/read_file.h"
#include "supple/io/formats.h"
#include "supple/io/point_cache.h"
#include "supple/tune/estimators.h"

namespace supple::pipeline {

namespace {

namespace fs = std::filesystem;

LikeNumbers from_report(const fs::path& file) {
  const auto report = nlohmann::json::parse(read_regular_file(file.string()), nullptr, false);
  if (report.is_discarded() || !report.contains("measured"))
    throw InputError({.file = file.string()}, "is not the report of a run", "give the directory of a finished run");
  LikeNumbers n;
  const auto& m = report["measured"];
  auto get = [&](const char* key, std::optional<double>& to) {
    if (m.contains(key) && m[key].is_number()) to = m[key].get<double>();
  };
  get("frequency_hz", n.frequency_hz);
  get("half_life_s", n.half_life_s);
  get("peak_m", n.peak_m);
  get("sag_m", n.sag_m);
  if (!n.frequency_hz) n.notes.push_back("that run never rings freely: its frequency and half-life are not known");
  return n;
}

Points read_point_csv(const std::string& path) {
  std::istringstream in(read_regular_file(path));
  Points points;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::replace(line.begin(), line.end(), ';', ' ');
    std::istringstream words(line);
    std::vector<double> values;
    for (double x; words >> x;) values.push_back(x);
    const bool rest_is_text = !words.eof();
    if (values.empty() && (rest_is_text ? number == 1 : true)) continue;  // a header, or an empty line
    const bool finite = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
    if (rest_is_text || !finite || (values.size() != 3 && values.size() != 4))
      throw InputError({.file = path, .line = number}, "is not a place", "write x,y,z or frame,x,y,z on every line");
    const size_t first = values.size() - 3;
    points.emplace_back(values[first], values[first + 1], values[first + 2]);
  }
  if (points.size() < 8)
    throw InputError({.file = path}, fmt::format("has {} frames", points.size()), "track the point for longer");
  return points;
}

LikeNumbers from_take(const TakeNumbers& t) {
  LikeNumbers n;
  if (t.frequency_found) n.frequency_hz = t.frequency_hz;
  if (t.half_life_found && std::isfinite(t.half_life_s)) n.half_life_s = t.half_life_s;
  if (t.peak_found) n.peak_m = t.peak_m;
  if (t.sag_found) n.sag_m = t.sag_m;
  if (!t.reason.empty()) n.notes.push_back(t.reason);
  return n;
}

}  // namespace

LikeNumbers read_like(const std::string& path, double fps) {
  LikeNumbers n;
  const std::string extension = fs::path(path).extension().string();
  if (fs::is_directory(path)) {
    n = from_report(fs::path(path) / "report.json");
  } else if (extension == ".csv" || extension == ".txt") {
    n = from_take(measure_take(read_point_csv(path), fps));
  } else {
    const PointCache cache = read_point_cache(path);
    std::vector<Points> frames;
    // Some hundred points say as much as all of them.
    const int stride = std::max(1, cache.n_points / 200);
    for (int s = 0; s < cache.n_samples; ++s) {
      Points points;
      for (int i = 0; i < cache.n_points; i += stride)
        points.emplace_back(cache.sample(s)[3 * i], cache.sample(s)[3 * i + 1], cache.sample(s)[3 * i + 2]);
      frames.push_back(std::move(points));
    }
    n = from_take(measure_take(frames, fps));
  }
  if (!n.frequency_hz && !n.half_life_s && !n.peak_m && !n.sag_m)
    throw InputError({.file = path}, "nothing could be measured on it" + (n.notes.empty() ? "" : ": " + n.notes[0]),
                     "give a take that moves and then rings out");
  std::string found;
  auto say = [&](const char* what, const std::optional<double>& x, double scale, const char* unit) {
    if (x) found += fmt::format("{}{} {:.4g} {}", found.empty() ? "" : ", ", what, scale * *x, unit);
  };
  say("frequency", n.frequency_hz, 1, "Hz");
  say("half-life", n.half_life_s, 1, "s");
  say("peak", n.peak_m, 1e3, "mm");
  say("sag", n.sag_m, 1e3, "mm");
  n.notes.insert(n.notes.begin(), path + ": " + found);
  return n;
}

}  // namespace supple::pipeline
