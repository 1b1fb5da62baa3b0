// A beam along x for tests of what a rigged body does: bent in its plane, carried up and turned about z.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "supple/rigspace/rig_body.h"

namespace supple::test {

// The axis of the beam has the direction theta(x) = turn + sum bend_k (x / L)^k, cross-sections stand on it, and
// nothing is stretched along it: s = up e_y + integral of (cos, sin) theta + y (-sin, cos) theta. The integral is a sum
// of midpoints, of which the derivatives are exact.
class BendingRig final : public RigMap {
 public:
  BendingRig(Points rest, double length, int bends) : rest_(std::move(rest)), length_(length) {
    parameters_ = {{"up", Quantity::length, 0, 0.1}, {"turn", Quantity::angle, 0, 0.1}};
    for (int k = 1; k <= bends; ++k) parameters_.push_back({"bend" + std::to_string(k), Quantity::angle, 0, 0.1});
    for (const Vec3& x : rest_) {  // points of a cross-section share the integral
      size_t k = 0;
      while (k < sections_.size() && sections_[k] != x[0]) ++k;
      if (k == sections_.size()) sections_.push_back(x[0]);
      section_.push_back(k);
    }
  }
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size()); }
  VecX evaluate(const VecX& p, double) const override {
    VecX s = derivative(p, 0, [](double) { return 1.0; });
    for (size_t i = 0; i < rest_.size(); ++i) {
      const auto at = 3 * static_cast<Eigen::Index>(i);
      s[at + 1] += p[0], s[at + 2] = rest_[i][2];
    }
    return s;
  }
  bool has_derivatives() const override { return true; }
  MatX jacobian(const VecX& p, double, const std::vector<int>& which) const override {
    MatX J = MatX::Zero(3 * n_points(), static_cast<Eigen::Index>(which.size()));
    for (size_t c = 0; c < which.size(); ++c) {
      auto column = J.col(static_cast<Eigen::Index>(c));
      if (which[c] == 0)
        for (Eigen::Index i = 1; i < J.rows(); i += 3) column[i] = 1;
      else
        column = derivative(p, 1, [&](double x) { return angle_of(which[c], x); });
    }
    return J;
  }
  MatX curvature(const VecX& p, double, const std::vector<int>& which, const VecX& f) const override {
    const auto n = static_cast<Eigen::Index>(which.size());
    MatX C = MatX::Zero(n, n);
    for (Eigen::Index a = 0; a < n; ++a)
      for (Eigen::Index b = 0; b < n; ++b) {
        const int i = which[static_cast<size_t>(a)], j = which[static_cast<size_t>(b)];
        if (i > 0 && j > 0)
          C(a, b) = f.dot(derivative(p, 2, [&](double x) { return angle_of(i, x) * angle_of(j, x); }));
      }
    return C;
  }

 private:
  static constexpr int kMidpoints = 12;
  double angle_of(int parameter, double x) const {
    double power = 1;
    for (int k = 1; k < parameter; ++k) power *= x / length_;
    return power;
  }
  // The d-th derivative by angles, whose product at x is weight(x); d = 0: places.
  template <class Weight>
  VecX derivative(const VecX& p, int d, const Weight& weight) const {
    const auto direction = [&](double x) {
      double angle = d * std::numbers::pi / 2;
      for (int a = 1; a < n_parameters(); ++a) angle += p[a] * angle_of(a, x);
      return Vec3(weight(x) * Vec3(std::cos(angle), std::sin(angle), 0));
    };
    Points axis, across;
    for (double end : sections_) {
      const double step = end / kMidpoints;
      Vec3 x = Vec3::Zero();
      for (int k = 0; k < kMidpoints; ++k) x += step * direction((k + 0.5) * step);
      axis.push_back(x);
      across.push_back(Vec3::UnitZ().cross(direction(end)));
    }
    VecX s(3 * static_cast<Eigen::Index>(rest_.size()));
    for (size_t i = 0; i < rest_.size(); ++i)
      s.segment<3>(3 * static_cast<Eigen::Index>(i)) = axis[section_[i]] + rest_[i][1] * across[section_[i]];
    return s;
  }
  Points rest_;
  double length_;
  std::vector<double> sections_;  // x of the cross-sections
  std::vector<size_t> section_;   // of each point
  std::vector<RigParameter> parameters_;
};

struct BendingBeamOptions {
  int nx = 6, ny = 2, nz = 2, bends = 2;
  Vec3 size = Vec3(0.4, 0.08, 0.08);
  MaterialModel material = MaterialModel::stable_neo_hookean;
  MaterialParameters parameters = {.youngs_modulus = 1e5, .poisson_ratio = 0.4, .density = 1000};
  Vec3 gravity = Vec3::Zero();
  Interior interior = Interior::dynamic;
};

// Its tets, of which the rig moves all boundary vertices.
inline RigBodySpec bending_beam_spec(const BendingBeamOptions& o, Points* surface = nullptr) {
  RigBodySpec spec;
  spec.model.mesh = make_box(o.nx, o.ny, o.nz, o.size, Vec3(0, -o.size[1] / 2, -o.size[2] / 2));
  spec.model.material = o.material;
  spec.model.per_tet.assign(spec.model.mesh.tets.size(), o.parameters);
  spec.model.gravity = o.gravity;
  spec.interior = o.interior;
  const TriMesh boundary = boundary_surface(spec.model.mesh, &spec.rigged);
  spec.map = identity_map(static_cast<int>(spec.rigged.size()));
  if (surface) *surface = boundary.vertices;
  return spec;
}

// The beam with its bends: parameters 0 up, 1 turn, 2.. bends.
inline std::unique_ptr<RigBody> bending_beam(const BendingBeamOptions& o = {}) {
  Points surface;
  RigBodySpec spec = bending_beam_spec(o, &surface);
  return std::make_unique<RigBody>(std::move(spec), std::make_shared<BendingRig>(surface, o.size[0], o.bends));
}

// A smooth ramp from 0 to 1 over [0, 1].
inline double smooth_ramp(double s) { return s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 + s * (6 * s - 15)); }

}  // namespace supple::test
