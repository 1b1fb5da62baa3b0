#include "supple/pipeline/job/contact_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/anim/track_views.h"
#include "supple/contact/contact_bodies.h"
#include "supple/mesh/simplify.h"
#include "supple/pipeline/setup/surroundings.h"
#include "supple/sim/parts.h"
#include "supple/tune/dials.h"

namespace supple::pipeline {

namespace {

constexpr double kThickness = 0.002;    // of the size
constexpr size_t kMostDrawn = 1000000;  // triangles, where the scene leaves the choice to us
constexpr double kRigid = 100;          // times as stiff as the stiffest of the rest
constexpr double kRigidPoisson = 0.3;
constexpr double kFinest = 1.0 / 3;  // edges of contact, of those of the tets
constexpr double kThickest = 0.5;    // of the mean edge of what is in contact

bool draw_contact(const SceneConfig& config, size_t triangles) {
  const std::string& choice = config.contact.surface;
  return choice == "drawn" || (choice == "auto" && triangles <= kMostDrawn);
}

// What is closest to a name for a vertex of the body.
class Names {
 public:
  explicit Names(const Job& job) : job_(job) {
    const TetMesh& mesh = job.body->model->mesh();
    if (mesh.region_names.empty() || mesh.tet_region.size() != mesh.tets.size()) return;
    region_.assign(mesh.vertices.size(), -1);
    for (size_t t = 0; t < mesh.tets.size(); ++t)
      for (int v : mesh.tets[t]) region_[v] = mesh.tet_region[t];
  }
  std::string of(int vertex) const {
    if (std::string own = job_.subject->name_of_vertex(vertex); !own.empty()) return own;
    if (!region_.empty() && region_[vertex] >= 0) return job_.body->model->mesh().region_names[region_[vertex]];
    return "the body";
  }

