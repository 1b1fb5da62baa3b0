#include "supple/tune/direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/error.h"

namespace supple {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kReach = 8;

void require_positive(double value, const char* name) {
  if (!(value > 0) || !std::isfinite(value))
    throw InputError({.place = name}, fmt::format("{} is not a positive number", value), "give a number above zero");
}

double decay_of(const Swing& s) { return std::isfinite(s.half_life_s) ? std::numbers::ln2 / s.half_life_s : 0; }

void check(const Swing& s) {
  require_positive(s.fps, "frame rate");
  require_positive(s.frequency_hz, "frequency");
  if (!(s.half_life_s > 0)) throw InputError({.place = "half-life"}, "is not positive");
  if (!std::isfinite(s.phase_rad) || !std::isfinite(s.from_frame))
    throw InputError({.place = "swing"}, "phase or first frame is not finite");
}

// exp(-decay t) cos(angle) is lowest where tan(angle) = -decay / omega, a little before angle = pi.
double low_angle(double decay, double omega, int k) { return kPi * (1 + 2 * k) - std::atan2(decay, omega); }

// In [-pi, pi]: lows are then counted from k = 0; one that would lie before the start is skipped.
double wrapped(double phase) { return std::remainder(phase, 2 * kPi); }

// omega with omega t + phase = low_angle(omega); the left side less the right one grows with omega past its minimum.
// Returns a negative number when there is none.
double omega_for(double t, double phase, double decay, int k, double low, double high) {
  const auto miss = [&](double omega) { return omega * t + phase - low_angle(decay, omega, k); };
  // miss' = t - decay / (omega^2 + decay^2): below this omega it falls, and what lies there is overdamped creep.
  const double turn = std::sqrt(std::max(0.0, decay / t - decay * decay));
  double a = std::max(low, turn), b = high;
  if (a >= b || miss(a) > 0 || miss(b) < 0) return -1;
  for (int i = 0; i < 200 && b - a > 1e-15 * b; ++i) {
    const double m = 0.5 * (a + b);
    (miss(m) < 0 ? a : b) = m;
  }
  return 0.5 * (a + b);
}

}  // namespace

double frequency_for_bounce(double fps, double frames_per_bounce) {
  require_positive(fps, "frame rate");
  require_positive(frames_per_bounce, "frames a bounce");
  return fps / frames_per_bounce;
}

double half_life_to_settle(double fps, double from_frame, double settled_frame, double left) {
  require_positive(fps, "frame rate");
  if (!(left > 0 && left < 1)) throw InputError({.place = "what is left"}, "lies between 0 and 1");
  if (!(settled_frame > from_frame) || !std::isfinite(settled_frame - from_frame))
    throw InputError({.place = "frame to settle by"},
                     fmt::format("frame {} is not after the last impulse at frame {}", settled_frame, from_frame),
                     "choose a later frame");
  return (settled_frame - from_frame) / fps * std::numbers::ln2 / -std::log(left);
}

std::vector<double> low_frames(const Swing& s, double until_frame) {
  check(s);
  std::vector<double> frames;
  if (!std::isfinite(until_frame)) throw InputError({.place = "last frame"}, "is not finite");
  const double omega = 2 * kPi * s.frequency_hz;
  for (int k = 0; k < 1'000'000; ++k) {
    const double t = (low_angle(decay_of(s), omega, k) - wrapped(s.phase_rad)) / omega;
    const double frame = s.from_frame + t * s.fps;
    if (frame > until_frame) break;
    if (t > 0) frames.push_back(frame);
  }
  return frames;
}

LowAt frequency_for_low_at(const Swing& s, double frame) {
  check(s);
  LowAt result;
  result.frequency_hz = s.frequency_hz;
  const double t = (frame - s.from_frame) / s.fps, decay = decay_of(s), phase = wrapped(s.phase_rad);
  if (!(t > 0) || !std::isfinite(t)) {
    result.note = fmt::format("frame {} is not after the last impulse at frame {}", frame, s.from_frame);
    return result;
  }
  const double now = 2 * kPi * s.frequency_hz, low = now / kReach, high = now * kReach;
  double best = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    if (high * t + phase < low_angle(decay, high, k)) break;
    const double omega = omega_for(t, phase, decay, k, low, high);
    if (omega < 0) continue;
    result.candidates.push_back(omega / (2 * kPi));
    if (best == 0 || std::abs(std::log(omega / now)) < std::abs(std::log(best / now))) best = omega;
  }
  result.left = std::exp(-decay * t);
  if (best == 0) {
    // Even the fastest swing within reach is not low yet.
    const std::vector<double> fastest =
        low_frames({s.fps, s.from_frame, s.frequency_hz * kReach, s.half_life_s, s.phase_rad},
                   s.from_frame + s.fps * kReach / s.frequency_hz);
    result.ratio = kReach;
    result.frequency_hz = s.frequency_hz * kReach;
    result.note = fastest.empty()
                      ? "no low point can be reached"
                      : fmt::format("too early: the first low within reach is at frame {:.2f}, at {:.3g} Hz",
                                    fastest.front(), result.frequency_hz);
    return result;
  }
  result.reachable = true;
  result.frequency_hz = best / (2 * kPi);
  result.ratio = best / now;
  const std::vector<double> lows = low_frames({s.fps, s.from_frame, result.frequency_hz, s.half_life_s, s.phase_rad},
                                              frame + 0.25 * s.fps / result.frequency_hz);
  result.bounce = static_cast<int>(lows.size());
  if (result.left < 0.05)
    result.note = fmt::format("only {:.1f} % of the swing is left at that frame", 100 * result.left);
  if (s.fps / result.frequency_hz < 4)
    result.note += fmt::format("{}fewer than 4 frames a bounce", result.note.empty() ? "" : "; ");
  return result;
}

}  // namespace supple
