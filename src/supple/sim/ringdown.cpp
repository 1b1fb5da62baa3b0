#include "supple/sim/ringdown.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace supple {

Ringdown fit_ringdown(const std::vector<double>& samples, double dt, int max_poles) {
  Ringdown result;
  if (samples.size() < 8) return result;
  // Long records are thinned to a size whose decomposition is quick; the lowest mode is far below the new rate.
  const size_t thin = (samples.size() + 599) / 600;
  std::vector<double> y;
  for (size_t i = 0; i < samples.size(); i += thin) y.push_back(samples[i]);
  dt *= static_cast<double>(thin);
  const auto n = static_cast<Eigen::Index>(y.size()), L = n / 2;
  Eigen::MatrixXd hankel(n - L, L + 1);
  for (Eigen::Index i = 0; i < hankel.rows(); ++i)
    for (Eigen::Index j = 0; j <= L; ++j) hankel(i, j) = y[static_cast<size_t>(i + j)];
  if (!hankel.allFinite() || hankel.cwiseAbs().maxCoeff() == 0) return result;

  const Eigen::BDCSVD<Eigen::MatrixXd> svd(hankel, Eigen::ComputeThinV);
  const Eigen::VectorXd s = svd.singularValues();
  Eigen::Index rank = (s.array() > 1e-7 * s[0]).count();
  rank = std::max<Eigen::Index>(1, std::min<Eigen::Index>({rank, max_poles, L - 1}));
  const Eigen::MatrixXd V = svd.matrixV().leftCols(rank);
  const Eigen::MatrixXd shift = V.topRows(L).colPivHouseholderQr().solve(V.bottomRows(L));
  const Eigen::VectorXcd poles = shift.eigenvalues();

  // Strength of each pole, by least squares over the record.
  Eigen::MatrixXcd powers(n, poles.size());
  for (Eigen::Index k = 0; k < poles.size(); ++k) {
    std::complex<double> z = 1;
    for (Eigen::Index i = 0; i < n; ++i, z *= poles[k]) powers(i, k) = z;
  }
  Eigen::VectorXcd data(n);
  for (Eigen::Index i = 0; i < n; ++i) data[i] = y[static_cast<size_t>(i)];
  if (!powers.allFinite()) return result;
  const Eigen::VectorXcd strength = powers.colPivHouseholderQr().solve(data);

  const double duration = static_cast<double>(n - 1) * dt;
  double best = 0, all = 0;
  for (Eigen::Index k = 0; k < poles.size(); ++k) {
    if (std::abs(poles[k]) < 1e-8) continue;
    const std::complex<double> rate = std::log(poles[k]) / dt;
    const double energy = powers.col(k).squaredNorm() * std::norm(strength[k]);
    all += energy;
    const double f = rate.imag() / (2 * std::numbers::pi);
    if (f < 0.8 / duration || f > 0.5 / dt || energy <= best) continue;
    best = energy;
    result.found = true;
    result.frequency_hz = f;
    result.half_life_s = rate.real() < 0 ? std::numbers::ln2 / -rate.real() : std::numeric_limits<double>::infinity();
    result.amplitude = 2 * std::abs(strength[k]);
  }
  // A pole and its conjugate share an oscillation's energy: less than a fifth of all is not what one sees.
  result.found = result.found && best > 0.2 * all;
  return result;
}

}  // namespace supple
