#include "supple/pipeline/setup/tet_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "supple/base/error.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/mesh/solid_surface.h"
#include "supple/pipeline/setup/attached_motion.h"
#include "supple/sim/static_solver.h"

namespace supple::pipeline {

namespace {

TetMesh load_tets(const SceneConfig& config, Notes& out) {
  const TetsConfig& c = config.tets;
  out.input(c.file);
  std::vector<std::string> notes;
  TetMesh mesh = read_tet_mesh(c.file.path, &notes);
  out.warn(notes);
  for (Vec3& x : mesh.vertices) x *= c.scale;
  if (c.repair) {
    const RepairReport r = repair(mesh);
    if (r.flipped + r.removed_tets > 0)
      out.warn(fmt::format("{}: repaired: {} tets turned round, {} removed, {} vertices removed", c.file.text,
                           r.flipped, r.removed_tets, r.removed_vertices));
    if (r.removed_vertices > 0 && !config.attach.vertices.empty())
      throw InputError(config.locate("tets.repair"), "the repair removed vertices, so attach.vertices no longer fits",
                       "convert the mesh with the repair first and choose the vertices in the result");
  }
  require_simulable(mesh, c.file.text);
  return mesh;
}

// Vertices, ties and springs of [attach]; rest: where those points are before anything moves.
void attach(const SceneConfig& config, ModelSpec& spec, Points& rest, Notes& notes) {
  const AttachConfig& a = config.attach;
  const TetMesh& mesh = spec.mesh;
  std::vector<int> vertices = a.vertices.indices;
  if (!a.vertices.file.empty()) {
    notes.input(a.vertices.file);
    vertices = read_index_list(a.vertices.file.path, mesh.n_vertices());
  }
  std::set<int> seen;
  for (int v : vertices) {
    if (v < 0 || v >= mesh.n_vertices())
      throw InputError(config.locate("attach.vertices"),
                       fmt::format("vertex {} does not exist: the mesh has {} vertices", v, mesh.n_vertices()),
                       "vertices are counted from 0");
    if (!seen.insert(v).second)
      throw InputError(config.locate("attach.vertices"), fmt::format("vertex {} is listed twice", v),
                       "list every vertex once, in the order of the track");
  }
  if (!a.points.empty()) {
    notes.input(a.points);
    const Points cloud = read_obj(a.points.path).vertices;
    const Embedding e = embed(mesh, cloud);
    if (e.n_outside > 0)
      notes.warn(fmt::format("{}: {} of {} points lie outside the tets, by up to {:.3g} m", a.points.text, e.n_outside,
                             cloud.size(), e.max_distance));
    for (size_t i = 0; i < cloud.size(); ++i) {
      const PointTie tie{mesh.tets[e.tet[i]], e.weights[i]};
      (a.stiffness ? spec.springs : spec.ties).push_back(tie);
    }
    rest = cloud;
  } else if (a.stiffness) {
    // A spring on a vertex: all the weight of a tie on it.
    std::vector<int> tet_of(mesh.vertices.size(), -1);
    for (int t = 0; t < mesh.n_tets(); ++t)
      for (int v : mesh.tets[t]) tet_of[v] = t;
    for (int v : vertices) {
      if (tet_of[v] < 0)
        throw InputError(config.locate("attach.vertices"), fmt::format("vertex {} belongs to no tet", v),
                         "leave it out");
      PointTie tie{mesh.tets[tet_of[v]], Eigen::Vector4d::Zero()};
      for (int c = 0; c < 4; ++c)
        if (tie.vertices[c] == v) tie.weights[c] = 1;
      spec.springs.push_back(tie);
    }
  }
  if (a.points.empty())
    for (int v : vertices) rest.push_back(mesh.vertices[v]);
  if (a.stiffness) {
    spec.spring_stiffness = *a.stiffness;
  } else if (a.points.empty()) {
    spec.driven = vertices;
  }
}

// A connected part that nothing holds would fall out of the character: those of its vertices that are nearest to the
// driven ones go rigidly with them. Returns the vertices so added to spec.driven.
std::vector<int> hold_loose_parts(ModelSpec& spec, Notes& notes) {
  std::vector<int> added, component;
  if (spec.driven.empty()) return added;
  const Points& x = spec.mesh.vertices;
  const int n_parts = connected_components(spec.mesh, component);
  std::vector<std::vector<int>> members(static_cast<size_t>(n_parts));
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (component[v] >= 0) members[component[v]].push_back(v);
  for (int v : spec.driven)
    if (component[v] >= 0) members[component[v]].clear();
  for (const auto& part : members) {
    if (part.empty()) continue;
    std::vector<std::pair<double, int>> by_distance;
    for (int v : part) {
      double nearest = std::numeric_limits<double>::infinity();
      for (int d : spec.driven) nearest = std::min(nearest, (x[v] - x[d]).squaredNorm());
      by_distance.emplace_back(nearest, v);
    }
    std::sort(by_distance.begin(), by_distance.end());
    const size_t count = std::min(part.size(), std::max<size_t>(4, part.size() / 10));
    for (size_t i = 0; i < count; ++i) added.push_back(by_distance[i].second);
    notes.warn(
        fmt::format("a part of {} vertices (around vertex {}) had nothing that holds it: {} of them "
                    "follow the driven vertices rigidly",
                    part.size(), part[0], count));
  }
  spec.driven.insert(spec.driven.end(), added.begin(), added.end());
  return added;
}

}  // namespace

Body TetSubject::body(const SceneConfig& config, Notes& notes) const {
  Body body;
  ModelSpec& spec = body.spec;
  spec.mesh = load_tets(config, notes);
  set_model_options(config, spec);
  attach(config, spec, body.attached, notes);
  body.followers = hold_loose_parts(spec, notes);
  set_materials(config, body, notes);
  if (config.material.anti_locking == "matched") {
    body.matched = match_tet_shares(spec, config.solver.linear);
    for (const MatchedShare& m : body.matched)
      if (!m.trouble.empty()) notes.warn("anti-locking: " + m.trouble);
  }
  return body;
}

ShotMotion TetSubject::motion(const ShotInput& in, Notes& notes) const {
  ShotMotion out;
  const Model& model = *in.adjusted.model;
  StartPlanner planner(in.config, fps_, model.spec(), in.around, notes);
  const std::shared_ptr<const Track> motion = attached_motion(in, planner, out.frames, notes);
  out.start = planner.plan();
  out.drive = rest_drive(model);
  const ModelSpec& spec = in.body.spec;
  if (motion)
    (!spec.springs.empty() ? out.drive.springs : !spec.ties.empty() ? out.drive.ties : out.drive.vertices) = motion;
  return out;
}

DrawnSurface TetSubject::surface(const SceneConfig& config, const TetMesh& tets, Notes& notes) const {
  DrawnSurface out;
  const FilePath& file = config.surface.file;
  if (file.empty()) {
    out.mesh = boundary_surface(tets, out.embedding);
    return out;
  }
  notes.input(file);
  out.mesh = read_obj(file.path);
  for (Vec3& x : out.mesh.vertices) x *= config.surface.scale.value_or(1);
  if (out.mesh.triangles.empty()) throw InputError({.file = file.text}, "the surface has no faces");
  out.embedding = embed(tets, out.mesh.vertices);
  if (out.embedding.n_outside > 0)
    notes.warn(fmt::format("{}: {} of {} vertices lie outside the tets, by up to {:.3g} m", file.text,
                           out.embedding.n_outside, out.mesh.n_vertices(), out.embedding.max_distance));
  return out;
}

std::unique_ptr<Drawing> TetSubject::drawing(const SceneConfig&, const ModelSpec&, const Model& model,
                                             const DrawnSurface& surface, int) const {
  return std::make_unique<EmbeddedDrawing>(model, surface);
}

}  // namespace supple::pipeline
