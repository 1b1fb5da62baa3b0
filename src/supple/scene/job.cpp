#include "supple/scene/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/index_list.h"
#include "supple/io/motion_csv.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

void note_input(Job& job, const FilePath& file) { job.inputs.emplace_back(file.text, hash_file(file.path)); }

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

// One factor a tet: a map of the tet file by name, or a file with one value a line. Empty: all 1.
std::vector<double> tet_factors(Job& job, const TetMesh& mesh, const FilePath& map, const std::string& key) {
  if (map.empty()) return std::vector<double>(mesh.tets.size(), 1.0);
  std::vector<double> values;
  if (auto it = mesh.tet_maps.find(map.text); it != mesh.tet_maps.end()) {
    values = it->second;
  } else if (auto at = mesh.vertex_maps.find(map.text); at != mesh.vertex_maps.end()) {
    for (const Tet& t : mesh.tets)
      values.push_back((at->second[t[0]] + at->second[t[1]] + at->second[t[2]] + at->second[t[3]]) / 4);
  } else {
    note_input(job, map);
    values = read_scalar_list(map.path);
  }
  if (values.size() != mesh.tets.size())
    throw InputError(job.config.locate(key),
                     fmt::format("'{}' has {} values, the mesh has {} tets", map.text, values.size(), mesh.tets.size()),
                     "give one value a tet");
  for (size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0) || !std::isfinite(values[i]))
      throw InputError(job.config.locate(key),
                       fmt::format("'{}': value {} of tet {} is not positive", map.text, values[i], i),
                       "factors must be finite and above 0");
  return values;
}

