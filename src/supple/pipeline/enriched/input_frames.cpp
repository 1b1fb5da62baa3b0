// The frames of an animation, by a cache or by a clip.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/obj_sequence.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/enriched/input_steps.h"

namespace supple::pipeline {

namespace {

constexpr double kUsualRate = 24;  // frames a second of a cache without times
constexpr size_t kFramesTold = 5;
constexpr double kSurelyOtherUnits = 9;  // tenfold and hundredfold
constexpr double kOtherUnits = 3;   // a frame is that much larger or smaller than the neutral points: not their units
constexpr double kOtherOrder = 3;   // edges grow that much more than the whole does: not the same vertices
constexpr size_t kEnoughEdges = 8;  // to tell

size_t n_places(const Points& points) {
  std::set<std::array<float, 3>> places;
  for (const Vec3& x : points) {
    const Eigen::Vector3f place = x.cast<float>();
    places.insert({place[0], place[1], place[2]});
  }
  return places.size();
}

// What a number of points may come from, where it is not the number of vertices.
std::string likely_reason(const SceneConfig& config, const EnrichInput& in, const NeutralFile& file, int n) {
  const SurfaceConfig& s = config.surface;
  const auto count = static_cast<size_t>(n);
  if (file.obj.split_vertices == n)
    return fmt::format(
        "{} is what '{}' has with its vertices split at texture seams and hard edges: export the cache "
        "before splitting, or the .obj after it",
        n, s.file.text);
  if (n_places(in.surface.vertices) == count)
    return fmt::format(
        "{} is what '{}' has with vertices at the same place merged: export the cache from the file as "
        "it is, or the surface as an .obj of the merged mesh",
        n, s.file.text);
  if (3 * in.surface.triangles.size() == count)
    return fmt::format("{} is three for each triangle: export the cache without splitting vertices", n);
  std::set<int> used;
  for (const Tri& t : in.surface.triangles) used.insert(t.begin(), t.end());
  if (used.size() == count)
    return fmt::format("{} vertices of '{}' are in faces: remove the loose ones from it and export it again", n,
                       s.file.text);
  for (size_t p = 0; p < in.parts.size(); ++p)
    if (in.parts[p].size() == count)
      return fmt::format("'{}' alone has {} vertices: if the cache is of that, name them in enrich.tracked",
                         in.part_names[p], n);
  if (n < in.surface.n_vertices())
    return "export both from the same mesh, without splitting or merging vertices; if the cache moves only some of "
           "them, name these in enrich.tracked, or give the neutral points as enrich.points";
  return "export both from the same mesh, without splitting or merging vertices, before subdivision and other "
         "modifiers "
         "that add some";
}

PointCache read_cache(const SceneConfig& config, EnrichInput& in) {
  const FilePath& file = config.surface.cache;
  const std::string kind = extension(file.path);
  if (kind == ".pc2" || kind == ".mdd") return read_point_cache(file.path, true);
  if (is_obj_sequence(file.path)) {
    if (!find_obj_sequence(file.path).alike)
      in.warnings.push_back(fmt::format(
          "{}: the names of its .obj files differ by more than a number: they are taken in the order of names",
          file.text));
    return read_obj_sequence(file.path, true);
  }
  throw InputError(config.locate("surface.cache"), fmt::format("'{}' is no animation that can be read", file.text),
                   "name a .pc2 or .mdd file, one .obj a frame with # for the digits of its number (walk_####.obj), or "
                   "a folder of these");
}

void set_rate(const SceneConfig& config, const PointCache& cache, EnrichInput& in) {
  const std::string& name = config.surface.cache.text;
  const auto own = samples_per_second(cache);
  in.fps = config.timeline.fps.value_or(own.value_or(kUsualRate));
  if (own && std::abs(in.fps - *own) > 0.01 * *own)
    in.warnings.push_back(
        fmt::format("{}: it has {:.4g} samples a second, which are played at {:.4g}", name, *own, in.fps));
  const std::vector<float>& t = cache.times;
  for (size_t i = 1; own && i < t.size(); ++i) {
    if (std::abs((t[i] - t[i - 1]) * *own - 1) < 0.1) continue;
    in.warnings.push_back(fmt::format("{}: its times are uneven, so it has a sample a frame", name));
    break;
  }
  if (cache.times.empty() && cache.rate != 1)
    in.warnings.push_back(
        fmt::format("{}: its samples are {:.4g} frames apart; each is taken as a frame", name, cache.rate));
}

// Keeps some points of every sample.
void keep_points(const std::vector<int>& sources, PointCache& cache) {
  PointCache kept;
  kept.xyz.reserve(3 * sources.size() * static_cast<size_t>(cache.n_samples));
  for (int s = 0; s < cache.n_samples; ++s)
    for (int p : sources) kept.xyz.insert(kept.xyz.end(), cache.sample(s) + 3 * p, cache.sample(s) + 3 * p + 3);
  cache.xyz = std::move(kept.xyz);
  cache.n_points = static_cast<int>(sources.size());
}

void warn_of_holes(const std::string& name, EnrichInput& in) {
  const PointCache& cache = in.frames;
  size_t n_frames = 0, most = 0;
  std::vector<char> seen(static_cast<size_t>(cache.n_points), 0);
  for (int s = 0; s < cache.n_samples; ++s) {
    size_t missing = 0;
    for (size_t i = 0; i < seen.size(); ++i) {
      const bool here = !std::isnan(cache.sample(s)[3 * i]);
      missing += here ? 0 : 1;
      if (here) seen[i] = 1;
    }
    if (missing == 0) continue;
    most = std::max(most, missing);
    if (++n_frames > kFramesTold) continue;
    in.warnings.push_back(fmt::format("{}, frame {}: {} of {} points are missing", name, s, missing, cache.n_points));
  }
  if (n_frames > kFramesTold)
    in.warnings.push_back(fmt::format("{}: {} more frames have missing points; the most in one are {} of {}", name,
                                      n_frames - kFramesTold, most, cache.n_points));
  const auto never = std::count(seen.begin(), seen.end(), 0);
  if (never == cache.n_points)
    throw InputError({.file = name}, "every point of every frame is missing: no value is a finite number",
                     "export it again");
  if (never > 0)
    in.warnings.push_back(fmt::format("{}: {} of {} points are missing from every frame", name, never, cache.n_points));
}

// Root mean square distance from the middle, of points that are there in `now`.
double spread_of(const Points& points, const Points& now) {
  Vec3 sum = Vec3::Zero();
  double squares = 0, n = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!now[i].allFinite()) continue;
    sum += points[i], squares += points[i].squaredNorm(), n += 1;
  }
  return n > 0 ? std::sqrt(std::max(0.0, squares / n - (sum / n).squaredNorm())) : 0;
}

