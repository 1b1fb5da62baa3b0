// Numbers of a motion from its samples: a ring-down with how far to trust it, a spectrum, a finished take.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// y = offset + amplitude * 2^(-t / half_life) * cos(2 pi frequency t + phase), t from the first sample.
struct RingEstimate {
  bool found = false;
  bool half_life_found = false;  // false too when it does not decay within the record
  std::string reason;            // why something was not found, or should be taken with care; empty otherwise
  double frequency_hz = 0;       // damped
  double natural_hz = 0;         // undamped
  double half_life_s = 0;        // infinity when it does not decay
  double amplitude = 0, phase_rad = 0, offset = 0;
  double periods = 0;           // in the record
  double share = 0;             // of the energy of all that moves, in this oscillation
  double residual = 0;          // rms of the misfit over rms of the signal
  double frequency_spread = 0;  // relative, over the numbers of modes that fit equally well
  double half_life_spread = 0;
};

// The strongest oscillation in y (samples dt apart [s]). Needs two periods or more to be trusted.
RingEstimate estimate_ring(const std::vector<double>& y, double dt);

struct Spectrum {
  bool found = false;             // a peak
  double bin_hz = 0;              // magnitude[k] belongs to k * bin_hz
  std::vector<double> magnitude;  // a steady sinusoid of amplitude a peaks at a
  double peak_hz = 0, peak_magnitude = 0;
};

// Hann window, zeros appended to at least 8 times the length, peak by a parabola through the logarithms.
Spectrum spectrum(const std::vector<double>& y, double dt);

struct TakeOptions {
  Points rest;                    // place of each point at rest; empty: sag stays unknown
  std::vector<Points> reference;  // frames x points: where they would be if nothing jiggled; empty: unknown
  int free_from = -1;             // first frame that nothing drives; negative: find it
};

struct TakeNumbers {
  bool frequency_found = false, half_life_found = false, peak_found = false, sag_found = false;
  double frequency_hz = 0, half_life_s = 0;
  double peak_m = 0;                 // from the reference over the take; without one, from the settled place while free
  double sag_m = 0;                  // settled place from the rest place
  int free_from = -1, free_to = -1;  // frames, both included, of the free stretch used
  Vec3 axis = Vec3::Zero();          // of the oscillation, of the point that moves most
  RingEstimate ring;                 // on the free stretch
  std::string reason;                // what was not found and why, or what is doubtful
};

// Numbers of points followed over the frames of a take; of several points root mean squares over the points.
// The free stretch is the longest one to the end that a few decaying exponentials explain, with the frequency that
// its later part shows. InputError: frame rate or sizes that cannot be.
TakeNumbers measure_take(const std::vector<Points>& frames, double fps, const TakeOptions& options = {});
TakeNumbers measure_take(const Points& path_of_one_point, double fps, const TakeOptions& options = {});

}  // namespace supple
