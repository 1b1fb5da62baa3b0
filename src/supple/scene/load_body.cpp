#include "supple/scene/load_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "supple/base/error.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/scene/job.h"
#include "supple/scene/load_maps.h"

namespace supple {

namespace {

TetMesh load_tets(Job& job) {
  const TetsConfig& c = job.config.tets;
  note_input(job, c.file);
  std::vector<std::string> notes;
  TetMesh mesh = read_tet_mesh(c.file.path, &notes);
  job.warnings.insert(job.warnings.end(), notes.begin(), notes.end());
  for (Vec3& x : mesh.vertices) x *= c.scale;
  if (c.repair) {
    const RepairReport r = repair(mesh);
    if (r.flipped + r.removed_tets > 0)
      job.warnings.push_back(fmt::format("{}: repaired: {} tets turned round, {} removed, {} vertices removed",
                                         c.file.text, r.flipped, r.removed_tets, r.removed_vertices));
    if (r.removed_vertices > 0 && !job.config.attach.vertices.empty())
      throw InputError(job.config.locate("tets.repair"),
                       "the repair removed vertices, so attach.vertices no longer fits",
                       "convert the mesh with the repair first and choose the vertices in the result");
  }
  require_simulable(mesh, c.file.text);
  return mesh;
}

// Vertices, ties and springs of [attach]; rest: where those points are before anything moves.
void attach(Job& job, ModelSpec& spec, Points& rest) {
  const AttachConfig& a = job.config.attach;
  const TetMesh& mesh = spec.mesh;
  std::vector<int> vertices = a.vertices.indices;
  if (!a.vertices.file.empty()) {
    note_input(job, a.vertices.file);
    vertices = read_index_list(a.vertices.file.path, mesh.n_vertices());
  }
  std::set<int> seen;
  for (int v : vertices) {
    if (v < 0 || v >= mesh.n_vertices())
      throw InputError(job.config.locate("attach.vertices"),
                       fmt::format("vertex {} does not exist: the mesh has {} vertices", v, mesh.n_vertices()),
                       "vertices are counted from 0");
    if (!seen.insert(v).second)
      throw InputError(job.config.locate("attach.vertices"), fmt::format("vertex {} is listed twice", v),
                       "list every vertex once, in the order of the track");
  }
  if (!a.points.empty()) {
    note_input(job, a.points);
    const Points cloud = read_obj(a.points.path).vertices;
    const Embedding e = embed(mesh, cloud);
    if (e.n_outside > 0)
      job.warnings.push_back(fmt::format("{}: {} of {} points lie outside the tets, by up to {:.3g} m", a.points.text,
                                         e.n_outside, cloud.size(), e.max_distance));
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
        throw InputError(job.config.locate("attach.vertices"), fmt::format("vertex {} belongs to no tet", v),
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
std::vector<int> hold_loose_parts(Job& job, ModelSpec& spec) {
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
    job.warnings.push_back(
        fmt::format("a part of {} vertices (around vertex {}) had nothing that holds it: {} of them "
                    "follow the driven vertices rigidly",
                    part.size(), part[0], count));
  }
  spec.driven.insert(spec.driven.end(), added.begin(), added.end());
  return added;
}

ElementDamping damping_kind(const std::string& word) {
  return word == "full" ? ElementDamping::full : word == "rest" ? ElementDamping::rest : ElementDamping::viscous;
}

}  // namespace

void set_materials(Job& job, Body& body) {
  const TetMesh& mesh = body.spec.mesh;
  const SceneConfig& c = job.config;
  const MaterialConfig& m = c.material;
  if (m.volume_penalty > 0 && m.model != "stvk")
    throw InputError(c.locate("material.volume_penalty"), "volume_penalty has no effect on " + m.model,
                     "it belongs to model = \"stvk\"");
  MaterialParameters base{.youngs_modulus = m.youngs_modulus.value_or(2e4),
                          .poisson_ratio = m.poisson_ratio,
                          .density = m.density,
                          .volume_penalty = m.volume_penalty,
                          .stiffness_damping = m.stiffness_damping.value_or(0)};
  std::vector<MaterialParameters>& out = body.spec.per_tet;
  out.assign(mesh.tets.size(), base);
  body.damping_given.assign(mesh.tets.size(), !half_life_of(m).has_value());
  // A tet file with materials of its own (.veg) speaks where the scene does not.
  auto from_file = [&](const char* name, double MaterialParameters::*field) {
    const auto it = mesh.tet_maps.find(name);
    if (it == mesh.tet_maps.end() || c.is_set(std::string("material.") + name)) return;
    for (size_t t = 0; t < out.size(); ++t) out[t].*field = it->second[t];
    job.warnings.push_back(fmt::format("{} comes from {}", name, c.tets.file.text));
  };
  from_file("youngs_modulus", &MaterialParameters::youngs_modulus);
  from_file("poisson_ratio", &MaterialParameters::poisson_ratio);
  from_file("density", &MaterialParameters::density);

  for (size_t r = 0; r < c.regions.size(); ++r) {
    const RegionConfig& region = c.regions[r];
    for (const std::string& name : names_of(region)) {
      const auto it = std::find(mesh.region_names.begin(), mesh.region_names.end(), name);
      if (it == mesh.region_names.end()) {
        const auto& names = mesh.region_names;
        const std::string near = nearest_word(name, names.data(), names.data() + names.size());
        throw InputError(c.locate(fmt::format("region.{}.name", r)), "there is no region '" + name + "'",
                         near.empty() ? fmt::format("the regions are: {}", fmt::join(mesh.region_names, ", "))
                                      : "did you mean '" + near + "'?");
      }
      const int index = static_cast<int>(it - mesh.region_names.begin());
      for (size_t t = 0; t < out.size(); ++t) {
        if (mesh.tet_region[t] != index) continue;
        out[t].youngs_modulus = region.youngs_modulus.value_or(out[t].youngs_modulus);
        out[t].poisson_ratio = region.poisson_ratio.value_or(out[t].poisson_ratio);
        out[t].density = region.density.value_or(out[t].density);
        out[t].volume_penalty = region.volume_penalty.value_or(out[t].volume_penalty);
        out[t].stiffness_damping = region.stiffness_damping.value_or(out[t].stiffness_damping);
        if (region.stiffness_damping) body.damping_given[t] = 1;
      }
    }
  }
  const auto stiff = tet_factors(job, mesh, m.youngs_modulus_map, "material.youngs_modulus_map");
  const auto dense = tet_factors(job, mesh, m.density_map, "material.density_map");
  body.damping_map = tet_factors(job, mesh, m.stiffness_damping_map, "material.stiffness_damping_map");
  for (size_t t = 0; t < out.size(); ++t) {
    out[t].youngs_modulus *= stiff[t];
    out[t].density *= dense[t];
    out[t].stiffness_damping *= body.damping_map[t];
  }
}

void set_model_options(const SceneConfig& config, ModelSpec& spec) {
  spec.material = material_from_name(config.material.model);
  spec.mass = config.solver.mass == "consistent" ? MassKind::consistent : MassKind::lumped;
  spec.damping = damping_kind(config.expert.damping_tangent);
  spec.mass_damping = config.material.mass_damping.value_or(0);
  spec.anti_locking = config.material.anti_locking;
  spec.gravity = gravity_of(config.world);
}

Body load_body(Job& job) {
  const SceneConfig& config = job.config;
  Body body;
  ModelSpec& spec = body.spec;
  spec.mesh = load_tets(job);
  set_model_options(config, spec);
  attach(job, spec, body.attached);
  body.followers = hold_loose_parts(job, spec);
  set_materials(job, body);
  return body;
}

}  // namespace supple
