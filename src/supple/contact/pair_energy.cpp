#include "supple/contact/pair_energy.h"

#include <Eigen/Dense>
#include <cmath>

#include "supple/contact/barrier.h"
#include "supple/contact/pair_distance.h"

namespace supple {

namespace {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

// The second derivative of half the squared distance. It is the minimum of |g|^2 / 2, g = sum of weights x, over the
// coordinates of the nearest points; so, with those that are free to move (not at a corner or on a border),
//   D_xx - D_xc D_cc^-1 D_cx.
Mat12 half_square_hessian(const ContactPair& pair, const Points& x, const PairDistance& at) {
  Eigen::Matrix<double, 4, 2> moves = Eigen::Matrix<double, 4, 2>::Zero();  // change of the weights
  int n = 0;
  auto free_between = [&](int i, int j) {
    moves(i, n) = 1;
    moves(j, n++) = -1;
  };
  const Eigen::Vector4d& w = at.weights;
  if (pair.kind == ContactPair::Kind::point_triangle) {
    int corner = -1;
    for (int c = 1; c < 4; ++c) {
      if (w[c] == 0) continue;
      if (corner >= 0) free_between(corner, c);
      if (corner < 0) corner = c;
    }
  } else {
    if (w[0] != 0 && w[1] != 0) free_between(0, 1);
    if (w[2] != 0 && w[3] != 0) free_between(2, 3);
  }
  Mat12 D = Mat12::Zero();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) D.block<3, 3>(3 * i, 3 * j) = w[i] * w[j] * Mat3::Identity();
  if (n == 0) return D;
  Eigen::Matrix<double, 3, 2> along = Eigen::Matrix<double, 3, 2>::Zero();
  Eigen::Matrix<double, 12, 2> mixed = Eigen::Matrix<double, 12, 2>::Zero();
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < 4; ++i) along.col(k) += moves(i, k) * x[pair.points[i]];
    for (int i = 0; i < 4; ++i)
      mixed.block<3, 1>(3 * i, k) = moves(i, k) * at.distance * at.normal + w[i] * along.col(k);
  }
  Eigen::Matrix2d inner = along.transpose() * along;
  if (n == 1) inner(1, 1) = 1;
  const double det = inner.determinant();
  if (!(det > 1e-12 * inner(0, 0) * inner(1, 1))) return D;  // no area: taken as a corner
  return D - mixed * inner.inverse() * mixed.transpose();
}

// The mollifier's second derivative, by c = |a x b|^2 of the edges a, b.
Mat12 mollifier_hessian(const ContactPair& pair, const Points& x, const Points& rest) {
  const auto& p = pair.points;
  const Vec3 a = x[p[1]] - x[p[0]], b = x[p[3]] - x[p[2]];
  const double eps = 1e-3 * (rest[p[1]] - rest[p[0]]).squaredNorm() * (rest[p[3]] - rest[p[2]]).squaredNorm();
  const double c = a.cross(b).squaredNorm(), ab = a.dot(b);
  Eigen::Matrix<double, 6, 1> slope;
  slope << 2 * (b.squaredNorm() * a - ab * b), 2 * (a.squaredNorm() * b - ab * a);
  Eigen::Matrix<double, 6, 6> H;
  H.topLeftCorner<3, 3>() = 2 * (b.squaredNorm() * Mat3::Identity() - b * b.transpose());
  H.bottomRightCorner<3, 3>() = 2 * (a.squaredNorm() * Mat3::Identity() - a * a.transpose());
  H.topRightCorner<3, 3>() = 4 * a * b.transpose() - 2 * ab * Mat3::Identity() - 2 * b * a.transpose();
  H.bottomLeftCorner<3, 3>() = H.topRightCorner<3, 3>().transpose();
  H = 2 / eps * (1 - c / eps) * H - 2 / (eps * eps) * slope * slope.transpose();
  Mat12 out;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      out.block<3, 3>(3 * i, 3 * j) = (i % 2 == j % 2 ? 1 : -1) * H.block<3, 3>(3 * (i / 2), 3 * (j / 2));
  return out;
}

Mat12 without_negative(const Mat12& H) {
  const Eigen::SelfAdjointEigenSolver<Mat12> eigen(H);
  if (eigen.eigenvalues()[0] >= 0) return H;
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

PairEnergy pair_energy(const ContactPair& pair, const Points& x, const Points& rest, double thickness,
                       PairDerivatives asked, bool project) {
  PairEnergy out;
  if (squared_distance_only(pair, x) >= thickness * thickness) return out;
  const PairDistance at = distance(pair, x);
  const BarrierValue b = barrier(at.distance, thickness);
  const Mollifier m = parallel_mollifier(pair, x, rest);
  out.value = m.value * b.value;
  if (asked == PairDerivatives::value) return out;
  Vec12 d, slope = Vec12::Zero();  // of the distance, of the mollifier
  for (int i = 0; i < 4; ++i) d.segment<3>(3 * i) = at.weights[i] * at.normal;
  if (m.active)
    for (int i = 0; i < 4; ++i) slope.segment<3>(3 * i) = m.gradient[i];
  out.gradient = m.value * b.slope * d + b.value * slope;
  if (asked == PairDerivatives::gradient || !std::isfinite(b.curvature)) return out;
  const Mat12 dd = d * d.transpose();
  out.hessian = m.value * (b.curvature * dd + b.slope / at.distance * (half_square_hessian(pair, x, at) - dd));
  if (m.active)
    out.hessian +=
        b.slope * (d * slope.transpose() + slope * d.transpose()) + b.value * mollifier_hessian(pair, x, rest);
  if (project) out.hessian = without_negative(out.hessian);
  return out;
}

}  // namespace supple
