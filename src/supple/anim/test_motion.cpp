#include "supple/anim/test_motion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/error.h"

namespace supple {

namespace {

constexpr int kLeadFrames = 6;

// A function of time with its first two derivatives.
using Jet = std::array<double, 3>;

// 0 before `start`, 1 after `duration`, along 10 s^3 - 15 s^4 + 6 s^5 between.
Jet ease(double t, double start, double duration) {
  const double s = std::clamp((t - start) / duration, 0.0, 1.0), r = 1 - s;
  return {s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * r * r / duration,
          60 * s * r * (r - s) / (duration * duration)};
}

// The integral of `ease` over time.
Jet eased_path(double t, double start, double duration) {
  const double s = std::clamp((t - start) / duration, 0.0, 1.0), after = std::max(0.0, t - start - duration);
  const Jet e = ease(t, start, duration);
  return {duration * s * s * s * s * (2.5 + s * (s - 3)) + after, e[0], e[1]};
}

Jet add(const Jet& a, double factor, const Jet& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

Jet product(const Jet& a, const Jet& b) {
  return {a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]};
}

// One motion: how far along it is over time, in body sizes or radians.
struct Motion {
  enum class Path { up, side, turn, tilt } path;
  std::function<Jet(double t)> value;
  double end;  // [s] still from here on
};

// Up and down in body sizes.
Motion hop(double lead) {
  struct Step {
    double duration, rise;
  };
  // Crouch, push off to the top, fall into the knees, stand up.
  static constexpr std::array<Step, 4> steps{{{0.35, -0.06}, {0.32, 0.24}, {0.28, -0.24}, {0.40, 0.06}}};
  double end = lead;
  for (const Step& s : steps) end += s.duration;
  return {Motion::Path::up,
          [lead, end](double t) {
            if (t >= end) return Jet{0, 0, 0};  // the sum of the steps but for rounding
            Jet height{0, 0, 0};
            double start = lead;
            for (const Step& s : steps) {
              height = add(height, s.rise, ease(t, start, s.duration));
              start += s.duration;
            }
            return height;
          },
          end};
}

// One body size a second.
Motion stop(double lead, double fps) {
  const double ramp = 0.5, brake = 2 / fps;
  // A whole frame is the last at full speed.
  const double until = std::ceil((lead + ramp + 0.75) * fps) / fps, end = until + brake;
  return {Motion::Path::side,
          [=](double t) {
            const double s = std::min(t, end);
            return add(eased_path(s, lead, ramp), -1, eased_path(s, until, brake));
          },
          end};
}

Motion shake(double lead) {
  const double rate = 2 * std::numbers::pi * 2, period = 0.5, end = lead + 3 * period, amplitude = 0.1;
  return {Motion::Path::side,
          [=](double t) {
            const double s = t - lead, c = std::cos(rate * s), n = std::sin(rate * s);
            // The first and the last half period swing in and out.
            const Jet in = ease(t, lead, 0.5 * period), out = ease(t, end - 0.5 * period, 0.5 * period);
            const Jet wave{amplitude * n, amplitude * rate * c, -amplitude * rate * rate * n};
            return product(wave, product(in, add({1, 0, 0}, -1, out)));
          },
          end};
}

Motion turn(Motion::Path path, double lead, double duration, double degrees) {
  return {path,
          [=](double t) {
            return product({std::numbers::pi / 180 * degrees, 0, 0}, ease(t, lead, duration));
          },
          lead + duration};
}

[[noreturn]] void refuse_motion(const std::string& what, const std::string& advice) {
  throw InputError({.place = "test motion"}, what, advice);
}

Motion motion_of(const std::string& name, double fps, const TestMotionOptions& options) {
  if (!(fps > 0 && fps <= 1e6)) refuse_motion(fmt::format("{:g} frames a second", fps), "give a positive number");
  if (!(options.still_s >= 0 && options.still_s <= 1e4))
    refuse_motion(fmt::format("a still stretch of {:g} s", options.still_s), "give 0 to 10000 seconds");
  const double lead = kLeadFrames / fps;
  if (name == "hop") return hop(lead);
  if (name == "stop") return stop(lead, fps);
  if (name == "twist") return turn(Motion::Path::turn, lead, 0.5, 60);
  if (name == "lean") return turn(Motion::Path::tilt, lead, 2, 30);
  if (name == "shake") return shake(lead);
  const auto& names = test_motion_names();
  const std::string near = nearest_word(name, names.data(), names.data() + names.size());
  refuse_motion("there is no test motion '" + name + "'",
                near.empty() ? fmt::format("Test motions: {}.", fmt::join(names, ", ")) : "Did you mean " + near + "?");
}

}  // namespace

const std::vector<std::string>& test_motion_names() {
  static const std::vector<std::string> names = {"hop", "stop", "twist", "lean", "shake"};
  return names;
}

int test_motion_frames(const std::string& name, double fps, const TestMotionOptions& options) {
  const double seconds = motion_of(name, fps, options).end + options.still_s;
  // Rounding must not add a frame to a whole number of them.
  const double frames = std::ceil(seconds * fps - 1e-6) + 1;
  if (frames > 1e8) refuse_motion(fmt::format("{:g} frames", frames), "lower the frame rate");
  return static_cast<int>(frames);
}

std::unique_ptr<Track> make_test_motion(const std::string& name, const Points& rest, double size, double fps,
                                        const TestMotionOptions& options) {
  const Motion motion = motion_of(name, fps, options);
  if (!(size > 0) || !std::isfinite(size)) refuse_motion(fmt::format("a body of {:g} m", size), "give a positive size");
  const double length = options.up.norm();
  if (!(length > 1e-12) || !std::isfinite(length))
    refuse_motion("up has no direction", "give a vector that is not zero");
  const Vec3 up = options.up / length, hint = std::abs(up.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 side = (hint - hint.dot(up) * up).normalized();

  Vec3 middle = Vec3::Zero();
  for (const Vec3& x : rest) middle += x / static_cast<double>(rest.size());
  const bool turns = motion.path == Motion::Path::turn || motion.path == Motion::Path::tilt;
  // Turning: x = rest + sin(angle) first + (1 - cos(angle)) second. Else x = rest + value first.
  VecX first(3 * static_cast<Eigen::Index>(rest.size())), second = first;
  for (size_t i = 0; i < rest.size(); ++i) {
    const auto at = 3 * static_cast<Eigen::Index>(i);
    if (turns) {
      const Vec3 axis = motion.path == Motion::Path::turn ? up : Vec3(up.cross(side));
      first.segment<3>(at) = axis.cross(rest[i] - middle);
      second.segment<3>(at) = axis.cross(axis.cross(rest[i] - middle));
    } else {
      first.segment<3>(at) = size * (motion.path == Motion::Path::up ? up : side);
    }
  }
  return make_function_track(
      static_cast<int>(rest.size()),
      [turns, value = motion.value, start = flatten(rest), first, second](double t, int derivative) -> VecX {
        const Jet v = value(t);
        if (!turns)
          return derivative == 0 ? VecX(start + v[0] * first) : VecX(v[static_cast<size_t>(derivative)] * first);
        const double c = std::cos(v[0]), s = std::sin(v[0]);
        if (derivative == 0) return start + s * first + (1 - c) * second;
        if (derivative == 1) return v[1] * (c * first + s * second);
        return v[2] * (c * first + s * second) + v[1] * v[1] * (c * second - s * first);
      });
}

}  // namespace supple
