#include "supple/anim/key_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/key_samples.h"
#include "supple/base/error.h"

namespace supple {

namespace {

[[noreturn]] void refuse_keys(const std::string& place, const std::string& what, const std::string& advice = "") {
  throw InputError({"", 0, 0, place}, "keys cannot be made: " + what, advice);
}

// Unit length, and of q and -q, which turn alike, the one nearer to the sample before.
void mend_turns(KeySamples& s) {
  for (size_t k = 0; k < s.size(); ++k) {
    double* q = s.values.data() + 4 * k;
    const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (!(length > 1e-6)) refuse_keys(fmt::format("sample {}", k), "a rotation has no length");
    double along = 0;
    for (int c = 0; c < 4; ++c) along += k > 0 ? q[c] * q[c - 4] : 0;
    for (int c = 0; c < 4; ++c) q[c] /= along < 0 ? -length : length;
  }
}

// The error that keys at all samples have, at most: what rounding does.
double rounding_of(const KeySamples& s) {
  double most_value = 0, most_time = 0, most_speed = 0;
  std::vector<double> unit(static_cast<size_t>(s.width));
  for (size_t k = 0; k < s.size(); ++k) {
    unit.assign(s.key(k), s.key(k) + s.width);
    if (s.measure == KeyMeasure::angle) normalise(unit.data());
    most_value = std::max(most_value, key_distance(unit.data(), s.value(k), s.width, s.measure));
    most_time = std::max(most_time, std::abs(s.times[k] - s.written_times[k]));
    if (k == 0) continue;
    const double step = key_distance(s.value(k), s.value(k - 1), s.width, s.measure);
    most_speed = std::max(most_speed, step / (s.times[k] - s.times[k - 1]));
  }
  return 1.01 * (most_value + most_time * most_speed) + 1e-15;
}

KeySamples take_samples(const std::vector<double>& times, const std::vector<double>& samples, int width, double error,
                        KeyMeasure measure, double shift) {
  if (times.empty()) refuse_keys("", "there are no samples");
  if (width < 1 || (measure == KeyMeasure::angle && width != 4) ||
      samples.size() != times.size() * static_cast<size_t>(width)) {
    refuse_keys("", fmt::format("{} numbers are no {} samples of {}", samples.size(), times.size(), width));
  }
  if (!(error >= 0)) refuse_keys("", fmt::format("an error of {} cannot be held", error), "It should be at least 0.");
  KeySamples s{
      .width = width, .measure = measure, .times = times, .written_times = {}, .values = samples, .written = {}};
  for (size_t i = 0; i < samples.size(); ++i) {
    if (std::isfinite(static_cast<float>(samples[i]))) continue;
    refuse_keys(fmt::format("sample {}", i / static_cast<size_t>(width)),
                fmt::format("the value {} is not finite or too large for a float", samples[i]));
  }
  for (size_t k = 0; k < times.size(); ++k) {
    s.times[k] += shift;
    s.written_times.push_back(as_float(s.times[k]));
    if (!std::isfinite(s.written_times[k]) || (k > 0 && !(s.written_times[k] > s.written_times[k - 1]))) {
      refuse_keys(fmt::format("sample {}", k),
                  fmt::format("the time {} s is not finite or, as a float, not after the one before", s.times[k]));
    }
  }
  if (measure == KeyMeasure::angle) mend_turns(s);
  for (const double x : s.values) s.written.push_back(as_float(x));
  s.allowed = std::max(error, rounding_of(s));
  return s;
}

// The segment of keys that t lies in: its left key; the last key from there on.
size_t left_key(const std::vector<double>& times, double t) {
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  return next == times.begin() ? 0 : static_cast<size_t>(next - times.begin()) - 1;
}

void mix_on_arc(const double* a, const double* b, double s, double* out) {
  const Quat q = Quat(a[3], a[0], a[1], a[2]).normalized().slerp(s, Quat(b[3], b[0], b[1], b[2]).normalized());
  out[0] = q.x(), out[1] = q.y(), out[2] = q.z(), out[3] = q.w();
}

}  // namespace

double key_distance(const double* a, const double* b, int width, KeyMeasure measure) {
  double apart = 0, summed = 0;  // of a - b, and of a + b
  for (int c = 0; c < width; ++c) {
    apart += (a[c] - b[c]) * (a[c] - b[c]);
    summed += (a[c] + b[c]) * (a[c] + b[c]);
  }
  if (measure == KeyMeasure::distance) return std::sqrt(apart);
  // The chord of two unit quaternions is 2 sin(angle / 4).
  return 4 * std::asin(std::min(1.0, std::sqrt(std::min(apart, summed)) / 2));
}

void normalise(double* q) {
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int c = 0; c < 4; ++c) q[c] /= length > 0 ? length : 1;
}

