// Frequency and half-life of a decaying oscillation, from its samples.
#pragma once
#include <vector>

namespace supple {

struct Ringdown {
  bool found = false;       // an oscillation with a period shorter than the record, carrying most of the energy
  double frequency_hz = 0;  // damped
  double half_life_s = 0;   // infinity when it does not decay
  double amplitude = 0;     // at the first sample, in the unit of y
};

// The damped sinusoid of largest energy among those that make up y (samples dt apart), by the matrix pencil method
// [Hua and Sarkar 1990]: the poles of a sum of exponentials are the eigenvalues that shift its Hankel matrix by a
// sample.
Ringdown fit_ringdown(const std::vector<double>& y, double dt, int max_poles = 12);

}  // namespace supple
