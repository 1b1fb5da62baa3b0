// Singular values and symmetric eigenvalues of 3x3 matrices, four at a time. Same conventions as linalg/svd3.h.
#pragma once
#include "supple/fem/lanes.h"

namespace supple {
inline namespace SUPPLE_LANES {

struct LaneSvd {
  LaneMatrix U, V;   // rotations
  LaneVector sigma;  // descending in size; z carries the sign of det F
};

// A symmetric matrix.
struct LaneSymmetric {
  Lanes xx, yy, zz, yz, xz, xy;
};

namespace lane_detail {

constexpr int kMaxSweeps = 12;         // a safety net: four or five are the rule
constexpr double kConverged = 1e-13;   // off-diagonal size against the diagonal
constexpr double kVanishing = 1e-140;  // entries below it count as zero, as their squares would

// (a, b) <- (c a + s b, c b - s a)
[[gnu::always_inline]] inline void rotate(LaneVector& a, LaneVector& b, const Lanes& c, const Lanes& s) {
  const LaneVector old = a;
  a = c * a + s * b;
  b = c * b - s * old;
}

// One rotation of cyclic Jacobi that makes entry ab vanish; c is the third row. Where ab is zero nothing changes.
[[gnu::always_inline]] inline void annihilate(Lanes& aa, Lanes& bb, Lanes& ab, Lanes& ac, Lanes& bc, LaneVector& va,
                                              LaneVector& vb) {
  const Lanes d = aa - bb, e = ab + ab;
  const Lanes reach = absolute(d) + square_root(d * d + e * e) + kVanishing;
  const Lanes t = times_sign(e / reach, d);  // tangent of the smaller angle
  const Lanes c = 1.0 / square_root(1.0 + t * t), s = t * c;
  const Lanes shift = t * ab, old = ac;
  aa += shift;
  bb -= shift;
  ab = 0.0;
  ac = c * ac + s * bc;
  bc = c * bc - s * old;
  rotate(va, vb, c, s);
}

// Diagonalises A; on return its diagonal holds the eigenvalues and the columns of V the vectors, unsorted.
[[gnu::always_inline]] inline LaneMatrix jacobi(LaneSymmetric& A) {
  LaneMatrix V = diagonal(1.0);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const Lanes size = absolute(A.xx) + absolute(A.yy) + absolute(A.zz);
    const Lanes off = absolute(A.xy) + absolute(A.xz) + absolute(A.yz);
    if (!any(off > kConverged * size)) break;
    annihilate(A.xx, A.yy, A.xy, A.xz, A.yz, V.c0, V.c1);
    annihilate(A.xx, A.zz, A.xz, A.xy, A.yz, V.c0, V.c2);
    annihilate(A.yy, A.zz, A.yz, A.xy, A.xz, V.c1, V.c2);
  }
  return V;
}

// Swaps two columns where x < y, turning one round so that V stays a rotation.
[[gnu::always_inline]] inline void order(Lanes& x, Lanes& y, LaneVector& vx, LaneVector& vy) {
  const LaneMask swap = x < y;
  const Lanes old = x;
  x = select(swap, y, x);
  y = select(swap, old, y);
  const LaneVector column = vx;
  vx = select(swap, vy, vx);
  vy = select(swap, -1.0 * column, vy);
}

[[gnu::always_inline]] inline LaneVector any_normal(const LaneVector& u) {
  // The cross product with the axis that u is farthest from: x or y, one of which is never nearly parallel.
  const LaneMask use_x = absolute(u.x) < 0.7;
  const LaneVector n = select(use_x, LaneVector{0.0, u.z, -u.y}, LaneVector{-u.z, 0.0, u.x});
  return (1.0 / square_root(dot(n, n))) * n;
}

}  // namespace lane_detail

// F = U diag(sigma) V^T for any finite F with entries below 1e70.
[[gnu::always_inline]] inline LaneSvd lane_svd(const LaneMatrix& F) {
  using namespace lane_detail;
  // V from the eigenvectors of F^T F ...
  LaneSymmetric C{dot(F.c0, F.c0), dot(F.c1, F.c1), dot(F.c2, F.c2), dot(F.c1, F.c2), dot(F.c0, F.c2), dot(F.c0, F.c1)};
  LaneMatrix V = jacobi(C);
  order(C.xx, C.yy, V.c0, V.c1);
  order(C.xx, C.zz, V.c0, V.c2);
  order(C.yy, C.zz, V.c1, V.c2);
  LaneMatrix B = F * V;
  // ... which lost the small stretches to the squaring: one more rotation makes the last two columns orthogonal,
  // the longer one first.
  const Lanes p = dot(B.c1, B.c1), q = dot(B.c2, B.c2), r = dot(B.c1, B.c2);
  const Lanes d = p - q, e = 2.0 * r, length = square_root(d * d + e * e);
  const LaneMask turn = length > kVanishing;
  const Lanes cosine = square_root(0.5 + 0.5 * (absolute(d) / length)), sine = e / (2.0 * cosine * length);
  const LaneMask swap = d < 0.0;
  const Lanes c = select(turn, select(swap, absolute(sine), cosine), 1.0);
  const Lanes s = select(turn, select(swap, times_sign(cosine, e), sine), 0.0);
  rotate(B.c1, B.c2, c, s);
  rotate(V.c1, V.c2, c, s);

  LaneSvd out;
  out.V = V;
  const Lanes n0 = dot(B.c0, B.c0), size0 = square_root(n0);
  const LaneMask zero = n0 < kVanishing;
  out.U.c0 = select(zero, LaneVector{1.0, 0.0, 0.0}, (1.0 / size0) * B.c0);
  const LaneVector b1 = B.c1 - dot(out.U.c0, B.c1) * out.U.c0;
  const Lanes n1 = dot(b1, b1), size1 = square_root(n1);
  const LaneMask line = n1 < larger(1e-36 * n0, kVanishing);
  out.U.c1 = (1.0 / size1) * b1;
  if (any(line)) out.U.c1 = select(line, any_normal(out.U.c0), out.U.c1);
  out.U.c2 = cross(out.U.c0, out.U.c1);
  out.sigma = {select(zero, 0.0, size0), select(line, 0.0, size1), dot(out.U.c2, B.c2)};
  return out;
}

// The nearest positive semidefinite matrix: negative eigenvalues clamped.
[[gnu::always_inline]] inline LaneSymmetric clamped(LaneSymmetric A) {
  const LaneMatrix Q = lane_detail::jacobi(A);
  const LaneVector x = larger(A.xx, 0.0) * Q.c0, y = larger(A.yy, 0.0) * Q.c1, z = larger(A.zz, 0.0) * Q.c2;
  auto entry = [&](const Lanes LaneVector::*i, const Lanes LaneVector::*j) __attribute__((always_inline)) {
    return x.*i * Q.c0.*j + y.*i * Q.c1.*j + z.*i * Q.c2.*j;
  };
  return {entry(&LaneVector::x, &LaneVector::x), entry(&LaneVector::y, &LaneVector::y),
          entry(&LaneVector::z, &LaneVector::z), entry(&LaneVector::y, &LaneVector::z),
          entry(&LaneVector::x, &LaneVector::z), entry(&LaneVector::x, &LaneVector::y)};
}
// Whether some lane has a negative or zero eigenvalue, by leading minors.
[[gnu::always_inline]] inline bool any_not_positive(const LaneSymmetric& A) {
  const Lanes minor = A.xx * A.yy - A.xy * A.xy;
  const Lanes det =
      A.xx * (A.yy * A.zz - A.yz * A.yz) - A.xy * (A.xy * A.zz - A.yz * A.xz) + A.xz * (A.xy * A.yz - A.yy * A.xz);
  return !all((A.xx > 0.0) & (minor > 0.0) & (det > 0.0));
}

}  // namespace SUPPLE_LANES
}  // namespace supple
