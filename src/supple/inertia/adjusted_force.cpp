#include "supple/inertia/adjusted_force.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace supple {

void AdjustedForce::add_turning(const VecX& r, const VecX& w, VecX& b) const {
  for (Eigen::Index i = 0; i < b.size(); i += 3) {
    const Vec3 spin = m_.frames.spin.segment<3>(i), turn = m_.frames.turn.segment<3>(i);
    const Vec3 arm = r.segment<3>(i), rate = w.segment<3>(i);
    b.segment<3>(i) += turn.cross(arm) + spin.cross(Vec3(2 * rate - spin.cross(arm)));
  }
}

VecX AdjustedForce::mass_times(const VecX& b, const VecX& share) const {
  VecX f = mass_->multiply(b);
  for (Eigen::Index i = 0; i < share.size(); ++i) f.segment<3>(3 * i) *= share[i];
  return f;
}

void AdjustedForce::add(const Kinematics& x, const Evaluation& out) const {
  if (!out.residual) return;
  VecX b = m_.p_accel;
  const bool apart = m_.cancelled_turning.size() > 0;
  if (apart) {
    *out.residual -= mass_times(b, m_.cancelled);
    b.setZero();
  }
  if (turning()) add_turning(x.u - m_.p, x.v - m_.p_rate, b);
  if (turning() || !apart) *out.residual -= mass_times(b, turning_share());
}

double AdjustedForce::left_out_weight(const Kinematics& x) const {
  if (!turning() || x.da_du <= 0) return 0;
  double worst = 0;
  for (Eigen::Index i = 0; i < turning_share().size(); ++i) {
    const double spin = m_.frames.spin.segment<3>(3 * i).norm(), turn = m_.frames.turn.segment<3>(3 * i).norm();
    worst = std::max(worst, std::abs(turning_share()[i]) * (2 * spin * x.dv_du + spin * spin + turn));
  }
  return worst / x.da_du;
}

void AdjustedForce::multiply_left_out(const Kinematics& x, const VecX& d, VecX& product) const {
  if (!turning()) return;
  VecX b = VecX::Zero(d.size());
  add_turning(d, x.dv_du * d, b);
  product -= mass_times(b, turning_share());
}

VecX cancelled_turning_about_shape(const VecX& spin, const VecX& epsilon, const VecX& swing_rate) {
  constexpr double kSlow = 0.6;
  VecX share = VecX::Zero(spin.size() / 3);
  for (Eigen::Index i = 0; i < epsilon.size(); ++i) {
    const double rate = swing_rate[i];
    const double fast = rate > 0 ? spin.segment<3>(3 * i).norm() / (kSlow * rate) : 0;
    share[i] = 1 - 1 / (1 / std::clamp(epsilon[i], 1e-12, 1.0) + fast * fast * fast * fast);
  }
  return share;
}

}  // namespace supple