 private:
  const Job& job_;
  std::vector<int> region_;
};

// With triangles no finer than contact can feel: within half its thickness of the drawn ones, about as many as would
// have a third of the tets' edges.
TriMesh thinned(const Job& job, const TriMesh& surface) {
  double area = 0;
  for (const Tri& t : surface.triangles) {
    const Vec3 &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
    area += 0.5 * (b - a).cross(c - a).norm();
  }
  const double edge = kFinest * job.body->model->mean_edge(), one = 0.25 * std::sqrt(3.0) * edge * edge;
  TriMesh few = surface;
  const double wanted = one > 0 ? area / one : 0;
  // Points at one place are one, or seams would count as borders.
  const std::vector<int> first = first_of_place(surface.vertices);
  for (Tri& t : few.triangles)
    for (int& corner : t) corner = first[corner];
  few.triangles =
      simplified(few.vertices, few.triangles, 0.5 * contact_thickness(job), static_cast<int>(std::min(wanted, 1e6)));
  return few;
}

void add_own(const Job& job, ContactSpec& contact, ContactSetup& out) {
  const std::vector<Tet>& tets = job.body->model->mesh().tets;
  const std::optional<TouchingSurface> own = job.subject->touching(job.config, job.surface);
  if (!own || !draw_contact(job.config, own->mesh.triangles.size())) {
    out.surface = "tets";
    add_boundary(contact, tets, "the body");
    return;
  }
  out.surface = "drawn";
  add_surface(contact, thinned(job, own->mesh), own->embedding, tets, "the body");
  out.drawn = job.subject->drawn_motion(job.config, job.shot.start);
}

// Gravity as it is: the dial is not about other bodies.
void spare_from_dials(const Job& job, int n_others, ModelSpec& spec) {
  const Vec3& true_gravity = job.body->base.gravity;
  const Eigen::Index own = spec.mesh.n_vertices();
  if (spec.gravity != true_gravity) {
    const double mu = spec.gravity.dot(true_gravity) / true_gravity.squaredNorm();
    if (spec.gravity_scale.size() == 0) spec.gravity_scale = VecX::Ones(own);
    spec.gravity_scale *= mu;
    spec.gravity = true_gravity;
  }
  if (spec.gravity_scale.size() == 0) return;
  VecX all = VecX::Ones(own + n_others);
  all.head(own) = spec.gravity_scale;
  spec.gravity_scale = all;
}

MaterialParameters material_of(const Job& job, const OtherBody& body, double stiffest) {
  MaterialParameters m{.youngs_modulus = body.youngs_modulus,
                       .poisson_ratio = body.poisson_ratio,
                       .density = body.density,
                       .volume_penalty = job.config.material.volume_penalty,
                       .stiffness_damping = body.stiffness_damping.value_or(0)};
  if (body.rigid) {
    // All its mass is at the corners.
    m.youngs_modulus = kRigid * stiffest;
    m.poisson_ratio = kRigidPoisson;
    m.density = 0;
    m.stiffness_damping = 0;
  }
  return m;
}

std::vector<MaterialParameters> per_tet(const OtherBody& body, const MaterialParameters& m) {
  std::vector<MaterialParameters> all(body.tets.tets.size(), m);
  for (size_t t = 0; t < all.size(); ++t) all[t].youngs_modulus *= body.solid[t], all[t].density *= body.solid[t];
  return all;
}

// Of what is not given directly: for the half-life of its slowest swing.
double damping_of(const Job& job, const OtherBody& body, const MaterialParameters& material,
                  std::vector<std::string>& warnings) {
  if (!body.half_life_s) return material.stiffness_damping;
  ModelSpec alone;
  alone.mesh.vertices = body.tets.vertices, alone.mesh.tets = body.tets.tets;
  alone.material = job.body->base.material;
  alone.mass = job.body->base.mass;
  alone.anti_locking = job.body->base.anti_locking;
  alone.per_tet = per_tet(body, material);
  std::string trouble;
  const double f = lowest_frequency(Model(std::move(alone)), job.config.solver.linear, &trouble);
  if (f == 0) {
    warnings.push_back(fmt::format("body {}: no natural frequency, so it is not damped: {}", body.name, trouble));
    return 0;
  }
  const StepRule rule{.integrator = integrator_from_name(job.config.solver.integrator),
                      .h = job.body->step(),
                      .stage_fraction = job.config.expert.stage_fraction};
  return damping_for(rule, *body.half_life_s, f, 0).d_k;
}

void add_body(const Job& job, const OtherBody& body, const MaterialParameters& material, ModelSpec& spec,
              std::vector<double>& velocity) {
  const int shift = spec.mesh.n_vertices();
  std::vector<Tet> tets = body.tets.tets;
  for (Tet& t : tets)
    for (int& v : t) v += shift;
  spec.mesh.vertices.insert(spec.mesh.vertices.end(), body.tets.vertices.begin(), body.tets.vertices.end());
  spec.mesh.tets.insert(spec.mesh.tets.end(), tets.begin(), tets.end());
  const std::vector<MaterialParameters> materials = per_tet(body, material);
  spec.per_tet.insert(spec.per_tet.end(), materials.begin(), materials.end());
  if (!spec.mesh.tet_region.empty()) {
    spec.mesh.tet_region.insert(spec.mesh.tet_region.end(), tets.size(),
                                static_cast<int>(spec.mesh.region_names.size()));
    spec.mesh.region_names.push_back(body.name);
  }
  for (int c = 0; c < 4 && body.rigid; ++c) spec.point_masses.emplace_back(shift + c, body.mass / 4);

  if (body.is_boundary || (!body.rigid && !draw_contact(job.config, body.surface.triangles.size()))) {
    add_boundary(spec.contact, tets, body.name);
  } else {
    add_surface(spec.contact, body.surface, body.embedding, tets, body.name);
  }
  // About the centre of mass.
  Vec3 centre = Vec3::Zero();
  double mass = 0;
  const std::vector<double> volumes = tet_volumes(body.tets);
  for (size_t t = 0; t < tets.size(); ++t) {
    const double m = volumes[t] * body.solid[t];
    for (int v : body.tets.tets[t]) centre += m / 4 * body.tets.vertices[v];
    mass += m;
  }
  centre /= mass;
  for (const Vec3& x : body.tets.vertices) {
    const Vec3 v = body.velocity + body.spin.cross(x - centre);
    velocity.insert(velocity.end(), {v[0], v[1], v[2]});
  }
}

double mean_edge_of(const ContactSpec& contact, const Points& rest) {
  double sum = 0, n = 0;
  for (const Tri& t : contact.triangles) {
    Vec3 x[3];
    bool own = true;
    for (int c = 0; c < 3; ++c) {
      const ContactAnchor& a = contact.anchors[static_cast<size_t>(t[static_cast<size_t>(c)])];
      own = own && a.n > 0;
      x[c] = Vec3::Zero();
      for (size_t k = 0; k < static_cast<size_t>(a.n); ++k) x[c] += a.weight[k] * rest[a.vertex[k]];
    }
    for (int c = 0; c < 3 && own; ++c) sum += (x[c] - x[(c + 1) % 3]).norm(), n += 1;
  }
  return n > 0 ? sum / n : 0;
}

}  // namespace

std::shared_ptr<const Track> obstacle_motion(const std::shared_ptr<const Surroundings>& around) {
  if (!around->animated()) return nullptr;
  std::vector<TrackOrPoints> parts;
  for (const Obstacle& o : around->obstacles) parts.push_back({o.track, o.track ? Points() : o.mesh.vertices});
  return together(std::move(parts));
}

double contact_thickness(const Job& job) {
  return job.config.contact.thickness.value_or(kThickness * job.body->model->size());
}

void ContactSetup::put_into(SimulationSpec& spec) const {
  spec.drive.obstacles = obstacles;
  spec.bystander_velocity = velocity;
  spec.drawn_contact = drawn;
}

std::unique_ptr<ContactSetup> set_up_contact(const Job& job, std::vector<std::string>& warnings) {
  if (!job.surroundings) return nullptr;
  const Surroundings& around = *job.surroundings;
  auto out = std::make_unique<ContactSetup>();
  ModelSpec spec = job.body->model->spec();
  ContactSpec& contact = spec.contact;
  contact.self = job.config.contact.self;
  contact.friction = job.config.contact.friction;
  contact.amplitude = job.config.contact.amplitude;
  contact.thickness = contact_thickness(job);
  contact.planes = around.planes;
  add_own(job, contact, *out);
  const Names names(job);
  std::map<std::string, int> numbers;
  const auto number = [&](const std::string& name) {
    const auto [it, is_new] = numbers.try_emplace(name, static_cast<int>(out->names.size()));
    if (is_new) out->names.push_back(name);
    return it->second;
  };
  for (const ContactAnchor& a : contact.anchors) {
    size_t most = 0;
    for (size_t k = 1; k < static_cast<size_t>(a.n); ++k)
      if (a.weight[k] > a.weight[most]) most = k;
    out->name_of.push_back(number(names.of(a.vertex[most])));
  }

  for (const OtherBody& b : around.bodies) spec.n_bystanders += b.tets.n_vertices();
  spare_from_dials(job, spec.n_bystanders, spec);
  double stiffest = 0, modulus = 0, volume = 0;
  const auto count = [&](const std::vector<double>& volumes, const std::vector<MaterialParameters>& materials) {
    for (size_t t = 0; t < volumes.size(); ++t) {
      stiffest = std::max(stiffest, materials[t].youngs_modulus);
      modulus += volumes[t] * materials[t].youngs_modulus, volume += volumes[t];
    }
  };
  count(tet_volumes(spec.mesh), spec.per_tet);
  for (const OtherBody& b : around.bodies)
    if (!b.rigid) count(tet_volumes(b.tets), per_tet(b, material_of(job, b, 0)));
  std::vector<double> velocity;
  bool rigid = false;
  for (const OtherBody& b : around.bodies) {
    MaterialParameters m = material_of(job, b, stiffest);
    if (!b.rigid) m.stiffness_damping = damping_of(job, b, m, warnings);
    add_body(job, b, m, spec, velocity);
    out->name_of.resize(contact.anchors.size(), number(b.name));
    rigid = rigid || b.rigid;
  }
  out->velocity = Eigen::Map<const VecX>(velocity.data(), static_cast<Eigen::Index>(velocity.size()));
  for (const Obstacle& o : around.obstacles) {
    add_obstacle(contact, o.mesh, o.name);
    out->name_of.resize(contact.anchors.size(), number(o.name));
  }
  out->obstacles = obstacle_motion(job.surroundings);
  // What a rigid body is made of says nothing of how hard anything presses.
  if (rigid) {
    double weight = 0;
    for (const OtherBody& b : around.bodies) weight += b.rigid ? b.mass : 0;
    contact.stiffness = std::max(0.1 * modulus / volume, (job.body->model->mass()->total() + weight) / volume *
                                                             spec.gravity.norm() * job.body->model->size());
  }
  const double edge = mean_edge_of(contact, spec.mesh.vertices);
  if (edge > 0 && contact.thickness > kThickest * edge)
    warnings.push_back(
        fmt::format("contact.thickness is {:.3g} mm, and the triangles in contact have edges of {:.3g} mm: "
                    "what is near at rest is kept as near as it is",
                    1e3 * contact.thickness, 1e3 * edge));
  out->model = std::make_unique<Model>(std::move(spec));
  return out;
}

}  // namespace supple::pipeline
