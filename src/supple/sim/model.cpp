#include "supple/sim/model.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"

namespace supple {

void scale_springs(ModelSpec& spec, double factor) {
  spec.spring_stiffness *= factor;
  for (double& k : spec.spring_strengths) k *= factor;
}

void scale_stiffness(ModelSpec& spec, const std::vector<double>& chi, double whole) {
  for (size_t t = 0; t < spec.per_tet.size(); ++t) spec.per_tet[t].youngs_modulus *= chi[t] * chi[t];
  const bool same = std::all_of(chi.begin(), chi.end(), [&](double c) { return c == whole; });
  if (same || spec.spring_strengths.empty()) return scale_springs(spec, whole * whole);
  const std::vector<double> volume = tet_volumes(spec.mesh);
  std::vector<double> sum(spec.mesh.vertices.size(), 0), around(spec.mesh.vertices.size(), 0);
  for (size_t t = 0; t < chi.size(); ++t)
    for (int v : spec.mesh.tets[t]) sum[v] += volume[t] * chi[t] * chi[t], around[v] += volume[t];
  spec.spring_stiffness *= whole * whole;
  for (size_t i = 0; i < spec.springs.size(); ++i) {
    double factor = 0;
    for (int c = 0; c < 4; ++c) {
      const int v = spec.springs[i].vertices[c];
      if (around[v] != 0) factor += spec.springs[i].weights[c] * sum[v] / around[v];
    }
    spec.spring_strengths[i] *= factor;
  }
}

ModelSpec without_bystanders(const ModelSpec& whole) {
  ModelSpec spec = whole;
  spec.contact = {};
  spec.n_bystanders = 0;
  if (whole.n_bystanders == 0) return spec;
  const auto n = whole.mesh.vertices.size() - static_cast<size_t>(whole.n_bystanders);
  auto own = [&](const Tet& t) { return t[0] < static_cast<int>(n); };
  const auto n_tets = static_cast<size_t>(std::count_if(spec.mesh.tets.begin(), spec.mesh.tets.end(), own));
  spec.mesh.vertices.resize(n);
  spec.mesh.tets.resize(n_tets);
  spec.per_tet.resize(n_tets);
  if (!spec.mesh.tet_region.empty()) spec.mesh.tet_region.resize(n_tets);
  for (auto& [name, map] : spec.mesh.vertex_maps) map.resize(std::min(map.size(), n));
  for (auto& [name, map] : spec.mesh.tet_maps) map.resize(std::min(map.size(), n_tets));
  if (spec.gravity_scale.size() > 0) spec.gravity_scale.conservativeResize(static_cast<Eigen::Index>(n));
  std::erase_if(spec.point_masses, [&](const auto& m) { return m.first >= static_cast<int>(n); });
  return spec;
}

namespace {

std::vector<char> driven_vertices(const ModelSpec& spec) {
  std::vector<char> driven(spec.mesh.vertices.size(), 0);
  for (int v : spec.driven)
    if (v >= 0 && v < spec.mesh.n_vertices()) driven[v] = 1;  // Constraints refuse others
  return driven;
}

template <class Corners>
bool all_driven(const std::vector<char>& driven, const Corners& v) {
  return driven[v[0]] && driven[v[1]] && driven[v[2]] && driven[v[3]];
}

}  // namespace

std::shared_ptr<const Elements> make_elements(const ModelSpec& spec) {
  std::vector<char> left_out;
  if (spec.trimmed && !spec.anti_locking) {
    const std::vector<char> driven = driven_vertices(spec);
    for (const Tet& t : spec.mesh.tets) left_out.push_back(all_driven(driven, t));
  }
  return std::make_shared<const Elements>(spec.mesh, spec.material, spec.per_tet, spec.anti_locking, left_out);
}

Model::Model(ModelSpec spec) : spec_(std::move(spec)) {
  const TetMesh& mesh = spec_.mesh;
  if (!spec_.spring_strengths.empty() && spec_.spring_strengths.size() != spec_.springs.size())
    throw InputError({},
                     fmt::format("{} springs have {} strengths", spec_.springs.size(), spec_.spring_strengths.size()),
                     "give one a spring, or none");
  make_springs();  // for what it rejects
  std::vector<double> density;
  for (const MaterialParameters& p : spec_.per_tet) {
    density.push_back(p.density);
    damped_ = damped_ || p.stiffness_damping > 0;
  }
  elements_ = make_elements(spec_);
  auto mass = std::make_shared<Mass>(mesh, density, spec_.mass);
  for (auto [vertex, m] : spec_.point_masses) mass->add_point(vertex, m);
  mass_ = mass;
  constraints_ = std::make_unique<Constraints>(mesh.n_vertices(), mesh.vertices, spec_.driven, spec_.ties);
  gravity_ = gravity_load(*mass_, spec_.gravity);
  for (Eigen::Index v = 0; v < spec_.gravity_scale.size(); ++v) gravity_.segment<3>(3 * v) *= spec_.gravity_scale[v];
  size_ = longest_side(mesh.vertices);
  if (const size_t n = elements_->list().size(); n > 0)
    mean_edge_ = std::cbrt(8.4853 * elements_->rest_volume() / static_cast<double>(n));  // 6 sqrt 2 volume
  stiffness_scale_ = make_elastic()->rest_stiffness_scale();

  const std::vector<char> driven = driven_vertices(spec_);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (!driven[v]) free_mass_ += mass_->per_vertex()[v];

  if (spec_.contact.on()) contact_ = std::make_shared<const ContactSurface>(spec_.contact, mesh.vertices, driven);
  for (const Element& e : elements_->list()) fixed_tet_.push_back(all_driven(driven, e.v));

  const int n_parts = connected_components(mesh, component_);
  std::vector<char> held(static_cast<size_t>(n_parts), 0);
  auto hold = [&](int v) {
    if (component_[v] >= 0) held[component_[v]] = 1;
  };
  for (int v : spec_.driven) hold(v);
  for (const auto* list : {&spec_.ties, &spec_.springs})
    for (const PointTie& t : *list) hold(t.vertices[0]);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (component_[v] >= 0 && !held[component_[v]]) {
      loose_.push_back(v);
      held[component_[v]] = 1;
    }
}

double Model::contact_stiffness() const {
  if (spec_.contact.stiffness > 0) return spec_.contact.stiffness;
  // A tenth of the flesh's modulus, or what a column of it as high as all of it weighs.
  double modulus = 0, volume = 0;
  const std::vector<double> volumes = tet_volumes(mesh());
  for (size_t t = 0; t < volumes.size(); ++t)
    modulus += volumes[t] * spec_.per_tet[t].youngs_modulus, volume += volumes[t];
  if (!(volume > 0)) return 0;
  return std::max(0.1 * modulus / volume, mass_->total() / volume * spec_.gravity.norm() * size_);
}

bool Model::is_loose(int vertex) const {
  return std::any_of(loose_.begin(), loose_.end(), [&](int v) { return component_[v] == component_[vertex]; });
}

double Model::rounding_floor(double da_du, double reach) const {
  const double inertial = da_du * mass_->max_diagonal();
  return 1e-13 * stiffness_scale_ * size_ + 4e-16 * (inertial + stiffness_scale_) * reach;
}

Vec3 Model::rest_point(const PointTie& tie) const {
  Vec3 x = Vec3::Zero();
  for (int c = 0; c < 4; ++c) x += tie.weights[c] * spec_.mesh.vertices[tie.vertices[c]];
  return x;
}

std::string Model::part_of(int vertex) const {
  const TetMesh& mesh = spec_.mesh;
  if (vertex < 0 || vertex >= mesh.n_vertices()) return "body";
  if (!mesh.region_names.empty() && mesh.tet_region.size() == mesh.tets.size())
    for (int t = 0; t < mesh.n_tets(); ++t)
      for (int v : mesh.tets[t])
        if (v == vertex)
          return fmt::format("region '{}' near vertex {}", mesh.region_names[mesh.tet_region[t]], vertex);
  return fmt::format("part {} near vertex {}", component_[vertex] + 1, vertex);
}

int Model::count_tangled(const VecX& u) const {
  const auto& list = elements_->list();
  return static_cast<int>(parallel_sum(list.size(), 1024, [&](size_t begin, size_t end) {
    double count = 0;
    for (size_t i = begin; i < end; ++i)
      if (!fixed_tet_[i] && (Mat3::Identity() + elements_->gradient(list[i], u)).determinant() <= 0) count += 1;
    return count;
  }));
}

std::vector<int> Model::tangled_tets(const VecX& u) const {
  std::vector<int> tets;
  for (size_t i = 0; i < elements_->list().size(); ++i) {
    const Element& e = elements_->list()[i];
    if (!fixed_tet_[i] && (Mat3::Identity() + elements_->gradient(e, u)).determinant() <= 0) tets.push_back(e.tet);
  }
  return tets;
}

std::unique_ptr<ElasticTerm> Model::make_elastic() const {
  return std::make_unique<ElasticTerm>(elements_, spec_.damping);
}

std::unique_ptr<SpringTerm> Model::make_springs() const {
  if (spec_.springs.empty()) return nullptr;
  const Points& rest = spec_.mesh.vertices;
  if (spec_.spring_strengths.empty()) return std::make_unique<SpringTerm>(rest, spec_.springs, spec_.spring_stiffness);
  std::vector<double> damping;
  if (spec_.damped_springs) {
    // D = d_k K of the springs as of the flesh: d_k of the tets around, by their volume.
    std::vector<double> sum(rest.size(), 0), volume(rest.size(), 0);
    const std::vector<double> volumes = tet_volumes(spec_.mesh);
    for (size_t t = 0; t < volumes.size(); ++t)
      for (int v : spec_.mesh.tets[t]) {
        sum[v] += volumes[t] * spec_.per_tet[t].stiffness_damping;
        volume[v] += volumes[t];
      }
    for (size_t i = 0; i < spec_.springs.size(); ++i) {
      double own = 0;
      for (int c = 0; c < 4; ++c)
        if (const int v = spec_.springs[i].vertices[c]; volume[v] > 0)
          own += spec_.springs[i].weights[c] * sum[v] / volume[v];
      damping.push_back(std::max(own, 0.0) * spec_.spring_strengths[i]);
    }
  }
  return std::make_unique<SpringTerm>(rest, spec_.springs, spec_.spring_strengths, std::move(damping));
}

}  // namespace supple
