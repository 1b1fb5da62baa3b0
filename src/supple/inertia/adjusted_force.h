// The adjusted inertial force [adjustable constrained dynamics, Eq. 17, with its Coriolis term corrected]:
//   f = (1 - epsilon) M b,  b = p'' + (R'' R^T + 2 R' R'^T)(u - p) + 2 R' R^T (u' - p')
//                             = p'' + turn x (u - p) - spin x (spin x (u - p)) + 2 spin x (u' - p'):
// linear, Euler and centrifugal, and Coriolis part. epsilon is one number a vertex and scales the force, row by row.
#pragma once
#include <memory>

#include "supple/fem/mass.h"
#include "supple/inertia/frames.h"

namespace supple {

class AdjustedForce : public Term {
 public:
  explicit AdjustedForce(std::shared_ptr<const Mass> mass) : mass_(std::move(mass)) {}

  // What holds for the stage to come. An empty frame motion: nothing turns.
  struct Moment {
    VecX p, p_rate, p_accel;  // the static track with its differences
    FrameMotion frames;
    VecX cancelled;          // 1 - epsilon of each vertex
    VecX cancelled_turning;  // likewise of what turning adds; empty: the same
  };
  void set(Moment moment) { m_ = std::move(moment); }
  const Moment& moment() const { return m_; }

  std::string name() const override { return "adjusted inertia"; }
  void couple(PatternBuilder&) const override {}
  void add(const Kinematics& x, const Evaluation& out) const override;
  bool has_energy() const override { return false; }
  bool is_gentle() const override { return true; }
  bool in_scale() const override { return false; }
  bool matrix_is_constant() const override { return true; }  // it adds nothing to the matrix
  double left_out_weight(const Kinematics& x) const override;
  void multiply_left_out(const Kinematics& x, const VecX& d, VecX& product) const override;

 private:
  bool turning() const { return m_.frames.spin.size() > 0; }
  // (turn x) r - spin x (spin x r) + 2 spin x w, added to b.
  void add_turning(const VecX& r, const VecX& w, VecX& b) const;
  const VecX& turning_share() const { return m_.cancelled_turning.size() > 0 ? m_.cancelled_turning : m_.cancelled; }
  // M b, row by row times a share a vertex.
  VecX mass_times(const VecX& b, const VecX& share) const;

  std::shared_ptr<const Mass> mass_;
  Moment m_;
};

// 1 - c a vertex, c = 1 / (1 / min(epsilon, 1) + (|spin| / (0.6 omega))^4), of flesh about a drawn shape: as its
// inertia says where the shape turns slowly; where it turns faster than the flesh can swing all of what turning adds is
// taken away, or it would throw the flesh out. omega: swing_rate [1/s].
VecX cancelled_turning_about_shape(const VecX& spin, const VecX& epsilon, const VecX& swing_rate);

}  // namespace supple
