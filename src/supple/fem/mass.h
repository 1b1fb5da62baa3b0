// Mass, and the terms made of it: inertia with mass damping, and gravity.
#pragma once
#include <memory>
#include <vector>

#include "supple/energy/term.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {

enum class MassKind { lumped, consistent };

// The mass matrix of linear tets. Lumped: a quarter of each tet's mass on its vertices. Consistent: the exact integral
// of the shape functions, rho vol (1 + delta_ab) / 20. Acts alike on the three components.
class Mass {
 public:
  // density: one value a tet [kg/m^3].
  Mass(const TetMesh& mesh, const std::vector<double>& density, MassKind kind);
  MassKind kind() const { return kind_; }
  double total() const { return total_; }  // [kg]
  // Row sums: the lumped mass of each vertex, whatever the kind [kg].
  const VecX& per_vertex() const { return lumped_; }
  VecX multiply(const VecX& x) const;  // M x, flat 3n
  void add_to(BlockMatrix& matrix, double scale) const;
  void couple(PatternBuilder& pattern) const;
  double max_diagonal() const;
  // Extra point mass on a vertex [kg] (an oscillator's bob).
  void add_point(int vertex, double mass);

 private:
  MassKind kind_;
  double total_ = 0;
  VecX lumped_;
  // Consistent: lower triangle by rows, one scalar a vertex pair.
  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<double> values_;
};

// M a + d_m M (v - v_ref). v_ref is the velocity the flesh has when it only follows its driver, so that damping acts on
// the jiggle and never drags a running character's flesh behind.
class InertiaTerm : public Term {
 public:
  InertiaTerm(std::shared_ptr<const Mass> mass, double mass_damping);
  std::string name() const override { return "inertia"; }
  void couple(PatternBuilder& pattern) const override { mass_->couple(pattern); }
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return true; }
  bool matrix_is_constant() const override { return true; }
  // Flat 3n, or empty for zero. Used only with mass damping.
  void set_reference_velocity(VecX v_ref) { v_ref_ = std::move(v_ref); }
  double mass_damping() const { return damping_; }

 private:
  std::shared_ptr<const Mass> mass_;
  double damping_;
  VecX v_ref_;
};

// A load f that does not depend on u: residual -f, potential -f.u.
class LoadTerm : public Term {
 public:
  explicit LoadTerm(VecX force) : force_(std::move(force)) {}
  std::string name() const override { return "load"; }
  void couple(PatternBuilder&) const override {}
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return true; }
  bool matrix_is_constant() const override { return true; }
  const VecX& force() const { return force_; }
  void set_scale(double scale) { scale_ = scale; }  // a factor of the moment
  void set_force(VecX force) { force_ = std::move(force); }

 private:
  VecX force_;
  double scale_ = 1;
};

// M g for a uniform acceleration g [m/s^2].
VecX gravity_load(const Mass& mass, const Vec3& g);

}  // namespace supple
