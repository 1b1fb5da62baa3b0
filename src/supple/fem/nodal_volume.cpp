#include "supple/fem/nodal_volume.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

#include "supple/base/parallel.h"

namespace supple {

namespace {

Mat3 cofactor(const Mat3& F) {
  Mat3 C;
  C.col(0) = F.col(1).cross(F.col(2));
  C.col(1) = F.col(2).cross(F.col(0));
  C.col(2) = F.col(0).cross(F.col(1));
  return C;
}

// det(I + H) - 1 without cancellation.
double volume_change(const Mat3& H) {
  const double minors = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0) + H(0, 0) * H(2, 2) - H(0, 2) * H(2, 0) +
                        H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1);
  return H.trace() + minors + H.determinant();
}

}  // namespace

MaterialParameters split_volume(const MaterialParameters& p, double* remainder) {
  const double nu = p.poisson_ratio, mu = p.youngs_modulus / (2 * (1 + nu));
  const double kept = std::min(nu, kElementPoisson);
  const double lambda = 2 * mu * nu / (1 - 2 * nu), lambda_kept = 2 * mu * kept / (1 - 2 * kept);
  *remainder = lambda - lambda_kept;
  MaterialParameters q = p;
  q.poisson_ratio = kept;
  q.youngs_modulus = 2 * mu * (1 + kept);
  return q;
}

NodalVolume::NodalVolume(const TetMesh& mesh, const std::vector<double>& kappa, bool linear)
    : tets_(mesh.tets), linear_(linear) {
  std::vector<std::vector<int>> around(mesh.vertices.size());
  for (int t = 0; t < mesh.n_tets(); ++t) {
    const Tet& v = tets_[t];
    Mat3 Dm;
    for (int a = 0; a < 3; ++a) Dm.col(a) = mesh.vertices[v[a + 1]] - mesh.vertices[v[0]];
    vol_.push_back(std::abs(Dm.determinant()) / 6);
    Eigen::Matrix<double, 3, 4> g;
    g.rightCols<3>() = Dm.inverse().transpose();
    g.col(0) = -g.rightCols<3>().rowwise().sum();
    gradient_.push_back(g);
    for (int i : v) around[i].push_back(t);
  }
  for (auto& tets : around) {
    if (tets.empty()) continue;
    Patch p;
    for (int t : tets) {
      p.volume += vol_[t] / 4;
      p.kappa += vol_[t] / 4 * kappa[t];
      p.vertices.insert(p.vertices.end(), tets_[t].begin(), tets_[t].end());
    }
    p.kappa /= p.volume;
    if (p.kappa <= 0) continue;
    std::sort(p.vertices.begin(), p.vertices.end());
    p.vertices.erase(std::unique(p.vertices.begin(), p.vertices.end()), p.vertices.end());
    for (int t : tets) {
      std::array<int, 4> local;
      for (int a = 0; a < 4; ++a)
        local[a] =
            static_cast<int>(std::lower_bound(p.vertices.begin(), p.vertices.end(), tets_[t][a]) - p.vertices.begin());
      p.local.push_back(local);
    }
    p.tets = std::move(tets);
    patches_.push_back(std::move(p));
  }
}

void NodalVolume::couple(PatternBuilder& pattern) const {
  for (const Patch& p : patches_) pattern.couple(p.vertices);
}

void NodalVolume::add(const Kinematics& x, const Evaluation& out) const {
  // Volume change and its gradient C g_a in every tet, then one pass over the patches.
  std::vector<double> change(tets_.size());
  std::vector<Mat3> F(tets_.size());
  std::vector<Eigen::Matrix<double, 3, 4>> slope(tets_.size());
  parallel_for(tets_.size(), 512, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) {
      Mat3 H = Mat3::Zero();
      for (int a = 0; a < 4; ++a) H += x.u.segment<3>(3 * tets_[t][a]) * gradient_[t].col(a).transpose();
      F[t] = linear_ ? Mat3(Mat3::Identity()) : Mat3(Mat3::Identity() + H);
      change[t] = linear_ ? H.trace() : volume_change(H);
      slope[t] = cofactor(F[t]) * gradient_[t];
    }
  });
  for (const Patch& p : patches_) {
    double mean = 0;
    for (int t : p.tets) mean += vol_[t] / 4 * change[t];
    mean /= p.volume;
    const double pressure = p.kappa * mean;
    if (out.energy) *out.energy += 0.5 * p.volume * p.kappa * mean * mean;
    if (!out.residual && !out.matrix) continue;
    // Gradient of V_v Jbar_v over the patch.
    const size_t n = p.vertices.size();
    MatX d = MatX::Zero(3, static_cast<Eigen::Index>(n));
    for (size_t i = 0; i < p.tets.size(); ++i)
      for (int a = 0; a < 4; ++a) d.col(p.local[i][a]) += vol_[p.tets[i]] / 4 * slope[p.tets[i]].col(a);
    if (out.residual)
      for (size_t i = 0; i < n; ++i)
        out.residual->segment<3>(3 * p.vertices[i]) += pressure * d.col(static_cast<Eigen::Index>(i));
    if (!out.matrix) continue;
    const BlockPattern& pattern = *out.matrix->pattern;
    const double w = p.kappa / p.volume;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double* b = out.matrix->block(pattern.find(p.vertices[i], p.vertices[j]));
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c)
            b[3 * r + c] += w * d(r, static_cast<Eigen::Index>(i)) * d(c, static_cast<Eigen::Index>(j));
      }
    if (linear_ || out.project) continue;  // the curvature of J has no sign: projected, it is left out
    for (size_t i = 0; i < p.tets.size(); ++i) {
      const int t = p.tets[i];
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          if (tets_[t][b] >= tets_[t][a]) continue;
          const Vec3 turn = pressure * vol_[t] / 4 * (F[t] * gradient_[t].col(a).cross(gradient_[t].col(b)));
          double* k = out.matrix->block(pattern.find(tets_[t][a], tets_[t][b]));
          k[1] += turn[2], k[3] -= turn[2], k[2] -= turn[1], k[6] += turn[1], k[5] += turn[0], k[7] -= turn[0];
        }
    }
  }
}

}  // namespace supple
