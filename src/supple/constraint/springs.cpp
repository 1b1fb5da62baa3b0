#include "supple/constraint/springs.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/expect.h"

namespace supple {

SpringTerm::SpringTerm(const Points& rest, const std::vector<PointTie>& points, double stiffness, double damping)
    : SpringTerm(rest, points, std::vector<double>(points.size(), stiffness),
                 std::vector<double>(points.size(), damping)) {}

SpringTerm::SpringTerm(const Points& rest, std::vector<PointTie> points, std::vector<double> stiffness,
                       std::vector<double> damping)
    : points_(std::move(points)), stiffness_(std::move(stiffness)), damping_(std::move(damping)) {
  damping_.resize(points_.size(), 0.0);
  expect(stiffness_.size() == points_.size(), "one stiffness for each spring");
  rest_ = VecX::Zero(3 * static_cast<Eigen::Index>(points_.size()));
  for (size_t i = 0; i < points_.size(); ++i) {
    const Location where{.place = "spring " + std::to_string(i)};
    for (double value : {stiffness_[i], damping_[i]})
      if (!std::isfinite(value) || value < 0)
        throw InputError(where, "stiffness and damping must be finite and not negative");
    if (!points_[i].weights.allFinite()) throw InputError(where, "a weight is not a finite number");
    for (size_t c = 0; c < 4; ++c) {
      const int v = points_[i].vertices[c];
      if (v < 0 || v >= static_cast<int>(rest.size()))
        throw InputError(where, "vertex " + std::to_string(v) + " does not exist",
                         "the mesh has vertices 0 to " + std::to_string(static_cast<int>(rest.size()) - 1));
      rest_.segment<3>(3 * static_cast<Eigen::Index>(i)) +=
          points_[i].weights[static_cast<Eigen::Index>(c)] * rest[static_cast<size_t>(v)];
    }
  }
  targets_ = rest_;
  target_velocities_ = VecX::Zero(rest_.size());
}

void SpringTerm::set_targets(const VecX& positions, const VecX& velocities) {
  expect(positions.size() == targets_.size() && velocities.size() == targets_.size(), "one target for each spring");
  targets_ = positions;
  target_velocities_ = velocities;
}

void SpringTerm::set_factors(std::vector<double> factors) {
  expect(varies_ && factors.size() == points_.size(), "one factor for each spring that varies");
  factors_ = std::move(factors);
}

void SpringTerm::couple(PatternBuilder& pattern) const {
  for (const PointTie& p : points_)
    for (size_t a = 0; a < 4; ++a)
      for (size_t b = 0; b < a; ++b)
        if (p.weights[static_cast<Eigen::Index>(a)] != 0 && p.weights[static_cast<Eigen::Index>(b)] != 0)
          pattern.couple(p.vertices[a], p.vertices[b]);
}

// Sum of w x of a point over a flat vector.
static Vec3 carried(const PointTie& p, const VecX& x) {
  Vec3 sum = Vec3::Zero();
  for (int c = 0; c < 4; ++c) sum += p.weights[c] * x.segment<3>(3 * p.vertices[static_cast<size_t>(c)]);
  return sum;
}

Vec3 SpringTerm::offset(size_t i, const VecX& u) const {
  const Eigen::Index at = 3 * static_cast<Eigen::Index>(i);
  return rest_.segment<3>(at) + carried(points_[i], u) - targets_.segment<3>(at);
}

void SpringTerm::add(const Kinematics& x, const Evaluation& out) const {
  const bool moving = x.dv_du > 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    const PointTie& p = points_[i];
    const double k = factor(i) * stiffness_[i], c = moving ? factor(i) * damping_[i] : 0.0;
    const Vec3 d = offset(i, x.u);
    Vec3 s = Vec3::Zero();
    if (c > 0) s = carried(p, x.v) - target_velocities_.segment<3>(3 * static_cast<Eigen::Index>(i));
    if (out.energy) *out.energy += 0.5 * k * d.squaredNorm() + (c > 0 ? 0.5 * c / x.dv_du * s.squaredNorm() : 0.0);
    if (out.residual)
      for (int a = 0; a < 4; ++a)
        out.residual->segment<3>(3 * p.vertices[static_cast<size_t>(a)]) += p.weights[a] * (k * d + c * s);
    if (!out.matrix) continue;
    const double stiff = k + c * x.dv_du;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        const int row = p.vertices[static_cast<size_t>(a)], column = p.vertices[static_cast<size_t>(b)];
        // The lower triangle; a vertex named twice meets itself in both orders.
        if (row < column || p.weights[a] == 0 || p.weights[b] == 0) continue;
        double* block = out.matrix->block(out.matrix->pattern->find(row, column));
        for (int axis = 0; axis < 3; ++axis) block[4 * axis] += stiff * p.weights[a] * p.weights[b];
      }
  }
}

double SpringTerm::worst_stretch(const VecX& u) const {
  double worst = 0;
  for (size_t i = 0; i < points_.size(); ++i) worst = std::max(worst, offset(i, u).norm());
  return worst;
}

}  // namespace supple