// How much longer the edges of the surface are in a frame, the median of those whose ends are both animated there.
std::optional<double> edge_growth(const EnrichInput& in, const std::vector<int>& point_of, const Points& now) {
  std::vector<double> ratios;
  for (const Tri& t : in.surface.triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = point_of[t[k]], b = point_of[t[(k + 1) % 3]];
      if (a < 0 || b < 0) continue;
      const double ratio = (now[a] - now[b]).norm() / (in.points[a] - in.points[b]).norm();
      if (std::isfinite(ratio)) ratios.push_back(ratio);
    }
  if (ratios.size() < kEnoughEdges) return {};
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

// At its beginning, middle and end it is so many times as large as at neutral, or so many times smaller.
bool all_along(const EnrichInput& in, double times) {
  bool larger = true, smaller = true;
  for (int s : {0, in.frames.n_samples / 2, in.frames.n_samples - 1}) {
    const Points now = in.frames.points(s);
    const double growth = spread_of(now, now) / spread_of(in.points, now);
    if (!std::isfinite(growth)) continue;
    larger = larger && growth > times;
    smaller = smaller && growth < 1 / times;
  }
  return larger != smaller;
}

// In the first frame that tells, the points are spread about as they are at neutral, and neighbors are as near.
void warn_of_strangers(const std::string& name, EnrichInput& in) {
  std::vector<int> point_of(in.surface.vertices.size(), -1);
  for (size_t i = 0; i < in.vertex.size(); ++i)
    if (in.vertex[i] >= 0) point_of[in.vertex[i]] = static_cast<int>(i);
  for (int s = 0; s < in.frames.n_samples; ++s) {
    const Points now = in.frames.points(s);
    const double growth = spread_of(now, now) / spread_of(in.points, now);
    if (!std::isfinite(growth)) continue;
    const auto edges = edge_growth(in, point_of, now);
    if (edges && *edges > kOtherOrder * growth)
      in.warnings.push_back(fmt::format(
          "{}: neighbors on the surface are {:.2g} times as far apart in it: its points may be in another order", name,
          *edges));
    else if (all_along(in, kSurelyOtherUnits))
      throw InputError({.file = name}, fmt::format("it is {:.3g} times as large as the neutral surface", growth),
                       "export both in the same units");
    else if (growth > kOtherUnits || growth < 1 / kOtherUnits)
      in.warnings.push_back(
          fmt::format("{}: it is {:.3g} times as large as at neutral: it may be in other units", name, growth));
    return;
  }
}

void read_cached_frames(const SceneConfig& config, const NeutralFile& file, const MovedPoints& moved, EnrichInput& in) {
  const FilePath& name = config.surface.cache;
  in.frames = read_cache(config, in);
  PointCache& cache = in.frames;
  if (cache.n_points != moved.n_in_cache)
    throw InputError(config.locate("surface.cache"),
                     fmt::format("'{}' moves {} points, {}", name.text, cache.n_points, moved.what),
                     config.enrich.points.empty() && config.enrich.tracked.empty()
                         ? likely_reason(config, in, file, cache.n_points)
                         : "point i of the cache is the i-th of these: export both from the same points");
  set_rate(config, cache, in);
  if (!moved.sources.empty()) keep_points(moved.sources, cache);
  const auto scale = static_cast<float>(in.scale);
  if (scale != 1)
    for (float& x : cache.xyz) x *= scale;
  warn_of_holes(name.text, in);
  warn_of_strangers(name.text, in);
}

void read_clip_frames(const SceneConfig& config, const NeutralFile& file, const MovedPoints& moved, EnrichInput& in) {
  const Clip& clip = find_clip(*in.character, config.surface.clip);
  in.fps = rate_of(config, clip);
  const ClipFrames frames = frames_of(*in.character, file.drawn, clip, in.fps);
  in.frames.n_points = static_cast<int>(moved.points.size());
  in.frames.n_samples = static_cast<int>(frames.poses.size());
  in.frames.xyz.resize(3 * moved.points.size() * frames.poses.size());
  parallel_for(frames.poses.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const Points now = posed(file.drawn.vertices, frames.poses[f]);
      float* out = in.frames.xyz.data() + 3 * moved.points.size() * f;
      for (int v : moved.vertex)
        for (int axis = 0; axis < 3; ++axis) *out++ = static_cast<float>(now[v][axis]);
    }
  });
}

