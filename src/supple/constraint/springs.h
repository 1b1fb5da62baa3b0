// Material points pulled to moving targets.
#pragma once
#include <vector>

#include "supple/constraint/constraints.h"
#include "supple/energy/term.h"

namespace supple {

// Per point, with d = sum of w (X + u) - target and s = sum of w v - target's velocity:
//   E = k/2 |d|^2 + c / (2 dv_du) |s|^2, whose gradient is the force of spring k [N/m] and dashpot c [N s/m],
// because s is affine in u with factor dv_du within a stage. Static solves have no dashpot.
class SpringTerm final : public Term {
 public:
  // Throws InputError for indices out of range and for stiffness or damping that is negative or not finite.
  SpringTerm(const Points& rest, const std::vector<PointTie>& points, double stiffness, double damping = 0);
  // One stiffness and one damping coefficient a point; damping may be empty.
  SpringTerm(const Points& rest, std::vector<PointTie> points, std::vector<double> stiffness,
             std::vector<double> damping);

  // Positions [m] and velocities [m/s] of the targets at the instant of evaluation, flat. Until then: rest, still.
  void set_targets(const VecX& positions, const VecX& velocities);

  // Factors of the moment on stiffness and damping, one a point. Once they are to vary the matrix no longer counts as
  // constant, so say so before a Newton is made of this.
  void let_strengths_vary() { varies_ = true; }
  void set_factors(std::vector<double> factors);

  std::string name() const override { return "springs"; }
  void couple(PatternBuilder& pattern) const override;
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return true; }
  bool matrix_is_constant() const override { return !varies_; }

  int size() const { return static_cast<int>(points_.size()); }
  double worst_stretch(const VecX& u) const;  // largest |d| [m]

 private:
  Vec3 offset(size_t i, const VecX& u) const;

  std::vector<PointTie> points_;
  double factor(size_t i) const { return factors_.empty() ? 1 : factors_[i]; }
  std::vector<double> stiffness_, damping_, factors_;
  bool varies_ = false;
  VecX rest_;  // of the points, flat
  VecX targets_, target_velocities_;
};

}  // namespace supple
