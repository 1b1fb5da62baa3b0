#include "supple/pipeline/character/cached_character.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "supple/anim/drawn.h"
#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/obj.h"
#include "supple/mesh/rigid_fit.h"

namespace supple::pipeline {

namespace {

constexpr double kUsualFps = 24;

// MDD has times; PC2 has not.
double rate_of_times(const PointCache& cache) {
  if (cache.times.size() < 2) return kUsualFps;
  const double step = (cache.times.back() - cache.times.front()) / static_cast<double>(cache.times.size() - 1);
  if (!(step > 0) || !std::isfinite(1 / step)) return kUsualFps;
  const double rounded = std::round(1 / step);
  return rounded > 0 && std::abs(1 / step - rounded) < 0.01 * rounded ? rounded : 1 / step;
}

}  // namespace

Character cached_character(const TriMesh& surface, const PointCache& cache, double fps, const std::string& name) {
  Character c;
  Primitive body;
  body.positions = surface.vertices;
  body.triangles = surface.triangles;
  body.normals = surface.normals;
  body.uvs = surface.uvs;
  if (surface.colors.size() == surface.vertices.size())
    for (int axis = 0; axis < 3; ++axis)
      for (const Vec3& color : surface.colors) body.maps[std::string("COLOR_0.") + "rgb"[axis]].push_back(color[axis]);

  Clip clip{.name = name, .channels = {}, .start = 0, .end = (cache.n_samples - 1) / fps, .sources = {}};
  Channel place{.node = 0, .path = ChannelPath::translation, .times = {}, .values = {}, .width = 3};
  Channel turn{.node = 0, .path = ChannelPath::rotation, .times = {}, .values = {}, .width = 4};
  Channel weights{.node = 0, .path = ChannelPath::weights, .times = {}, .values = {}, .width = cache.n_samples};
  const VecX bound = flatten(surface.vertices);
  Quat before = Quat::Identity();
  for (int s = 0; s < cache.n_samples; ++s) {
    const Points now = cache.points(s);
    const RigidMotion motion = fit_rigid_motion(bound, flatten(now));
    Quat q(motion.R);
    if (q.dot(before) < 0) q.coeffs() = -q.coeffs();
    before = q;
    const Mat3 R = q.toRotationMatrix();
    const Vec3 t = motion.to - R * motion.from;
    MorphTarget target{.name = fmt::format("frame {}", s), .positions = {}, .normals = {}};
    for (size_t v = 0; v < now.size(); ++v)
      target.positions.push_back(R.transpose() * (now[v] - t) - surface.vertices[v]);
    body.targets.push_back(std::move(target));
    for (Channel* channel : {&place, &turn, &weights}) channel->times.push_back(s / fps);
    place.values.insert(place.values.end(), {t.x(), t.y(), t.z()});
    turn.values.insert(turn.values.end(), {q.x(), q.y(), q.z(), q.w()});
    for (int k = 0; k < cache.n_samples; ++k) weights.values.push_back(k == s ? 1 : 0);
  }
  clip.channels = {std::move(place), std::move(turn), std::move(weights)};
  c.clips.push_back(std::move(clip));
  CharacterMesh mesh{.name = name, .primitives = {}, .weights = {}};
  mesh.weights.assign(static_cast<size_t>(cache.n_samples), 0);
  mesh.primitives.push_back(std::move(body));
  c.meshes.push_back(std::move(mesh));
  Node node;
  node.name = name;
  node.mesh = 0;
  c.nodes.push_back(node);
  c.shown = {1};
  return c;
}

double rate_of(const SceneConfig& config, const Clip& clip) {
  return config.timeline.fps.value_or(keyed_rate_of(config, clip));
}

double keyed_rate_of(const SceneConfig& config, const Clip& clip) {
  if (config.surface.cache.empty()) return frame_rate(clip);
  return static_cast<double>(clip.channels[0].times.size() - 1) / (clip.end - clip.start);
}

Character read_character_file(const SceneConfig& config) {
  const SurfaceConfig& s = config.surface;
  if (s.cache.empty()) return read_gltf(s.file.path);
  const TriMesh surface = read_obj(s.file.path);
  if (surface.triangles.empty())
    throw InputError({.file = s.file.text}, "the surface has no faces", "export it with its faces");
  const PointCache cache = read_point_cache(s.cache.path);
  if (cache.n_points != surface.n_vertices())
    throw InputError(config.locate("surface.cache"),
                     fmt::format("'{}' moves {} points, '{}' has {} vertices", s.cache.text, cache.n_points,
                                 s.file.text, surface.n_vertices()),
                     "export both from the same mesh, without splitting or merging vertices");
  if (cache.n_samples < 2)
    throw InputError(config.locate("surface.cache"), fmt::format("'{}' has {} samples", s.cache.text, cache.n_samples),
                     "a motion needs two frames at least");
  const double fps = config.timeline.fps.value_or(rate_of_times(cache));
  Character c = cached_character(surface, cache, fps, std::filesystem::path(s.file.path).stem().string());
  c.file = s.file.path;
  return c;
}

}  // namespace supple::pipeline
