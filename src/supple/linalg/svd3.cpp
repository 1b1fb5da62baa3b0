#include "supple/linalg/svd3.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kMaxSweeps = 30;  // a safety net: four to six are the rule

struct Column {
  double x, y, z;
};

inline double dot(const Column& a, const Column& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Column cross(const Column& a, const Column& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Column scaled(const Column& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline Column minus(const Column& a, const Column& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

// (a, b) <- (c a + s b, c b - s a)
inline void rotate(Column& a, Column& b, double c, double s) {
  const Column old = a;
  a = {c * old.x + s * b.x, c * old.y + s * b.y, c * old.z + s * b.z};
  b = {c * b.x - s * old.x, c * b.y - s * old.y, c * b.z - s * old.z};
}

// Cosine and sine of the smaller angle that diagonalises [[p, r], [r, q]], r != 0: half the angle of (|d|, e).
inline void jacobi_angle(double p, double q, double r, double& c, double& s) {
  const double d = p - q, e = d < 0 ? -2 * r : 2 * r;
  const double w = std::abs(d) + std::sqrt(d * d + e * e);
  const double scale = 1 / std::sqrt(w * w + e * e);
  c = w * scale;
  s = e * scale;
}

// One-sided Jacobi: turns columns a and b of F V to be orthogonal. False when they already are, to rounding.
inline bool orthogonalise(Column& a, Column& b, Column& va, Column& vb) {
  const double p = dot(a, a), q = dot(b, b), r = dot(a, b);
  if (r * r <= kEps * kEps * p * q || std::abs(r) < std::numeric_limits<double>::min()) return false;
  double c, s;
  jacobi_angle(p, q, r, c, s);
  rotate(a, b, c, s);
  rotate(va, vb, c, s);
  return true;
}

// The last steps all at once. Columns already nearly orthogonal need turns of about t_ij = r_ij / (p_i - p_j); the
// three together are one small rotation, made exactly orthogonal through its quaternion. The error falls to its square.
// `near`: false when some turn is not small, and nothing was done. Returns whether anything was left to turn.
inline bool turn_together(Column b[3], Column v[3], bool& near) {
  const double p0 = dot(b[0], b[0]), p1 = dot(b[1], b[1]), p2 = dot(b[2], b[2]);
  const double r01 = dot(b[0], b[1]), r02 = dot(b[0], b[2]), r12 = dot(b[1], b[2]);
  constexpr double kRounding = kEps * kEps, kSmall = 0.05;
  const bool done01 = r01 * r01 <= kRounding * p0 * p1, done02 = r02 * r02 <= kRounding * p0 * p2,
             done12 = r12 * r12 <= kRounding * p1 * p2;
  near = true;
  if (done01 && done02 && done12) return false;
  const double d01 = p0 - p1, d02 = p0 - p2, d12 = p1 - p2;
  near = std::abs(r01) <= kSmall * std::abs(d01) && std::abs(r02) <= kSmall * std::abs(d02) &&
         std::abs(r12) <= kSmall * std::abs(d12) && d01 != 0 && d02 != 0 && d12 != 0;
  if (!near) return true;
  // Half the rotation vector; (x, y, z) turns columns (1,2), (2,0), (0,1).
  const double x = 0.5 * r12 / d12, y = -0.5 * r02 / d02, z = 0.5 * r01 / d01;
  const double k = 2 / (1 + x * x + y * y + z * z);
  const double m00 = 1 - k * (y * y + z * z), m11 = 1 - k * (x * x + z * z), m22 = 1 - k * (x * x + y * y);
  const double m01 = k * (x * y - z), m10 = k * (x * y + z), m02 = k * (x * z + y), m20 = k * (x * z - y);
  const double m12 = k * (y * z - x), m21 = k * (y * z + x);
  auto turn = [&](Column c[3]) {
    const Column a = c[0], e = c[1], f = c[2];
    c[0] = {a.x * m00 + e.x * m10 + f.x * m20, a.y * m00 + e.y * m10 + f.y * m20, a.z * m00 + e.z * m10 + f.z * m20};
    c[1] = {a.x * m01 + e.x * m11 + f.x * m21, a.y * m01 + e.y * m11 + f.y * m21, a.z * m01 + e.z * m11 + f.z * m21};
    c[2] = {a.x * m02 + e.x * m12 + f.x * m22, a.y * m02 + e.y * m12 + f.y * m22, a.z * m02 + e.z * m12 + f.z * m22};
  };
  turn(b);
  turn(v);
  return true;
}

// A unit vector at right angles to unit vector u.
inline Column any_normal(const Column& u) {
  const double x = std::abs(u.x), y = std::abs(u.y), z = std::abs(u.z);
  const Column axis = x <= y && x <= z ? Column{1, 0, 0} : y <= z ? Column{0, 1, 0} : Column{0, 0, 1};
  const Column n = cross(u, axis);
  return scaled(n, 1 / std::sqrt(dot(n, n)));
}

inline Mat3 matrix(const Column& a, const Column& b, const Column& c) {
  Mat3 m;
  m << a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z;
  return m;
}

inline Column column(const Mat3& m, int j) { return {m.data()[3 * j], m.data()[3 * j + 1], m.data()[3 * j + 2]}; }

// Swaps two pairs of columns and flips one, so that determinants keep their sign.
inline void exchange(Column& a, Column& b, Column& va, Column& vb) {
  std::swap(a, b);
  std::swap(va, vb);
  b = scaled(b, -1);
  vb = scaled(vb, -1);
}

// For entries whose squares neither overflow nor vanish.
Svd3 svd3_scaled(const Mat3& F) {
  Column b[3] = {column(F, 0), column(F, 1), column(F, 2)};
  Column v[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  bool near = false, turned = true;
  for (int sweep = 0; turned && sweep < kMaxSweeps; ++sweep) {
    // Together where that works; now and then one by one in any case, which always converges.
    if (sweep % 5 != 0) turned = turn_together(b, v, near);
    if (sweep % 5 != 0 && (near || !turned)) continue;
    turned = orthogonalise(b[0], b[1], v[0], v[1]);
    turned |= orthogonalise(b[0], b[2], v[0], v[2]);
    turned |= orthogonalise(b[1], b[2], v[1], v[2]);
  }
  Column &b0 = b[0], &b1 = b[1], &b2 = b[2], &v0 = v[0], &v1 = v[1], &v2 = v[2];
  double n0 = dot(b0, b0), n1 = dot(b1, b1), n2 = dot(b2, b2);
  if (n0 < n1) exchange(b0, b1, v0, v1), std::swap(n0, n1);
  if (n0 < n2) exchange(b0, b2, v0, v2), std::swap(n0, n2);
  if (n1 < n2) exchange(b1, b2, v1, v2), std::swap(n1, n2);

  // V collected one rounding a rotation: a last Gram-Schmidt step takes it back to a rotation.
  v0 = scaled(v0, 1 / std::sqrt(dot(v0, v0)));
  v1 = minus(v1, scaled(v0, dot(v0, v1)));
  v1 = scaled(v1, 1 / std::sqrt(dot(v1, v1)));
  v2 = cross(v0, v1);

  // U from the columns F V. The last one is the cross product, which puts the sign of det F into sigma2.
  const double sigma0 = std::sqrt(n0);
  const Column u0 = scaled(b0, 1 / sigma0);
  Column u1;
  if (n1 > 1e-280) {
    u1 = scaled(b1, 1 / std::sqrt(n1));
    u1 = minus(u1, scaled(u0, dot(u0, u1)));
    u1 = scaled(u1, 1 / std::sqrt(dot(u1, u1)));
  } else {
    u1 = any_normal(u0);
  }
  const Column u2 = cross(u0, u1);
  const double sigma1 = std::min(sigma0, std::sqrt(n1));
  const double sigma2 = std::clamp(dot(u2, b2), -sigma1, sigma1);
  return {matrix(u0, u1, u2), matrix(v0, v1, v2), Vec3(sigma0, sigma1, sigma2)};
}

// The power of two to multiply with (and the one to undo it); 0 when no scaling is needed.
inline int scaling_exponent(double largest) { return largest > 1e-60 && largest < 1e60 ? 0 : -std::ilogb(largest); }

}  // namespace

Svd3 svd3(const Mat3& F) {
  const double largest = F.cwiseAbs().maxCoeff();
  if (largest == 0) return {Mat3::Identity(), Mat3::Identity(), Vec3::Zero()};
  const int exponent = scaling_exponent(largest);
  if (exponent == 0) return svd3_scaled(F);
  const Mat3 scaled_F = F.unaryExpr([&](double f) { return std::scalbn(f, exponent); });
  Svd3 svd = svd3_scaled(scaled_F);
  svd.sigma = svd.sigma.unaryExpr([&](double s) { return std::scalbn(s, -exponent); });
  return svd;
}

namespace {

// Newton's iteration for the rotation [Higham 1986], X <- (X + X^-T) / 2, which soon doubles its digits where no
// stretch is small beside the others. False elsewhere; then R is of no use.
bool rotation_by_newton(const Mat3& F, Mat3& R) {
  constexpr double kRound = 0.1;  // determinant beside that of a sphere of the same size
  constexpr int kMost = 12;
  const Column f[3] = {column(F, 0), column(F, 1), column(F, 2)};
  const double square = (dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2])) / 3;
  if (!(square > 1e-60 && square < 1e60)) return false;
  const double size = std::sqrt(square), inverse_size = 1 / size;
  Column x[3] = {scaled(f[0], inverse_size), scaled(f[1], inverse_size), scaled(f[2], inverse_size)};
  if (!(dot(x[0], cross(x[1], x[2])) > kRound)) return false;
  for (int k = 0; k < kMost; ++k) {
    // Columns of X^-T are those of the cofactors over the determinant.
    const Column c[3] = {cross(x[1], x[2]), cross(x[2], x[0]), cross(x[0], x[1])};
    const double inverse = 1 / dot(x[0], c[0]);
    double change = 0;
    for (int j = 0; j < 3; ++j) {
      const Column d = scaled(minus(scaled(c[j], inverse), x[j]), 0.5);
      x[j] = {x[j].x + d.x, x[j].y + d.y, x[j].z + d.z};
      change += dot(d, d);
    }
    // The error after a step is about the square of the step.
    if (change < 1e-17) {
      R = matrix(x[0], x[1], x[2]);
      return true;
    }
  }
  return false;
}

}  // namespace

Polar3 polar3(const Mat3& F) {
  Polar3 polar;
  if (rotation_by_newton(F, polar.R)) {
    const Mat3 S = polar.R.transpose() * F;
    polar.S = 0.5 * (S + S.transpose());
    return polar;
  }
  const Svd3 svd = svd3(F);
  polar.R.noalias() = svd.U * svd.V.transpose();
  const Mat3 scaled_V = svd.V * svd.sigma.asDiagonal();
  polar.S.noalias() = scaled_V * svd.V.transpose();
  // Exactly symmetric, whatever the order of the products.
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) polar.S(i, j) = polar.S(j, i);
  return polar;
}

namespace {

// One rotation of cyclic Jacobi on rows and columns a, b of a symmetric matrix; c is the third one.
inline bool annihilate(double& aa, double& bb, double& ab, double& ac, double& bc, Column& va, Column& vb) {
  // Relative to the diagonal where that is large, so that graded matrices keep their small eigenvalues.
  if (ab * ab <= kEps * kEps * std::abs(aa * bb) || std::abs(ab) < 1e-150) return false;
  double c, s;
  jacobi_angle(aa, bb, ab, c, s);
  const double shift = (s / c) * ab;
  aa += shift;
  bb -= shift;
  ab = 0;
  const double old = ac;
  ac = c * old + s * bc;
  bc = c * bc - s * old;
  rotate(va, vb, c, s);
  return true;
}

}  // namespace

SymEigen3 sym_eigen3(const Mat3& A) {
  const double largest = A.cwiseAbs().maxCoeff();
  if (largest == 0) return {Vec3::Zero(), Mat3::Identity()};
  const int exponent = scaling_exponent(largest);
  const Mat3 S = exponent == 0 ? A : A.unaryExpr([&](double f) { return std::scalbn(f, exponent); });
  const double* m = S.data();
  double xx = m[0], yy = m[4], zz = m[8], xy = m[1], xz = m[2], yz = m[5];
  Column v0{1, 0, 0}, v1{0, 1, 0}, v2{0, 0, 1};
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool turned = annihilate(xx, yy, xy, xz, yz, v0, v1);
    turned |= annihilate(xx, zz, xz, xy, yz, v0, v2);
    turned |= annihilate(yy, zz, yz, xy, xz, v1, v2);
    if (!turned) break;
  }
  if (yy < xx) std::swap(xx, yy), std::swap(v0, v1);
  if (zz < xx) std::swap(xx, zz), std::swap(v0, v2);
  if (zz < yy) std::swap(yy, zz), std::swap(v1, v2);
  v0 = scaled(v0, 1 / std::sqrt(dot(v0, v0)));
  v1 = minus(v1, scaled(v0, dot(v0, v1)));
  v1 = scaled(v1, 1 / std::sqrt(dot(v1, v1)));
  v2 = cross(v0, v1);
  SymEigen3 result{Vec3(xx, yy, zz), matrix(v0, v1, v2)};
  if (exponent != 0) result.values = result.values.unaryExpr([&](double s) { return std::scalbn(s, -exponent); });
  return result;
}

}  // namespace supple
