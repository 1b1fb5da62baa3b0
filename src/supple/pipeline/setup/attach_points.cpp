#include "supple/pipeline/setup/attach_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/anim/track.h"
#include "supple/base/error.h"
#include "supple/io/index_list.h"
#include "supple/io/motion_csv.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/mesh/winding_number.h"

namespace supple::pipeline {

namespace {

std::vector<int> listed_vertices(const SceneConfig& config, const TetMesh& cage) {
  const VertexList& list = config.attach.vertices;
  if (!list.file.empty()) return read_index_list(list.file.path, cage.n_vertices());
  std::set<int> seen;
  for (const int v : list.indices) {
    if (v < 0 || v >= cage.n_vertices())
      throw InputError(config.locate("attach.vertices"),
                       fmt::format("there is no tet vertex {}: the character has {}", v, cage.n_vertices()),
                       "they are counted from 0, as tets.msh of a take has them; other [tets] have other numbers");
    if (!seen.insert(v).second)
      throw InputError(config.locate("attach.vertices"), fmt::format("vertex {} is listed twice", v),
                       "list every vertex once, in the order of the track");
  }
  return list.indices;
}

// Every edge between two triangles.
bool is_closed(const TriMesh& mesh) {
  std::map<std::pair<int, int>, int> uses;
  for (const Tri& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) ++uses[std::minmax(t[k], t[(k + 1) % 3])];
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [](const auto& u) { return u.second == 2; });
}

std::vector<int> inside_of(const TriMesh& proxy, const TetMesh& cage) {
  const WindingNumber winding(proxy.vertices, proxy.triangles);
  std::vector<int> inside;
  // Whichever way round its faces are.
  for (int v = 0; v < cage.n_vertices(); ++v)
    if (std::abs(winding(cage.vertices[v])) > 0.5) inside.push_back(v);
  return inside;
}

PointTie tie_to_vertex(const TetMesh& cage, int v) {
  for (const Tet& t : cage.tets) {
    PointTie tie{t, Eigen::Vector4d::Zero()};
    for (int c = 0; c < 4; ++c)
      if (t[c] == v) tie.weights[c] = 1;
    if (tie.weights.sum() > 0) return tie;
  }
  return {{v, v, v, v}, Eigen::Vector4d::Unit(0)};
}

}  // namespace

AttachedPoints find_attached(const SceneConfig& config, const TetMesh& cage, double scale,
                             std::vector<std::string>& warnings) {
  const AttachConfig& a = config.attach;
  AttachedPoints out;
  out.moved = !a.track.empty() || !a.rigid.empty();
  if (!a.vertices.empty()) {
    out.vertices = listed_vertices(config, cage);
    for (const int v : out.vertices) out.bound.push_back(cage.vertices[v]);
    if (a.stiffness) {
      for (const int v : out.vertices) out.points.push_back(tie_to_vertex(cage, v));
      out.vertices.clear();
    }
  }
  if (a.points.empty()) return out;

  TriMesh proxy = read_obj(a.points.path);
  for (Vec3& x : proxy.vertices) x *= scale;
  const Embedding e = embed(cage, proxy.vertices);
  const auto n = static_cast<int>(proxy.vertices.size());
  if (e.n_outside == n)
    throw InputError(config.locate("attach.points"),
                     fmt::format("'{}' has nothing inside the character: its points are up to {:.3g} m away",
                                 a.points.text, e.max_distance),
                     "it must be in the units of the character's file, and where the character is bound");
  if (out.moved || a.stiffness) {
    if (e.n_outside > 0)
      warnings.push_back(fmt::format("{}: {} of {} points lie outside the tets, by up to {:.3g} m", a.points.text,
                                     e.n_outside, n, e.max_distance));
    for (size_t i = 0; i < proxy.vertices.size(); ++i) out.points.push_back({cage.tets[e.tet[i]], e.weights[i]});
    out.bound = proxy.vertices;
    return out;
  }
  if (proxy.triangles.empty()) {
    std::set<int> around;
    for (const int t : e.tet) around.insert(cage.tets[t].begin(), cage.tets[t].end());
    out.vertices.assign(around.begin(), around.end());
  } else if (is_closed(proxy)) {
    out.vertices = inside_of(proxy, cage);
  } else {
    throw InputError(config.locate("attach.points"), fmt::format("'{}' is open: it has no inside", a.points.text),
                     "close its holes, or leave out its faces: then what is around its points follows");
  }
  if (out.vertices.empty())
    throw InputError(config.locate("attach.points"), fmt::format("no tet vertex lies inside '{}'", a.points.text),
                     "make it larger, or the tets finer (tets.preset, tets.count)");
  for (const int v : out.vertices) out.bound.push_back(cage.vertices[v]);
  return out;
}

void put_attached(const SceneConfig& config, const AttachedPoints& attached, FleshOptions& options) {
  (attached.moved ? options.tracked : options.held) = attached.vertices;
  std::set<int> tied;
  for (const PointTie& p : attached.points)
    for (int c = 0; c < 4; ++c)
      if (p.weights[c] != 0) tied.insert(p.vertices[c]);
  options.tied.assign(tied.begin(), tied.end());
  // Who says what follows has said all of it, unless bones or paint say more.
  options.by_hand = !attached.bound.empty() && config.attach.joints.empty() && config.attach.soft.empty();
}

std::vector<VecX> attached_samples(const SceneConfig& config, const AttachedPoints& attached, double scale, double fps,
                                   int n_frames) {
  std::vector<VecX> samples;
  if (!attached.moved) return samples;
  const AttachConfig& a = config.attach;
  if (!a.track.empty()) {
    const PointCache cache = read_point_cache(a.track.path);
    if (cache.n_points != static_cast<int>(attached.bound.size()))
      throw InputError(
          config.locate("attach.track"),
          fmt::format("'{}' moves {} points, {} are attached", a.track.text, cache.n_points, attached.bound.size()),
          "the track needs one point for each attached vertex or point, in the same order");
    if (cache.n_samples < n_frames)
      throw InputError(config.locate("attach.track"),
                       fmt::format("'{}' has {} samples, the clip {} frames at {:g} a second", a.track.text,
                                   cache.n_samples, n_frames, fps),
                       "write one sample for each frame of the clip, or simulate part of it and set timeline.range");
    for (int s = 0; s < n_frames; ++s) samples.push_back(scale * flatten(cache.points(s)));
    return samples;
  }
  std::vector<RigidKey> keys = read_motion_csv(a.rigid.path);
  Points in_file;
  for (const Vec3& x : attached.bound) in_file.push_back(x / scale);
  const auto track = make_rigid_track(std::move(keys), in_file);
  for (int s = 0; s < n_frames; ++s) samples.push_back(scale * track->at(s / fps));
  return samples;
}

VecX attached_towards(const AttachedPoints& attached, const VecX& goal, double share) {
  const VecX bound = flatten(attached.bound);
  const RigidMotion whole = fit_rigid_motion(bound, goal);
  const Eigen::AngleAxisd turn{whole.R};
  RigidMotion part = whole;
  part.R = Eigen::AngleAxisd(share * turn.angle(), turn.axis()).toRotationMatrix();
  part.to = (1 - share) * whole.from + share * whole.to;
  VecX x(goal.size());
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const Vec3 from = bound.segment<3>(i);
    const Vec3 rest = whole.R.transpose() * (goal.segment<3>(i) - whole(from));
    x.segment<3>(i) = part(from) + part.R * (share * rest);
  }
  return x;
}

}  // namespace supple::pipeline
