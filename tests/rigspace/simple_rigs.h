// Rigs with derivatives by hand, and bodies on them, for the tests of what knows rigs as black boxes.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "supple/rigspace/rig_body.h"
#include "tests/support/beam.h"

namespace supple::test {

// Every coordinate of every point is a parameter: its displacement.
class CoordinateRig final : public RigMap {
 public:
  explicit CoordinateRig(const Points& rest) : rest_(flatten(rest)) {
    for (Eigen::Index i = 0; i < rest_.size(); ++i)
      parameters_.push_back({.name = "x" + std::to_string(i), .quantity = Quantity::length, .rest = 0, .unit = 0.01});
  }
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size() / 3); }
  VecX evaluate(const VecX& p, double) const override { return rest_ + p; }
  bool has_derivatives() const override { return true; }
  MatX jacobian(const VecX&, double, const std::vector<int>& which) const override {
    MatX J = MatX::Zero(rest_.size(), static_cast<Eigen::Index>(which.size()));
    for (size_t a = 0; a < which.size(); ++a) J(which[a], static_cast<Eigen::Index>(a)) = 1;
    return J;
  }
  MatX curvature(const VecX&, double, const std::vector<int>& which, const VecX&) const override {
    return MatX::Zero(static_cast<Eigen::Index>(which.size()), static_cast<Eigen::Index>(which.size()));
  }

 private:
  VecX rest_;
  std::vector<RigParameter> parameters_;
};

// s = e^a Rz(w) B(b) x + c, with B a bend, x + b x_0^2 e_1: parameters w [rad], a, b [1/m], c (three) and one that does
// nothing. Nonlinear in all that is not a translation.
class TwistRig final : public RigMap {
 public:
  static constexpr int turn = 0, scale = 1, bend = 2, move = 3, nothing = 6;
  explicit TwistRig(Points rest) : rest_(std::move(rest)) {
    const char* names[] = {"turn", "scale", "bend", "move.x", "move.y", "move.z", "nothing"};
    for (const char* n : names)
      parameters_.push_back({.name = n, .quantity = Quantity::factor, .rest = 0, .unit = 0.1});
  }
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(rest_.size()); }
  VecX evaluate(const VecX& p, double) const override {
    return column(p, -1, -1) + move_of(p).replicate(static_cast<Eigen::Index>(rest_.size()), 1);
  }
  bool has_derivatives() const override { return true; }
  MatX jacobian(const VecX& p, double, const std::vector<int>& which) const override {
    MatX J(3 * n_points(), static_cast<Eigen::Index>(which.size()));
    for (size_t a = 0; a < which.size(); ++a) {
      const int k = which[a];
      VecX c = VecX::Zero(3 * n_points());
      if (k < move) c = column(p, k, -1);
      if (k >= move && k < nothing)
        for (int i = 0; i < n_points(); ++i) c[3 * i + k - move] = 1;
      J.col(static_cast<Eigen::Index>(a)) = c;
    }
    return J;
  }
  MatX curvature(const VecX& p, double, const std::vector<int>& which, const VecX& f) const override {
    const auto n = static_cast<Eigen::Index>(which.size());
    MatX C = MatX::Zero(n, n);
    for (Eigen::Index a = 0; a < n; ++a)
      for (Eigen::Index b = 0; b < n; ++b) {
        const int i = which[static_cast<size_t>(a)], j = which[static_cast<size_t>(b)];
        if (i < move && j < move) C(a, b) = f.dot(column(p, i, j));
      }
    return C;
  }

 private:
  static Vec3 move_of(const VecX& p) { return p.segment<3>(move); }
  // The turned, scaled and bent part, differentiated by up to two parameters (-1: by none).
  VecX column(const VecX& p, int one, int two) const {
    const int turns = (one == turn) + (two == turn), bends = (one == bend) + (two == bend);
    Mat3 R = Mat3::Zero();
    const double w = p[turn] + M_PI / 2 * turns, grown = std::exp(p[scale]);
    R.topLeftCorner<2, 2>() << std::cos(w), -std::sin(w), std::sin(w), std::cos(w);
    R(2, 2) = turns == 0 ? 1 : 0;
    VecX out(3 * n_points());
    for (int i = 0; i < n_points(); ++i) {
      const Vec3& x = rest_[static_cast<size_t>(i)];
      Vec3 y = Vec3::Zero();
      if (bends == 0) y = x + Vec3(0, p[bend] * x[0] * x[0], 0);
      if (bends == 1) y = Vec3(0, x[0] * x[0], 0);
      out.segment<3>(3 * i) = grown * R * y;
    }
    return out;
  }
  Points rest_;
  std::vector<RigParameter> parameters_;
};

inline std::vector<int> all_parameters(const RigMap& rig) {
  std::vector<int> all;
  for (int a = 0; a < rig.n_parameters(); ++a) all.push_back(a);
  return all;
}

// Vertices on the faces of a box mesh.
inline std::vector<int> on_faces(const TetMesh& mesh) {
  Vec3 low = mesh.vertices[0], high = low;
  for (const Vec3& x : mesh.vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const Vec3 close = 1e-9 * (high - low);
  return vertices_where(mesh, [=](const Vec3& x) {
    return ((x - low).array() < close.array()).any() || ((high - x).array() < close.array()).any();
  });
}

// A beam with its whole surface rigged; the rig's points are the rigged vertices.
struct RiggedBeam {
  RigBodySpec spec;
  Points surface;
};
inline RiggedBeam rigged_beam(const BeamOptions& o, double stiffness_damping = 0) {
  RiggedBeam out;
  out.spec.model = beam_spec(o);
  out.spec.model.driven.clear();
  for (MaterialParameters& p : out.spec.model.per_tet) p.stiffness_damping = stiffness_damping;
  out.spec.rigged = on_faces(out.spec.model.mesh);
  for (int v : out.spec.rigged) out.surface.push_back(out.spec.model.mesh.vertices[static_cast<size_t>(v)]);
  out.spec.map = identity_map(static_cast<int>(out.surface.size()));
  return out;
}

}  // namespace supple::test
