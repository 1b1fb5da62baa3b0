#include "supple/pipeline/curves/handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "supple/base/error.h"
#include "supple/inertia/adjustment.h"
#include "supple/io/curve_files.h"

namespace supple::pipeline::curves {

namespace {

int handle_point(const SceneConfig& config, size_t k, const CurvesRig& rig) {
  const CurveHandleConfig& h = config.curve_handles[k];
  const int n = static_cast<int>(rig.rest.size());
  if (h.vertex) {
    if (*h.vertex >= n)
      throw InputError(config.locate(fmt::format("curves.handle.{}.vertex", k)),
                       fmt::format("there is no vertex {}: the surface has {}", *h.vertex, n),
                       "Vertices are counted from 0.");
    return *h.vertex;
  }
  int nearest = 0;
  for (int v = 1; v < n; ++v)
    if ((rig.rest[v] - *h.point).squaredNorm() < (rig.rest[nearest] - *h.point).squaredNorm()) nearest = v;
  return nearest;
}

// x, y and z over time.
using Path = std::array<FactorKeys, 3>;

std::shared_ptr<const Path> read_path(const SceneConfig& config, size_t k, const CurvesTimeline& time) {
  const CurveHandleConfig& h = config.curve_handles[k];
  if (h.track.empty()) return nullptr;
  if (!std::filesystem::exists(h.track.path))
    throw InputError(config.locate(fmt::format("curves.handle.{}.track", k)),
                     fmt::format("there is no file {}", h.track.path), "Relative paths start at the scene file.");
  const CurveTable table = read_curves(h.track.path);
  auto path = std::make_shared<Path>();
  const char* axes[] = {"x", "y", "z"};
  for (size_t a = 0; a < 3; ++a) {
    const auto at = std::find(table.names.begin(), table.names.end(), axes[a]);
    if (at == table.names.end())
      throw InputError({.file = h.track.text}, fmt::format("there is no column {}", axes[a]),
                       "Write a first line of frame,x,y,z.");
    const Eigen::Index column = at - table.names.begin();
    for (size_t r = 0; r < table.frames.size(); ++r)
      (*path)[a].keys.push_back(
          {(table.frames[r] - time.first) / time.fps, table.values(static_cast<Eigen::Index>(r), column)});
  }
  return path;
}

}  // namespace

CurvesHandles read_handles(const SceneConfig& config, const CurvesRig& rig, const KeyedParameters& keyed) {
  CurvesHandles out;
  std::vector<std::shared_ptr<const Path>> paths;
  bool follows = false;
  for (size_t k = 0; k < config.curve_handles.size(); ++k) {
    out.points.push_back(handle_point(config, k, rig));
    out.strengths.push_back(config.curve_handles[k].strength);
    paths.push_back(read_path(config, k, rig.time));
    follows = follows || !paths.back();
  }
  if (out.points.empty()) return out;
  const double end = (rig.time.n_frames - 1) / rig.time.fps;
  out.targets = [rig = rig.rig, some = follows ? rig.rig->for_points(out.points) : nullptr, points = out.points, paths,
                 follows, keyed, loop = rig.time.loop, end](double t) {
    VecX x(3 * static_cast<Eigen::Index>(points.size()));
    VecX there;
    if (follows) there = some ? some->evaluate(keyed(t), t) : rig->evaluate(keyed(t), t);
    const double wrapped = loop && end > 0 ? t - end * std::floor(t / end) : t;
    for (size_t k = 0; k < points.size(); ++k)
      for (Eigen::Index a = 0; a < 3; ++a) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(k) + a;
        if (paths[k])
          x[at] = (*paths[k])[static_cast<size_t>(a)].at(wrapped);
        else
          x[at] = some ? there[at] : there[3 * points[k] + a];
      }
    return x;
  };
  return out;
}

}  // namespace supple::pipeline::curves
