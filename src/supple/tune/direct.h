// Directing in frames: what an animator says about the timing, as a frequency and a half-life.
#pragma once
#include <string>
#include <vector>

namespace supple {

// A bounce is one whole period. InputError unless both are positive and finite.
double frequency_for_bounce(double fps, double frames_per_bounce);

// Half-life for which `left` of the amplitude remains at settled_frame, counted from the last impulse at from_frame.
double half_life_to_settle(double fps, double from_frame, double settled_frame, double left = 0.05);

// A ring-down 2^(-t / half_life) cos(2 pi frequency t + phase) from from_frame on, as a trial showed it. "Up" is the
// positive direction of the coordinate.
struct Swing {
  double fps = 24;
  double from_frame = 0;
  double frequency_hz = 1;  // damped
  double half_life_s = 1;   // infinity: does not decay
  double phase_rad = 0;
};

// The frames (fractions too) at which a swing is at its lowest, up to `until_frame`.
std::vector<double> low_frames(const Swing& swing, double until_frame);

struct LowAt {
  bool reachable = false;
  double frequency_hz = 0;         // nearest to the present one; the nearest bound when out of reach
  double ratio = 1;                // to the present one
  int bounce = 0;                  // which low it is, 1 the first
  double left = 0;                 // share of the amplitude left at that frame
  std::vector<double> candidates;  // all within reach, ascending [Hz]
  std::string note;                // what can be reached, what is doubtful
};

// The frequency for which a swing is at a lowest point on `frame`, phase and half-life kept. The phase is that of the
// trial: after a short jerk it does not change with the frequency; otherwise measure again and repeat.
// Frequencies from 1/8 to 8 times the present one are within reach.
LowAt frequency_for_low_at(const Swing& swing, double frame);

}  // namespace supple
