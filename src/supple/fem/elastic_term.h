// Elastic forces of all tets, and of the patches around vertices where locking is fought, with their stiffness damping.
//
// Damping D = d_k K comes in three kinds:
//   viscous  second Piola stress S_v = d_k C0 : E', C0 the rest elasticity tensor, E the Green strain (small strain for
//            the linear material). E' is the integrator's own difference formula applied to E, so a tet that only turns
//            feels nothing whatever the step, the dissipation is never negative, and the stress has a potential,
//            S_v : E' / (2 dE'/dE). At rest D = d_k K.
//   full     D = d_k K(u) at the end of the stage, implicit and unprojected, as in the papers. No potential.
//   rest     D = d_k K of the rest shape, for comparison: useless under rotation, where it drags a turning body.
#pragma once
#include <memory>

#include "supple/energy/term.h"
#include "supple/fem/drawn_shape.h"
#include "supple/fem/elements.h"

namespace supple {

struct ElementWork;

enum class ElementDamping { viscous, full, rest };

class ElasticTerm : public Term {
 public:
  ElasticTerm(std::shared_ptr<const Elements> elements, ElementDamping damping);

  std::string name() const override { return "elastic"; }
  void couple(PatternBuilder& pattern) const override;
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return damping_ != ElementDamping::full; }
  bool matrix_is_constant() const override {
    return elements_->model() == MaterialModel::linear && !varies_ && !shape_;
  }

  const Elements& elements() const { return *elements_; }
  ElementDamping damping() const { return damping_; }

  // Strains at u: xx yy zz yz xz xy of each element in the order of elements().list(), then of each patch.
  VecX strains(const VecX& u) const;
  // For the stage to come, E' = dv_du E(u) + offset. Empty: no viscous stress (static solves).
  void set_strain_rate_offset(VecX offset) { rate_offset_ = std::move(offset); }

  // Factors of the moment: of the elastic forces with their damping, and of the damping besides. Once they are to vary
  // the matrix no longer counts as constant, so say so before a Newton is made of this.
  void let_scales_vary() { varies_ = true; }
  void set_scales(double stiffness, double damping) { stiffness_scale_ = stiffness, damping_scale_ = damping; }

  // Strains count from another shape than that of rest, which is given moment by moment (drawn_shape.h). Say so before
  // a Newton is made of this. Damping must be viscous.
  void follow_shape();
  bool follows_shape() const { return shape_ != nullptr; }
  void set_shape(const VecX& y) { shape_->set(y); }
  const DrawnShape& shape() const { return *shape_; }

  // Elastic energy alone [J], without the viscous potential.
  double elastic_energy(const VecX& u) const;
  // Elements turned inside out at u, as seen from the shape that strains count from.
  int count_inverted(const VecX& u) const;
  // Largest diagonal entry of the stiffness at rest [N/m].
  double rest_stiffness_scale() const;

 private:
  // What elements are displaced by, from the shape that strains count from.
  VecX departure(const VecX& u) const;
  ElementWork work_at(const VecX& departure) const;
  double energy(const ElementWork& work, bool with_damping) const;

  std::shared_ptr<const Elements> elements_;
  ElementDamping damping_;
  VecX rate_offset_;
  std::unique_ptr<DrawnShape> shape_;  // null: that of rest
  bool varies_ = false;
  double stiffness_scale_ = 1, damping_scale_ = 1;
  // Block places for the pattern last asked for.
  mutable std::shared_ptr<const BlockPattern> slots_pattern_;
  mutable std::vector<std::array<int, 10>> slots_;
  mutable std::vector<int> patch_slots_;
};

}  // namespace supple