// Where the animation is cut, and which of its frames are none of it: what lies between their neighbours is put there.
// Judged by points that no frame misses, but for frames that miss most of them: those are bridged when they are fitted.
void find_cuts(EnrichInput& in) {
  PointCache& cache = in.frames;
  const auto n = static_cast<size_t>(cache.n_points);
  const auto known = [&](int s, size_t i) { return !std::isnan(cache.sample(s)[3 * i]); };
  std::vector<int> frames;
  for (int s = 0; s < cache.n_samples; ++s) {
    size_t here = 0;
    for (size_t i = 0; i < n; ++i) here += known(s, i);
    if (2 * here > n) frames.push_back(s);
  }
  std::vector<size_t> points;
  for (size_t i = 0; i < n; ++i)
    if (std::all_of(frames.begin(), frames.end(), [&](int s) { return known(s, i); })) points.push_back(i);
  std::vector<VecX> places;
  std::vector<double> times;
  for (int s : frames) {
    VecX x(3 * static_cast<Eigen::Index>(points.size()));
    for (size_t k = 0; k < points.size(); ++k)
      for (size_t axis = 0; axis < 3; ++axis)
        x[static_cast<Eigen::Index>(3 * k + axis)] = cache.sample(s)[3 * points[k] + axis];
    places.push_back(std::move(x)), times.push_back(s / in.fps);
  }
  const MotionCuts found = find_motion_cuts(places, times);
  for (int k : found.bridged()) {
    const BridgeWeights weights = bridge_of(k, times, found);
    const auto own = 3 * n * static_cast<size_t>(frames[static_cast<size_t>(k)]);
    for (size_t i = 0; i < 3 * n; ++i) {
      double sum = 0;
      for (const auto& [other, weight] : weights) sum += weight * cache.sample(frames[static_cast<size_t>(other)])[i];
      cache.xyz[own + i] = static_cast<float>(sum);
    }
  }
  in.cuts = found;
  for (MotionCut& c : in.cuts.list) c.frame = frames[static_cast<size_t>(c.frame)];
}

}  // namespace

void read_frames(const SceneConfig& config, const NeutralFile& file, const MovedPoints& moved, EnrichInput& in) {
  const SurfaceConfig& s = config.surface;
  if (!s.cache.empty()) {
    read_cached_frames(config, file, moved, in);
  } else if (file.moves) {
    read_clip_frames(config, file, moved, in);
  } else {
    throw InputError(
        {.file = s.file.text}, "the surface has no animation",
        fmt::format("give [surface] cache = \"walk.pc2\" (.mdd, or one .obj a frame: walk_####.obj) with "
                    "the places of its {} vertices{}",
                    in.surface.n_vertices(), in.character ? ", or export the file with its animations" : ""));
  }
  if (in.frames.n_samples < 2)
    throw InputError(s.cache.empty() ? Location{.file = s.file.text} : config.locate("surface.cache"),
                     fmt::format("'{}' has one frame", s.cache.empty() ? s.file.text : s.cache.text),
                     "a motion needs two frames at least");
  if (config.timeline.cuts != "off") find_cuts(in);
}

}  // namespace supple::pipeline
