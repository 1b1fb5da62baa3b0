#include "supple/contact/pair_energy.h"

#include <Eigen/Dense>
#include <cmath>

#include "supple/contact/barrier.h"
#include "supple/contact/pair_distance.h"

namespace supple {

namespace {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

// How the weights change with those coordinates of the nearest points that are free to move: not at a corner, not on a
// border.
struct FreeWeights {
  Eigen::Matrix<double, 4, 2> moves = Eigen::Matrix<double, 4, 2>::Zero();
  int n = 0;
  void between(int i, int j) {
    moves(i, n) = 1;
    moves(j, n++) = -1;
  }
};
FreeWeights free_weights(const ContactPair& pair, const Eigen::Vector4d& weights) {
  // On a border but for rounding is on the border.
  const Eigen::Vector4d w = (weights.array().abs() > 1e-14).select(weights, 0);
  FreeWeights f;
  if (pair.kind == ContactPair::Kind::edge_edge) {
    if (w[0] != 0 && w[1] != 0) f.between(0, 1);
    if (w[2] != 0 && w[3] != 0) f.between(2, 3);
    return f;
  }
  int corner = -1;
  for (int c = 1; c < 4; ++c) {
    if (w[c] == 0) continue;
    if (corner >= 0) f.between(corner, c);
    if (corner < 0) corner = c;
  }
  return f;
}

// The second derivative of half the squared distance. It is the minimum of |g|^2 / 2, g = sum of weights x, over the
// coordinates c of the nearest points, so it is D_xx - D_xc D_cc^-1 D_cx.
Mat12 half_square_hessian(const ContactPair& pair, const Points& x, const PairDistance& at, const FreeWeights& f) {
  const Eigen::Vector4d& w = at.weights;
  Mat12 D = Mat12::Zero();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) D.block<3, 3>(3 * i, 3 * j) = w[i] * w[j] * Mat3::Identity();
  if (f.n == 0) return D;
  Eigen::Matrix<double, 3, 2> along = Eigen::Matrix<double, 3, 2>::Zero();
  Eigen::Matrix<double, 12, 2> mixed = Eigen::Matrix<double, 12, 2>::Zero();
  for (int k = 0; k < f.n; ++k) {
    for (int i = 0; i < 4; ++i) along.col(k) += f.moves(i, k) * x[pair.points[i]];
    for (int i = 0; i < 4; ++i)
      mixed.block<3, 1>(3 * i, k) = f.moves(i, k) * at.distance * at.normal + w[i] * along.col(k);
  }
  Eigen::Matrix2d inner = along.transpose() * along;
  if (f.n == 1) inner(1, 1) = 1;
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

template <int n>
Eigen::Matrix<double, n, n> without_negative(const Eigen::Matrix<double, n, n>& H) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, n, n>> eigen(H);
  if (eigen.eigenvalues()[0] >= 0) return H;
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
}

// Without a mollifier the second derivative lives in five dimensions: the weights and their changes along the normal,
// the weights across it.
Mat12 without_negative_of_distance(const Mat12& H, const PairDistance& at, const FreeWeights& f) {
  Eigen::Matrix<double, 4, 3> along = Eigen::Matrix<double, 4, 3>::Zero();
  along << at.weights, f.moves;
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < k; ++j) along.col(k) -= along.col(j).dot(along.col(k)) * along.col(j);
    const double length = along.col(k).norm();
    if (length > 1e-9)
      along.col(k) /= length;
    else
      along.col(k).setZero();
  }
  const Vec3 t = at.normal.unitOrthogonal(), s = at.normal.cross(t);
  Eigen::Matrix<double, 12, 5> Q;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) Q.block<3, 1>(3 * i, k) = along(i, k) * at.normal;
    Q.block<3, 1>(3 * i, 3) = along(i, 0) * t;
    Q.block<3, 1>(3 * i, 4) = along(i, 0) * s;
  }
  const Eigen::Matrix<double, 5, 5> small = Q.transpose() * H * Q;
  return Q * without_negative<5>(small) * Q.transpose();
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
  const FreeWeights f = free_weights(pair, at.weights);
  out.hessian = m.value * (b.curvature * dd + b.slope / at.distance * (half_square_hessian(pair, x, at, f) - dd));
  if (m.active)
    out.hessian +=
        b.slope * (d * slope.transpose() + slope * d.transpose()) + b.value * mollifier_hessian(pair, x, rest);
  if (project)
    out.hessian = m.active ? without_negative<12>(out.hessian) : without_negative_of_distance(out.hessian, at, f);
  return out;
}

}  // namespace supple
