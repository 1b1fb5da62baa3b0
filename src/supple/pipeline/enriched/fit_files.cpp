#include "supple/pipeline/enriched/fit_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <sstream>

#include "supple/base/error.h"
#include "supple/base/read_file.h"
#include "supple/io/output_file.h"
#include "supple/io/point_cache.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/setup/drawing.h"

namespace supple::pipeline {

namespace {

constexpr const char* kHeader =
    "frame,rms_percent,largest_percent,iterations,missing,outliers,inverted,damped,bridged,left_out";

std::string in(const std::string& directory, const char* name) {
  return (std::filesystem::path(directory) / name).string();
}

}  // namespace

std::vector<std::string> write_fit(const std::string& directory, const EnrichSetup& s) {
  PointCache cache;
  for (const VecX& x : s.fit.frames) cache.add(x);
  write_pc2(in(directory, "fit.pc2"), cache);
  std::string text = std::string(kHeader) + "\n";
  const double percent = 100 / s.size();
  for (size_t f = 0; f < s.fit.reports.size(); ++f) {
    const FitFrame& r = s.fit.reports[f];
    text +=
        fmt::format("{},{:.6g},{:.6g},{},{},{},{},{:d},{:d},{}\n", f, r.rms * percent, r.largest * percent,
                    r.iterations, r.missing, r.outliers, r.inverted, r.damped, r.bridged, fmt::join(r.left_out, " "));
  }
  write_text(in(directory, "fit.csv"), text);
  return {"fit.pc2", "fit.csv"};
}

void read_fit(const std::string& directory, EnrichSetup& s) {
  const PointCache cache = read_pc2(in(directory, "fit.pc2"));
  if (cache.n_points != s.cage.n_vertices() || cache.n_samples != s.input.frames.n_samples)
    throw InputError({.file = in(directory, "fit.pc2")},
                     fmt::format("has {} points over {} frames, the scene {} over {}", cache.n_points, cache.n_samples,
                                 s.cage.n_vertices(), s.input.frames.n_samples),
                     "run the scene again");
  const std::string path = in(directory, "fit.csv");
  std::istringstream file(is_regular_file(path) ? read_regular_file(path) : "");
  std::string line;
  if (!std::getline(file, line) || line != kHeader)
    throw InputError({.file = path}, "is missing or is no record of a fit", "run the scene again");
  s.fit = {};
  for (int f = 0; f < cache.n_samples; ++f) {
    FitFrame r;
    int frame = -1, damped = 0, bridged = 0;
    if (!std::getline(file, line) ||
        std::sscanf(line.c_str(), "%d,%lf,%lf,%d,%d,%d,%d,%d,%d", &frame, &r.rms, &r.largest, &r.iterations, &r.missing,
                    &r.outliers, &r.inverted, &damped, &bridged) != 9 ||
        frame != f)
      throw InputError({.file = path, .line = f + 2}, "is no line of a fit", "run the scene again");
    r.rms *= s.size() / 100, r.largest *= s.size() / 100;
    r.damped = damped != 0, r.bridged = bridged != 0;
    std::istringstream which(line.substr(line.rfind(',') + 1));
    for (int point; which >> point;)
      if (point >= 0 && point < static_cast<int>(s.input.vertex.size())) r.left_out.push_back(point);
    s.fit.reports.push_back(r);
    s.fit.frames.push_back(sample_of(cache, f));
  }
}

}  // namespace supple::pipeline
