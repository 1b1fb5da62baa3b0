#include "supple/pipeline/takes/delivered_surface.h"

#include <filesystem>

#include "supple/base/hash.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDrawnAgain = "what was simulated";

bool fits(const PointCache& cache, const PointCache& drawn) {
  return cache.n_points == drawn.n_points && cache.n_samples == drawn.n_samples;
}

// The file of `supple run`, where it is still the one that the take wrote. Of several clips the report of all of them
// knows it, in the folder above.
std::string own_glb(const Take& take) {
  std::error_code error;
  TakeReport above;
  const TakeReport* r = &take.report;
  const fs::path parent = (fs::path(take.directory) / "..").lexically_normal();
  if (r->text("output.file").empty() && fs::exists(parent / "report.json", error)) {
    try {
      above = report_of_any((parent / "report.json").string());
      r = &above;
    } catch (const InputError&) {
      return "";
    }
  }
  const std::string file = r->text("output.file"), hash = r->text("output.hash");
  return !file.empty() && !hash.empty() && fs::exists(file, error) && hash_file(file) == hash ? file : "";
}

void read_delivered(const Take& take, DrawnFrames& drawn, std::string& source) {
  const OutputConfig& o = take.job.config.output;
  const fs::path dir = take.directory;
  std::error_code error;
  const bool every_frame = o.every == 1 && o.subframes == 0;
  for (const char* name : {"surface.pc2", "surface.mdd"}) {
    if (!every_frame || !fs::exists(dir / name, error)) continue;
    PointCache cache = read_point_cache((dir / name).string());
    if (!fits(cache, drawn.frames)) continue;
    drawn.frames.xyz = std::move(cache.xyz);
    source = name;
    return;
  }
  if (!has_soft_clip(*take.job.subject) || !every_frame) return;
  const std::string in_take = (dir / "surface.glb").string();
  const std::string file = fs::exists(in_take, error) ? in_take : own_glb(take);
  if (file.empty()) return;
  std::string clip;
  PointCache frames = read_soft_clip(file, take.job, drawn.frames.n_samples, clip);
  if (!fits(frames, drawn.frames)) return;
  drawn.frames.xyz = std::move(frames.xyz);
  source = fs::path(file).filename().string() + ": " + clip;
}

}  // namespace

DeliveredSurface::DeliveredSurface(const std::string& directory)
    : take(open_take(directory, {}, SceneOf::run)),
      run(take.job, take.tets, [this](int f) { return take.from(f); }),
      drawn(drawn_shapes(take.job, run)),
      source(kDrawnAgain) {
  read_delivered(take, drawn, source);
  drawn.others = take.others;
  drawn.busiest = take.busiest;
}

Points DeliveredSurface::points(int frame) const {
  Points x = drawn.frames.points(frame);
  for (Vec3& v : x) v *= metres();
  return x;
}

}  // namespace supple::pipeline