std::vector<MaterialParameters> material_of_tets(Job& job, const TetMesh& mesh) {
  const SceneConfig& c = job.config;
  const MaterialConfig& m = c.material;
  if (m.volume_penalty > 0 && m.model != "stvk")
    throw InputError(c.locate("material.volume_penalty"), "volume_penalty has no effect on " + m.model,
                     "it belongs to model = \"stvk\"");
  MaterialParameters base{.youngs_modulus = m.youngs_modulus,
                          .poisson_ratio = m.poisson_ratio,
                          .density = m.density,
                          .volume_penalty = m.volume_penalty,
                          .stiffness_damping = job.stiffness_damping};
  std::vector<MaterialParameters> out(mesh.tets.size(), base);
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
    const auto it = std::find(mesh.region_names.begin(), mesh.region_names.end(), region.name);
    if (it == mesh.region_names.end()) {
      const auto& names = mesh.region_names;
      const std::string near = nearest_word(region.name, names.data(), names.data() + names.size());
      throw InputError(c.locate(fmt::format("region.{}.name", r)), "the tet mesh has no region '" + region.name + "'",
                       near.empty() ? "its regions are listed by: supple check " + c.tets.file.text
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
    }
  }
  const auto stiff = tet_factors(job, mesh, m.youngs_modulus_map, "material.youngs_modulus_map");
  const auto dense = tet_factors(job, mesh, m.density_map, "material.density_map");
  const auto damp = tet_factors(job, mesh, m.stiffness_damping_map, "material.stiffness_damping_map");
  for (size_t t = 0; t < out.size(); ++t) {
    out[t].youngs_modulus *= stiff[t];
    out[t].density *= dense[t];
    out[t].stiffness_damping *= damp[t];
  }
  return out;
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

// The motion of the attached points, and how many frames it has.
std::shared_ptr<const Track> load_motion(Job& job, const Points& rest, int& frames) {
  const AttachConfig& a = job.config.attach;
  const TimelineConfig& time = job.config.timeline;
  frames = time.frames.value_or(49);
  const FilePath& file = a.track.empty() ? a.rigid : a.track;
  if (file.empty()) return nullptr;
  note_input(job, file);
  const TrackStart start = time.start == "moving" ? TrackStart::moving : TrackStart::rest;
  if (!a.track.empty()) {
    const PointCache cache = read_point_cache(file.path);
    if (cache.n_points != static_cast<int>(rest.size()))
      throw InputError(job.config.locate("attach.track"),
                       fmt::format("'{}' has {} points, {} are attached", file.text, cache.n_points, rest.size()),
                       "the track needs one point for each attached vertex, in the same order");
    std::vector<VecX> samples;
    for (int s = 0; s < cache.n_samples; ++s) {
      VecX x(3 * cache.n_points);
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = cache.sample(s)[i];
      samples.push_back(std::move(x));
    }
    if (!time.frames) frames = cache.n_samples;
    return make_sampled_track(std::move(samples), 1 / job.fps, start);
  }
  auto track = make_rigid_track(read_motion_csv(file.path), rest, start);
  if (!time.frames) frames = static_cast<int>(std::floor(track->duration() * job.fps + 1e-6)) + 1;
  return track;
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

// A track, and points that go rigidly with its points.
class WithFollowers : public Track {
 public:
  WithFollowers(std::shared_ptr<const Track> base, const Points& rest, Points followers)
      : base_(std::move(base)), rest_(flatten(rest)), followers_(std::move(followers)) {}
  int n_points() const override { return base_->n_points() + static_cast<int>(followers_.size()); }
  double duration() const override { return base_->duration(); }
  std::vector<double> cuts() const override { return base_->cuts(); }
  VecX at(double t, int derivative) const override {
    const VecX x = base_->at(t, derivative);
    VecX f;
    const double e = 1e-4;  // [s] of the differences
    if (derivative == 0) f = follow(t);
    if (derivative == 1) f = (follow(t + e) - follow(t - e)) / (2 * e);
    if (derivative == 2) f = (follow(t + e) - 2 * follow(t) + follow(t - e)) / (e * e);
    VecX both(x.size() + f.size());
    both << x, f;
    return both;
  }

 private:
  VecX follow(double t) const {
    const RigidMotion motion = fit_rigid_motion(rest_, base_->at(t));
    VecX f(3 * static_cast<Eigen::Index>(followers_.size()));
    for (size_t i = 0; i < followers_.size(); ++i)
      f.segment<3>(3 * static_cast<Eigen::Index>(i)) = motion(followers_[i]);
    return f;
  }
  std::shared_ptr<const Track> base_;
  VecX rest_;
  Points followers_;
};

void load_surface(Job& job) {
  const TetMesh& mesh = job.model->mesh();
  if (job.config.surface.file.empty()) {
    std::vector<int> source;
    job.surface.mesh = boundary_surface(mesh, &source);
    // Each surface vertex is a tet vertex: the corner of any tet around it.
    std::vector<std::pair<int, int>> corner(mesh.vertices.size());
    for (int t = 0; t < mesh.n_tets(); ++t)
      for (int c = 0; c < 4; ++c) corner[mesh.tets[t][c]] = {t, c};
    for (int v : source) {
      job.surface.embedding.tet.push_back(corner[v].first);
      job.surface.embedding.weights.push_back(Eigen::Vector4d::Unit(corner[v].second));
    }
    return;
  }
  note_input(job, job.config.surface.file);
  job.surface.mesh = read_obj(job.config.surface.file.path);
  for (Vec3& x : job.surface.mesh.vertices) x *= job.config.surface.scale;
  if (job.surface.mesh.triangles.empty())
    throw InputError({.file = job.config.surface.file.text}, "the surface has no faces");
  job.surface.embedding = embed(mesh, job.surface.mesh.vertices);
  if (job.surface.embedding.n_outside > 0)
    job.warnings.push_back(fmt::format("{}: {} of {} vertices lie outside the tets, by up to {:.3g} m",
                                       job.config.surface.file.text, job.surface.embedding.n_outside,
                                       job.surface.mesh.n_vertices(), job.surface.embedding.max_distance));
}

ElementDamping damping_kind(const std::string& word) {
  return word == "full" ? ElementDamping::full : word == "rest" ? ElementDamping::rest : ElementDamping::viscous;
}

}  // namespace

StepperOptions Job::stepper_options() const {
  return {.integrator = integrator_from_name(config.solver.integrator),
          .stage_fraction = config.expert.stage_fraction,
          .tolerance = config.solver.tolerance,
          .max_newton = config.solver.max_newton,
          .linear_solver = config.solver.linear};
}

Job build_job(const SceneConfig& config, bool with_motion) {
  Job job;
  job.config = config;
  job.fps = config.timeline.fps;
  if (!config.file.empty()) note_input(job, {config.file, config.file});

  ModelSpec spec;
  spec.mesh = load_tets(job);
  spec.material = material_from_name(config.material.model);
  spec.mass = config.solver.mass == "consistent" ? MassKind::consistent : MassKind::lumped;
  spec.damping = damping_kind(config.expert.damping_tangent);
  spec.mass_damping = config.material.mass_damping.value_or(0);
  spec.anti_locking = config.material.anti_locking;
  spec.gravity = gravity_of(config.world);
  Points rest;
  attach(job, spec, rest);
  const std::vector<int> followers = hold_loose_parts(job, spec);

  // The damping that gives the half-life depends on the frequency, so the undamped body is analysed first.
  const std::optional<double> wanted = half_life_of(config.material);
  job.stiffness_damping = config.material.stiffness_damping.value_or(0);
  spec.per_tet = material_of_tets(job, spec.mesh);
  job.model = std::make_unique<Model>(spec);
  for (int v : job.model->loose_parts())
    job.warnings.push_back(fmt::format("{} has nothing that holds it and will fall", job.model->part_of(v)));
  const Modes modes = natural_modes(*job.model, job.model->loose_parts().empty() ? 1 : 8, config.solver.linear);
  if (modes.ok) {
    // Past the rigid motions of loose parts.
    for (double f : modes.frequencies_hz)
      if (job.frequency_hz <= 0 && f > 1e-3 * modes.frequencies_hz[modes.frequencies_hz.size() - 1])
        job.frequency_hz = f;
  } else {
    job.warnings.push_back("no natural frequency: " + modes.message);
  }
  if (wanted && job.frequency_hz > 0) {
    job.stiffness_damping = stiffness_damping_for(*wanted, job.frequency_hz, spec.mass_damping);
    if (job.stiffness_damping == 0)
      job.warnings.push_back("mass damping alone is stronger than the half-life asked for");
    const size_t n_warnings = job.warnings.size(), n_inputs = job.inputs.size();
    spec.per_tet = material_of_tets(job, spec.mesh);
    job.warnings.resize(n_warnings), job.inputs.resize(n_inputs);
    job.model = std::make_unique<Model>(spec);
  }

  int frames = 1;
  std::shared_ptr<const Track> motion;
  if (with_motion) motion = load_motion(job, rest, frames);
  if (motion && !followers.empty()) {
    Points at_rest;
    for (int v : followers) at_rest.push_back(spec.mesh.vertices[v]);
    motion = std::make_shared<WithFollowers>(motion, rest, at_rest);
  }
  job.drive = rest_drive(*job.model);
  if (motion)
    (!spec.springs.empty() ? job.drive.springs : !spec.ties.empty() ? job.drive.ties : job.drive.vertices) = motion;
  job.first_frame = config.timeline.range ? (*config.timeline.range)[0] : 0;
  job.last_frame = config.timeline.range ? (*config.timeline.range)[1] : frames - 1;
  if (with_motion && job.last_frame > frames - 1)
    throw InputError(config.locate("timeline.range"),
                     fmt::format("frame {} is past the last frame {}", job.last_frame, frames - 1),
                     "shorten the range, or set timeline.frames to hold the end");

  job.substeps = config.timeline.substeps.value_or(
      std::clamp(static_cast<int>(std::ceil(kStepsPerPeriod * job.frequency_hz / job.fps - 1e-9)), 1, 50));
  load_surface(job);
  return job;
}

Points surface_points(const Job& job, const VecX& u) {
  return embedded_points(job.surface.embedding, job.model->mesh().tets, flatten(job.model->mesh().vertices) + u);
}

}  // namespace supple
