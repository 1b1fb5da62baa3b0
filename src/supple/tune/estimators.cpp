#include "supple/tune/estimators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "supple/sim/ringdown.h"

namespace supple {

namespace {

// Relative width of a set of numbers; infinite ones make it infinite unless all are.
double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? 0 : (*high - *low) / std::abs(*low);
}

RingEstimate estimate_once(const std::vector<double>& y, double dt) {
  RingEstimate e;
  // A constant and one, two, three modes are 3, 5, 7; more for what is not quite a sum of modes.
  const std::vector<PoleFit> fits = fit_poles(y, dt, {2, 3, 4, 5, 6, 7, 8, 9, 12, 16});
  if (fits.empty()) {
    e.reason = y.size() < 8 ? "fewer than 8 samples" : "the samples do not vary, or are not finite";
    return e;
  }
  // Every unknown takes a share of the noise with it: compare misfits per degree of freedom left.
  const auto misfit = [](const PoleFit& f) {
    return f.residual_rms / std::sqrt(std::max(0.05, 1 - 2.0 * f.rank / f.samples));
  };
  double least = misfit(fits.front());
  for (const PoleFit& f : fits) least = std::min(least, misfit(f));

  std::vector<double> frequencies, half_lives;
  bool first = true;
  for (const PoleFit& f : fits) {
    if (misfit(f) > std::max(1.2 * least, 3e-4 * f.signal_rms)) continue;
    const Ringdown r = dominant_ringdown(f);
    if (!r.found) continue;
    frequencies.push_back(r.frequency_hz);
    half_lives.push_back(r.half_life_s);
    if (!first) continue;
    first = false;
    e.found = true;
    e.frequency_hz = r.frequency_hz;
    e.natural_hz = r.natural_hz;
    e.half_life_s = r.half_life_s;
    e.amplitude = r.amplitude;
    e.phase_rad = r.phase_rad;
    e.offset = r.offset;
    e.share = r.share;
    e.residual = f.residual_rms / f.signal_rms;
    e.periods = f.duration_s * r.frequency_hz;
  }
  if (!e.found) {
    e.reason = "no oscillation stands out";
    return e;
  }
  e.frequency_spread = spread(frequencies);
  e.half_life_spread = spread(half_lives);
  return e;
}

void fft(std::vector<std::complex<double>>& a) {
  const size_t n = a.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (size_t length = 2; length <= n; length <<= 1) {
    const size_t half = length / 2;
    std::vector<std::complex<double>> turn(half);
    for (size_t k = 0; k < half; ++k)
      turn[k] = std::polar(1.0, -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half));
    for (size_t i = 0; i < n; i += length)
      for (size_t k = 0; k < half; ++k) {
        const std::complex<double> u = a[i + k], v = a[i + k + half] * turn[k];
        a[i + k] = u + v;
        a[i + k + half] = u - v;
      }
  }
}

}  // namespace

RingEstimate estimate_ring(const std::vector<double>& y, double dt) {
  RingEstimate e = estimate_once(y, dt);
  // A tail in which nothing is left only adds noise: twelve half-lives leave 0.02 %.
  const double useful = std::max(12 * e.half_life_s, e.found ? 2.5 / e.frequency_hz : 0);
  if (e.found && useful + dt < static_cast<double>(y.size()) * dt) {
    const auto n = static_cast<std::ptrdiff_t>(std::max(32.0, std::ceil(useful / dt)));
    if (n < static_cast<std::ptrdiff_t>(y.size())) {
      const RingEstimate shorter = estimate_once(std::vector<double>(y.begin(), y.begin() + n), dt);
      if (shorter.found) e = shorter;
    }
  }
  if (!e.found) return e;
  if (e.frequency_spread > 0.3) {
    e.found = false;
    e.reason =
        fmt::format("the frequency depends on how many modes are fitted (spread {:.0f} %)", 100 * e.frequency_spread);
    return e;
  }
  const double record = static_cast<double>(y.size() - 1) * dt;
  e.half_life_found = e.half_life_s < 5 * record && e.half_life_spread < 0.3;
  if (!(e.half_life_s < 5 * record))
    e.reason = "does not decay within the record";
  else if (!e.half_life_found)
    e.reason =
        fmt::format("the half-life depends on how many modes are fitted (spread {:.0f} %)", 100 * e.half_life_spread);
  else if (e.periods < 1.9)
    e.reason = fmt::format("only {:.1f} periods in the record", e.periods);
  return e;
}

Spectrum spectrum(const std::vector<double>& y, double dt) {
  Spectrum s;
  const size_t n = y.size();
  if (n < 8 || !(dt > 0) || !std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); })) return s;
  size_t padded = 1;
  while (padded < 8 * n) padded <<= 1;

  // The mean under the window goes, so that nothing leaks from zero frequency.
  std::vector<double> window(n);
  double total = 0, mean = 0;
  for (size_t i = 0; i < n; ++i) {
    window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(n + 1));
    total += window[i];
    mean += window[i] * y[i];
  }
  mean /= total;
  std::vector<std::complex<double>> a(padded);
  double size = 0;
  for (size_t i = 0; i < n; ++i) {
    a[i] = window[i] * (y[i] - mean);
    size = std::max(size, std::abs(y[i]));
  }
  fft(a);
  s.bin_hz = 1 / (static_cast<double>(padded) * dt);
  s.magnitude.resize(padded / 2 + 1);
  for (size_t k = 0; k < s.magnitude.size(); ++k) s.magnitude[k] = 2 * std::abs(a[k]) / total;

  // A frequency needs a period within the record.
  size_t top = 0;
  for (size_t k = padded / n; k + 1 < s.magnitude.size(); ++k) {
    const bool peak = k > 0 && s.magnitude[k] >= s.magnitude[k - 1] && s.magnitude[k] > s.magnitude[k + 1];
    if (peak && (top == 0 || s.magnitude[k] > s.magnitude[top])) top = k;
  }
  if (top == 0 || s.magnitude[top] <= 1e-13 * size) return s;
  const double l = std::log(s.magnitude[top - 1]), c = std::log(s.magnitude[top]), r = std::log(s.magnitude[top + 1]);
  const double bend = l - 2 * c + r, shift = bend < 0 && std::isfinite(bend) ? 0.5 * (l - r) / bend : 0;
  s.found = true;
  s.peak_hz = (static_cast<double>(top) + shift) * s.bin_hz;
  s.peak_magnitude = std::exp(c - 0.25 * (l - r) * shift);
  return s;
}

}  // namespace supple
