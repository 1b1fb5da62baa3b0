#include "supple/sim/ringdown.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/linalg/dense.h"

namespace supple {

namespace {

// y smoothed by two running means of `step` samples and thinned to every step-th. A running mean turns exp(s t) into
// g(s) exp(s t): rates stay, strengths are divided by g again, and what would alias is weak.
std::vector<double> thinned(const std::vector<double>& y, size_t step) {
  if (step == 1) return y;
  std::vector<double> out;
  for (size_t i = 0; i + 2 * step - 1 <= y.size(); i += step) {
    double sum = 0;
    for (size_t k = 0; k + 1 < 2 * step; ++k) sum += y[i + k] * static_cast<double>(std::min(k + 1, 2 * step - 1 - k));
    out.push_back(sum / static_cast<double>(step * step));
  }
  return out;
}

std::complex<double> smoothing_gain(std::complex<double> z, size_t step) {
  std::complex<double> mean = 0, power = 1;
  for (size_t k = 0; k < step; ++k, power *= z) mean += power / static_cast<double>(step);
  return mean * mean;
}

// Poles of the signal subspace V (columns), as factors from one sample to the next.
Eigen::VectorXcd shift_factors(const Eigen::MatrixXd& V) {
  const Eigen::Index L = V.rows() - 1;
  return eigenvalues(least_squares(V.topRows(L), MatX(V.bottomRows(L))));
}

}  // namespace

std::vector<PoleFit> fit_poles(const std::vector<double>& samples, double dt, const std::vector<int>& ranks,
                               size_t max_samples) {
  if (samples.size() < 8 || !(dt > 0)) return {};
  max_samples = std::max<size_t>(max_samples, 8);
  const size_t step = (samples.size() + max_samples - 1) / max_samples;
  const std::vector<double> kept = thinned(samples, step);
  const auto n = static_cast<Eigen::Index>(kept.size()), L = n / 2;
  if (n < 8) return {};
  Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(kept.data(), n);
  if (!y.allFinite()) return {};
  const double size = y.cwiseAbs().maxCoeff(), mean = y.mean();
  y.array() -= mean;
  const double scale = y.cwiseAbs().maxCoeff();
  if (scale <= 1e-13 * size) return {};

  Eigen::MatrixXd hankel(n - L, L + 1);
  for (Eigen::Index j = 0; j <= L; ++j) hankel.col(j) = y.segment(j, n - L) / scale;
  const RightSingular svd = right_singular(hankel);
  const Eigen::VectorXd& s = svd.values;
  const Eigen::Index bearable = std::clamp<Eigen::Index>((s.array() > 1e-7 * s[0]).count(), 1, L - 1);

  std::vector<PoleFit> fits;
  std::vector<int> wanted = ranks;
  std::sort(wanted.begin(), wanted.end());
  for (const int asked : wanted) {
    const Eigen::Index rank = std::clamp<Eigen::Index>(asked, 1, bearable);
    if (!fits.empty() && fits.back().rank == rank) continue;
    const Eigen::VectorXcd all = shift_factors(svd.vectors.leftCols(rank));

    // Left out: noise that dies within a sample, and growth that no record of a ring-down shows.
    std::vector<std::complex<double>> factors;
    for (const std::complex<double>& z : all)
      if (std::abs(z) > 1e-8 && std::log(std::abs(z)) * static_cast<double>(n - 1) < 5) factors.push_back(z);
    PoleFit fit;
    fit.rank = static_cast<int>(rank);
    fit.mean = mean;
    fit.signal_rms = std::sqrt(y.squaredNorm() / static_cast<double>(n));
    fit.samples = static_cast<double>(n);
    fit.duration_s = dt * static_cast<double>(samples.size() - 1);

    // Strength of each pole, by least squares over the record.
    Eigen::MatrixXcd powers(n, static_cast<Eigen::Index>(factors.size()));
    for (Eigen::Index k = 0; k < powers.cols(); ++k) {
      std::complex<double> power = 1;
      for (Eigen::Index i = 0; i < n; ++i, power *= factors[static_cast<size_t>(k)]) powers(i, k) = power;
    }
    Eigen::VectorXcd left = y.cast<std::complex<double>>();
    if (powers.cols() > 0) {
      const Eigen::VectorXcd strength = least_squares(powers, left);
      left -= powers * strength;
      for (Eigen::Index k = 0; k < powers.cols(); ++k) {
        ExponentialTerm pole;
        pole.rate = std::log(factors[static_cast<size_t>(k)]) / (dt * static_cast<double>(step));
        pole.strength = strength[k] / smoothing_gain(std::exp(pole.rate * dt), step);
        pole.energy = powers.col(k).squaredNorm() * std::norm(strength[k]);
        fit.poles.push_back(pole);
      }
    }
    fit.residual_rms = std::sqrt(left.squaredNorm() / static_cast<double>(n));
    fits.push_back(std::move(fit));
  }
  return fits;
}

Ringdown dominant_ringdown(const PoleFit& fit) {
  Ringdown result;
  const double T = fit.duration_s;
  double all = 0;
  const ExponentialTerm* best = nullptr;
  result.offset = fit.mean;
  for (const ExponentialTerm& pole : fit.poles) {
    const double f = pole.rate.imag() / (2 * std::numbers::pi);
    const bool slow = std::abs(f) * T < 0.25 && std::abs(pole.rate.real()) * T < 2;
    if (std::abs(pole.rate) * T < 0.5) result.offset += pole.strength.real();
    if (!slow) all += pole.energy;
    if (f * T >= 0.8 && (!best || pole.energy > best->energy)) best = &pole;
  }
  if (!best) return result;
  const double decay = -best->rate.real();
  result.frequency_hz = best->rate.imag() / (2 * std::numbers::pi);
  result.natural_hz = std::abs(best->rate) / (2 * std::numbers::pi);
  result.half_life_s = decay > 0 ? std::numbers::ln2 / decay : std::numeric_limits<double>::infinity();
  result.amplitude = 2 * std::abs(best->strength);
  result.phase_rad = std::arg(best->strength);
  result.share = std::min(1.0, 2 * best->energy / all);  // a pole and its conjugate
  // Less than two fifths of what moves is not what one sees; less than twice the misfit may be noise.
  const double rms = std::sqrt(2 * best->energy / fit.samples);
  result.found = result.share > 0.4 && rms > 2 * fit.residual_rms;
  return result;
}

Ringdown fit_ringdown(const std::vector<double>& y, double dt, int max_poles) {
  const std::vector<PoleFit> fits = fit_poles(y, dt, {max_poles});
  return fits.empty() ? Ringdown{} : dominant_ringdown(fits.back());
}

}  // namespace supple
