#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/rigs/linear_deformer.h"

namespace supple {

namespace {

constexpr double kOnFace = 1e-9;     // of the box: what lies on its faces is inside
constexpr double kFadeShare = 0.25;  // of each side, from a face inwards

// B-splines of n control points on 0..1 by the recurrence of de Boor, first and last knots repeated so that the ends
// are at control points. With degree n - 1 these are the Bernstein polynomials.
class Splines {
 public:
  Splines(int n, bool local) : n_(n), degree_(local ? std::min(3, n - 1) : n - 1) {
    const int pieces = n - degree_;
    for (int k = 0; k <= n + degree_; ++k) {
      knots_.push_back(std::clamp(k - degree_, 0, pieces) / static_cast<double>(pieces));
    }
  }
  std::vector<double> values(double u) const {
    const int pieces = n_ - degree_;
    const int span = degree_ + std::clamp(static_cast<int>(std::floor(u * pieces)), 0, pieces - 1);
    std::vector<double> b(at(n_), 0);
    b[at(span)] = 1;
    for (int d = 1; d <= degree_; ++d) {
      for (int i = span - d; i <= span; ++i) {
        const double up = i > span - d ? ramp(u, i, d) * b[at(i)] : 0;
        const double down = i < span ? (1 - ramp(u, i + 1, d)) * b[at(i + 1)] : 0;
        b[at(i)] = up + down;
      }
    }
    return b;
  }
  // Where control point i is, so that control points that follow an affine map carry everything along by it.
  double place(int i) const {
    double sum = 0;
    for (int k = 1; k <= degree_; ++k) sum += knots_[at(i + k)];
    return sum / degree_;
  }

 private:
  double ramp(double u, int i, int d) const { return (u - knots_[at(i)]) / (knots_[at(i + d)] - knots_[at(i)]); }
  int n_, degree_;
  std::vector<double> knots_;
};

std::array<Splines, 3> splines_of(const LatticeSpec& spec) {
  for (int axis = 0; axis < 3; ++axis) {
    if (spec.points[at(axis)] < 2) {
      throw InputError({.place = "lattice " + spec.name},
                       fmt::format("{} control points along {}", spec.points[at(axis)], "xyz"[axis]),
                       "give 2 or more along each axis");
    }
  }
  return {Splines(spec.points[0], spec.bspline), Splines(spec.points[1], spec.bspline),
          Splines(spec.points[2], spec.bspline)};
}

// From 0 at a face to 1 at kFadeShare of the side, with two derivatives that vanish at both.
double fade_of(double u) {
  const double s = std::min(1.0, std::min(u, 1 - u) / kFadeShare);
  return s * s * s * (10 + s * (6 * s - 15));
}

}  // namespace

Points lattice_points(const LatticeSpec& spec) {
  const std::array<Splines, 3> splines = splines_of(spec);
  Points points;
  for (int i = 0; i < spec.points[0]; ++i) {
    for (int j = 0; j < spec.points[1]; ++j) {
      for (int k = 0; k < spec.points[2]; ++k) {
        points.push_back(spec.box * Vec3(splines[0].place(i), splines[1].place(j), splines[2].place(k)));
      }
    }
  }
  return points;
}

std::shared_ptr<const Deformer> make_lattice(const LatticeSpec& spec, const Points& rest) {
  const std::array<Splines, 3> splines = splines_of(spec);
  const Mat3 sides = spec.box.linear();
  if (!(std::abs(sides.determinant()) > 1e-12 * std::pow(sides.norm(), 3))) {
    throw InputError({.place = "lattice " + spec.name}, "its box has no volume", "give three sides that span a space");
  }
  const Affine unit_from_world = spec.box.inverse();
  const auto [nx, ny, nz] = spec.points;
  std::vector<Following> followings(at(nx * ny * nz));
  for (size_t v = 0; v < rest.size(); ++v) {
    Vec3 u = unit_from_world * rest[v];
    if ((u.array() < -kOnFace).any() || (u.array() > 1 + kOnFace).any()) continue;
    u = u.cwiseMax(0.0).cwiseMin(1.0);
    const double fade = spec.fade ? fade_of(u.x()) * fade_of(u.y()) * fade_of(u.z()) : 1;
    const std::array<std::vector<double>, 3> b = {splines[0].values(u.x()), splines[1].values(u.y()),
                                                  splines[2].values(u.z())};
    for (int i = 0; i < nx; ++i) {
      for (int j = 0; j < ny; ++j) {
        for (int k = 0; k < nz; ++k) {
          const double weight = fade * b[0][at(i)] * b[1][at(j)] * b[2][at(k)];
          if (weight == 0) continue;
          Following& following = followings[at((i * ny + j) * nz + k)];
          following.point.push_back(static_cast<int>(v));
          following.weight.push_back(weight);
        }
      }
    }
  }
  std::vector<std::string> names;
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) names.push_back(fmt::format("{}.{}.{}.{}", spec.name, i, j, k));
    }
  }
  // The mean distance of control points along the sides.
  const double unit =
      (sides.col(0).norm() / (nx - 1) + sides.col(1).norm() / (ny - 1) + sides.col(2).norm() / (nz - 1)) / 3;
  return make_controls(static_cast<int>(rest.size()), std::move(followings), names, spec.axes, unit);
}

}  // namespace supple
