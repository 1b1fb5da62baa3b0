// Frequency and half-life of a decaying oscillation, from its samples.
#pragma once
#include <complex>
#include <vector>

namespace supple {

// One term strength * exp(rate * t) of a sum of exponentials; t = 0 is the first sample.
struct ExponentialTerm {
  std::complex<double> rate;  // [1/s]
  std::complex<double> strength;
  double energy = 0;  // sum over the record of |strength * exp(rate * t)|^2
};

struct PoleFit {
  int rank = 0;  // poles looked for; those that grow beyond all measure over the record are left out
  std::vector<ExponentialTerm> poles;
  double mean = 0;          // constant taken off before the fit: y = mean + sum of poles
  double residual_rms = 0;  // of y - fit
  double signal_rms = 0;    // of y - mean
  double samples = 0;       // used by the fit: long records are thinned
  double duration_s = 0;    // of the record
};

// y (samples dt apart) as a sum of exponentials, once for every rank asked that the data bear, ascending; by the matrix
// pencil method [Hua and Sarkar 1990]: the poles are the eigenvalues that shift the data's Hankel matrix by a sample.
// Long records are smoothed and thinned to max_samples; this moves no pole. Empty for fewer than 8 samples, or samples
// that are not finite or do not vary.
std::vector<PoleFit> fit_poles(const std::vector<double>& y, double dt, const std::vector<int>& ranks,
                               size_t max_samples = 600);

// y = offset + amplitude * 2^(-t / half_life) * cos(2 pi frequency t + phase), and weaker parts.
struct Ringdown {
  bool found = false;       // an oscillation with a period shorter than the record, carrying most of the energy
  double frequency_hz = 0;  // damped
  double half_life_s = 0;   // infinity when it does not decay
  double amplitude = 0;     // at the first sample, in the unit of y
  double phase_rad = 0;     // at the first sample
  double natural_hz = 0;    // undamped, |rate| / 2 pi
  double offset = 0;        // where it settles
  double share = 0;         // of the energy of all that moves, constants and slow drifts aside
};

// The oscillation of largest energy in a fit.
Ringdown dominant_ringdown(const PoleFit& fit);
// The damped sinusoid of largest energy among those that make up y (samples dt apart).
Ringdown fit_ringdown(const std::vector<double>& y, double dt, int max_poles = 12);

}  // namespace supple
