#include "supple/linalg/krylov.h"

#include <cmath>
#include <vector>

namespace supple {

KrylovReport flexible_gmres(const LinearMap& A, const LinearMap& precondition, const VecX& b, VecX& x, double tolerance,
                            int max_iterations) {
  KrylovReport report;
  x = VecX::Zero(b.size());
  const double norm = b.norm();
  if (norm == 0) {
    report.ok = true;
    return report;
  }
  std::vector<VecX> V = {b / norm}, Z;
  // Hessenberg matrix made triangular by rotations as it grows; g is the rotated right-hand side.
  MatX H = MatX::Zero(max_iterations + 1, max_iterations);
  VecX g = VecX::Zero(max_iterations + 1), c(max_iterations), s(max_iterations);
  g[0] = norm;
  int k = 0;
  for (; k < max_iterations; ++k) {
    Z.push_back(precondition(V.back()));
    VecX w = A(Z.back());
    for (int j = 0; j <= k; ++j) {
      H(j, k) = w.dot(V[j]);
      w -= H(j, k) * V[j];
    }
    const double next = w.norm();
    if (!std::isfinite(next)) return report;
    for (int j = 0; j < k; ++j) {
      const double upper = c[j] * H(j, k) + s[j] * H(j + 1, k);
      H(j + 1, k) = -s[j] * H(j, k) + c[j] * H(j + 1, k);
      H(j, k) = upper;
    }
    const double length = std::hypot(H(k, k), next);
    if (length == 0) break;  // singular: the best so far must do
    c[k] = H(k, k) / length, s[k] = next / length;
    H(k, k) = length;
    g[k + 1] = -s[k] * g[k];
    g[k] *= c[k];
    report.iterations = k + 1;
    report.residual = std::abs(g[k + 1]) / norm;
    if (report.residual <= tolerance || next == 0) {
      ++k;
      break;
    }
    V.push_back(w / next);
  }
  if (k > 0) {
    const VecX y = H.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(g.head(k));
    for (int j = 0; j < k; ++j) x += y[j] * Z[static_cast<size_t>(j)];
  }
  report.ok = report.residual <= tolerance && x.allFinite();
  return report;
}

}  // namespace supple
