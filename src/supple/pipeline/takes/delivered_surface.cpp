#include "supple/pipeline/takes/delivered_surface.h"

#include <algorithm>
#include <filesystem>

#include "supple/anim/clip_frames.h"
#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf/gltf_read.h"

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

// The name that the soft clip got there.
std::string soft_name(const std::string& file, const std::string& clip) {
  const Character c = read_gltf(file);
  const auto has = [&](const std::string& name) {
    return std::any_of(c.clips.begin(), c.clips.end(), [&](const Clip& one) { return one.name == name; });
  };
  return has(clip + ".soft") ? clip + ".soft" : has(clip + ".rigid") && has(clip) ? clip : "";
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
  const CharacterSubject* subject = take.job.subject->character();
  if (!subject || !has_soft_clip(*take.job.subject) || !every_frame) return;
  const std::string in_take = (dir / "surface.glb").string();
  const std::string file = fs::exists(in_take, error) ? in_take : own_glb(take);
  if (file.empty()) return;
  const Character& character = subject->setup().character;
  const Clip& clip = find_clip(character, take.job.config.surface.clip);
  const std::vector<double> all = frames_of(character, subject->setup().drawn, clip, take.job.shot.fps).times;
  std::vector<double> times;
  for (int f = 0; f < drawn.frames.n_samples; ++f)
    times.push_back(all[std::min(static_cast<size_t>(take.job.shot.first_frame + f), all.size() - 1)]);
  const std::string name = soft_name(file, clip.name);
  if (name.empty()) return;
  PointCache frames = frames_of_glb(file, name, times, drawn.frames.n_points);
  if (!fits(frames, drawn.frames)) return;
  drawn.frames.xyz = std::move(frames.xyz);
  source = fs::path(file).filename().string() + ": " + name;
}

}  // namespace

PointCache frames_of_glb(const std::string& file, const std::string& clip, const std::vector<double>& times,
                         int n_vertices) {
  const Character character = read_gltf(file);
  const auto at = std::find_if(character.clips.begin(), character.clips.end(), [&](const Clip& c) { return c.name == clip; });
  const Drawn drawn = lay_out(character);
  PointCache out;
  if (at == character.clips.end() || drawn.n_vertices() != n_vertices) return out;
  out.n_points = n_vertices, out.n_samples = static_cast<int>(times.size());
  out.xyz.resize(3 * static_cast<size_t>(n_vertices) * times.size());
  parallel_for(times.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      float* to = out.xyz.data() + 3 * static_cast<size_t>(n_vertices) * f;
      for (const Vec3& x : posed(drawn.vertices, pose_at(character, drawn, *at, times[f])))
        for (int a = 0; a < 3; ++a) *to++ = static_cast<float>(x[a]);
    }
  });
  return out;
}

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