std::vector<double> play_keys(const ReducedKeys& keys, int width, KeyMeasure measure, double t) {
  const bool cubic = keys.interpolation == Interpolation::cubic;
  const size_t w = static_cast<size_t>(width), stride = cubic ? 3 * w : w;
  const size_t n = std::min(keys.times.size(), keys.values.size() / stride);
  if (n == 0) return {};
  const size_t left = std::min(left_key(keys.times, t), n - 1);
  const double* a = keys.values.data() + left * stride + (cubic ? w : 0);
  std::vector<double> value(a, a + w);
  if (left + 1 < n && t > keys.times[left] && keys.interpolation != Interpolation::step) {
    const double* b = a + stride;
    const double span = keys.times[left + 1] - keys.times[left], s = (t - keys.times[left]) / span;
    if (cubic) {
      const double s2 = s * s, s3 = s2 * s;
      for (size_t c = 0; c < w; ++c) {
        value[c] = (2 * s3 - 3 * s2 + 1) * a[c] + (s3 - 2 * s2 + s) * span * a[w + c] + (3 * s2 - 2 * s3) * b[c] +
                   (s3 - s2) * span * *(b - w + c);
      }
    } else if (measure == KeyMeasure::angle) {
      mix_on_arc(a, b, s, value.data());
    } else {
      for (size_t c = 0; c < w; ++c) value[c] = (1 - s) * a[c] + s * b[c];
    }
  }
  if (measure == KeyMeasure::angle) normalise(value.data());
  return value;
}

ReducedKeys reduce_keys(const std::vector<double>& times, const std::vector<double>& samples, int width, double error,
                        KeyMeasure measure, Interpolation interpolation, double shift) {
  const KeySamples s = take_samples(times, samples, width, error, measure, shift);
  ReducedKeys out;
  // A spline of glTF has two keys at least.
  const bool cubic = interpolation == Interpolation::cubic && s.size() > 1;
  CubicKeys chosen;
  if (cubic) {
    chosen = cubic_keys(s);
    out.interpolation = Interpolation::cubic;
  } else {
    chosen.keys = linear_keys(s);
  }
  const auto add_tangent = [&](size_t i) {
    if (!cubic) return;
    const auto tangent = chosen.tangents.begin() + static_cast<std::ptrdiff_t>(i * static_cast<size_t>(width));
    out.values.insert(out.values.end(), tangent, tangent + width);
  };
  for (size_t i = 0; i < chosen.keys.size(); ++i) {
    const size_t k = chosen.keys[i];
    out.times.push_back(s.written_times[k]);
    add_tangent(i);  // in
    out.values.insert(out.values.end(), s.key(k), s.key(k) + width);
    add_tangent(i);  // out
  }
  for (size_t k = 0; k < s.size(); ++k) {
    const std::vector<double> played = play_keys(out, width, measure, s.times[k]);
    out.largest_error = std::max(out.largest_error, key_distance(played.data(), s.value(k), width, measure));
    if (cubic || chosen.keys.size() < 2) continue;
    const size_t left = std::min(left_key(out.times, s.times[k]), chosen.keys.size() - 2);
    out.largest_error = std::max(out.largest_error, linear_error(s, chosen.keys[left], chosen.keys[left + 1], k));
  }
  for (double& t : out.times) t -= shift;
  return out;
}

}  // namespace supple
