// What is simulated: an immutable description shared by every run, trial and solver.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/constraint/constraints.h"
#include "supple/constraint/springs.h"
#include "supple/contact/contact_surface.h"
#include "supple/fem/elastic_term.h"
#include "supple/fem/mass.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {

// Driven vertices that move by more than this share of the mean edge in a step take the flesh around along from the
// start of a solve, so that it is not crushed first.
inline constexpr double kFollowBeyond = 0.1;

struct ModelSpec {
  TetMesh mesh;
  MaterialModel material = MaterialModel::stable_neo_hookean;
  std::vector<MaterialParameters> per_tet;  // one a tet
  MassKind mass = MassKind::lumped;
  ElementDamping damping = ElementDamping::viscous;
  double mass_damping = 0;    // d_m [1/s]
  bool anti_locking = false;  // part of the material averaged around vertices (fem/patches.h)
  Vec3 gravity = Vec3(0, -9.81, 0);
  VecX gravity_scale;       // of every vertex; empty: 1
  std::vector<int> driven;  // vertices whose positions are given
  // Tets of which all vertices are driven are no part of the system: nothing of them can move, and they move nothing.
  bool trimmed = false;
  std::vector<PointTie> ties;                        // material points tied to given points
  std::vector<PointTie> springs;                     // material points pulled to given points...
  double spring_stiffness = 0;                       // ...with this stiffness each [N/m]...
  std::vector<double> spring_strengths;              // ...or with one of its own, unless empty [N/m]
  bool damped_springs = false;                       // they are damped as the flesh that they pull at is
  std::vector<std::pair<int, double>> point_masses;  // vertex, extra mass [kg]
  ContactSpec contact;
  // The last so many vertices are other bodies (their tets the last ones too): they are in contact with what is
  // animated and move by themselves, and no dial, equilibrium or measurement is about them.
  int n_bystanders = 0;
};

// The same without other bodies and without contact.
ModelSpec without_bystanders(const ModelSpec& spec);

// Its tets, those left out that play no part.
std::shared_ptr<const Elements> make_elements(const ModelSpec& spec);

// All springs stronger by a factor.
void scale_springs(ModelSpec& spec, double factor);
// Young's modulus of every tet times chi^2, and springs along with what they hold: those with a strength of their own
// by the mean of chi^2 around them, others by `whole`^2.
void scale_stiffness(ModelSpec& spec, const std::vector<double>& chi, double whole);

class Model {
 public:
  // Throws InputError for what Constraints and SpringTerm reject, and for strengths that are not one a spring.
  explicit Model(ModelSpec spec);

  const ModelSpec& spec() const { return spec_; }
  const TetMesh& mesh() const { return spec_.mesh; }
  int n_vertices() const { return spec_.mesh.n_vertices(); }
  int n_own() const { return n_vertices() - spec_.n_bystanders; }  // vertices that are not of other bodies
  const std::shared_ptr<const Elements>& elements() const { return elements_; }
  const std::shared_ptr<const Mass>& mass() const { return mass_; }
  const Constraints& constraints() const { return *constraints_; }
  const VecX& gravity_force() const { return gravity_; }
  bool damped() const { return damped_; }                      // any stiffness damping
  double size() const { return size_; }                        // longest side of the rest bounding box [m]
  double mean_edge() const { return mean_edge_; }              // of a regular tet with the mean rest volume [m]
  double free_mass() const { return free_mass_; }              // of the vertices that are not prescribed [kg]
  double stiffness_scale() const { return stiffness_scale_; }  // largest diagonal entry of the rest stiffness [N/m]
  // Forces below this are rounding when vertices are displaced by up to `reach` [m].
  double rounding_floor(double da_du, double reach) const;

  // Where a tied point is at rest.
  Vec3 rest_point(const PointTie& tie) const;
  // The name of the region, or of the connected part, a vertex belongs to: for messages.
  std::string part_of(int vertex) const;
  // Free parts with nothing that holds them (no driven vertex, tie or spring in the component), one vertex of each.
  const std::vector<int>& loose_parts() const { return loose_; }
  bool is_loose(int vertex) const;  // belongs to such a part

  // Whether the material can be stuck in an equilibrium with tets inside out: all but the linear one.
  bool can_tangle() const { return spec_.material != MaterialModel::linear; }
  // Tets inside out at u, those aside whose vertices are all driven; their number, and which.
  int count_tangled(const VecX& u) const;
  std::vector<int> tangled_tets(const VecX& u) const;

  // A new elastic term over this model's data.
  std::unique_ptr<ElasticTerm> make_elastic() const;
  // Null without contact.
  const std::shared_ptr<const ContactSurface>& contact() const { return contact_; }
  // Pressure that contact starts from: of the order of what the flesh weighs or resists with [Pa].
  double contact_stiffness() const;
  // A new term of the springs, their targets at the points' rest places; null without springs.
  std::unique_ptr<SpringTerm> make_springs() const;

 private:
  ModelSpec spec_;
  std::shared_ptr<const Elements> elements_;
  std::shared_ptr<const Mass> mass_;
  std::unique_ptr<Constraints> constraints_;
  std::shared_ptr<const ContactSurface> contact_;
  VecX gravity_;
  std::vector<char> fixed_tet_;  // per entry of elements_->list(): nothing of it can move
  std::vector<int> component_, loose_;
  bool damped_ = false;
  double size_ = 0, mean_edge_ = 0, free_mass_ = 0, stiffness_scale_ = 0;
};

}  // namespace supple
