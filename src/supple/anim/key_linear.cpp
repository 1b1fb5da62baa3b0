// Straight keys: a chain of segments from the first sample to the last, each passing all samples under it within the
// error. The fewest segments are the shortest way through the graph of segments that do, found breadth first: every
// sample is reached once, by the least number of keys, and a segment is only tried towards samples not yet reached.
#include <algorithm>
#include <cmath>

#include "supple/anim/key_samples.h"

namespace supple {

namespace {

constexpr size_t kFarthest = 600;  // samples that a segment spans while searching; longer ones come from joining

class LinearSegments {
 public:
  explicit LinearSegments(const KeySamples& samples) : s_(samples), hard_(samples.size(), 0) {}

  // Does the way from a to b pass the samples under it? Neighbours always do.
  bool fits(size_t a, size_t b) {
    if (b - a < 2) return true;
    if (s_.measure == KeyMeasure::angle) {
      // On the other half of the sphere players go round the other way.
      double along = 0;
      for (int c = 0; c < 4; ++c) along += s_.key(a)[c] * s_.key(b)[c];
      if (along < 0) return false;
    }
    // First where it failed last time, then here and there, then everywhere.
    if (hard_[a] > a && hard_[a] < b && !passes(a, b, hard_[a])) return false;
    const size_t stride = std::max<size_t>(1, (b - a) / 8);
    for (size_t k = a; k < b; k += stride)
      if (!passes(a, b, k)) return false;
    for (size_t k = a; stride > 1 && k <= b; ++k)
      if (!passes(a, b, k)) return false;
    return passes(a, b, b);
  }

 private:
  bool passes(size_t a, size_t b, size_t k) {
    if (linear_error(s_, a, b, k) <= s_.allowed) return true;
    hard_[a] = k;
    return false;
  }

  const KeySamples& s_;
  std::vector<size_t> hard_;  // by left end: where the last segment that did not fit was off
};

// Keys that are not needed beside their neighbours, from left to right.
void join_segments(std::vector<size_t>& keys, LinearSegments& segments) {
  std::vector<size_t> kept = {keys.front()};
  for (size_t i = 1; i + 1 < keys.size(); ++i)
    if (!segments.fits(kept.back(), keys[i + 1])) kept.push_back(keys[i]);
  kept.push_back(keys.back());
  keys = std::move(kept);
}

}  // namespace

double linear_error(const KeySamples& s, size_t a, size_t b, size_t k) {
  const double span = s.written_times[b] - s.written_times[a];
  const double share = std::clamp((s.times[k] - s.written_times[a]) / span, 0.0, 1.0);
  const double *x = s.key(a), *y = s.key(b), *wanted = s.value(k);
  if (s.measure == KeyMeasure::distance) {
    double apart = 0;
    for (int c = 0; c < s.width; ++c) {
      const double off = (1 - share) * x[c] + share * y[c] - wanted[c];
      apart += off * off;
    }
    return std::sqrt(apart);
  }
  double mixed[4];
  for (int c = 0; c < 4; ++c) mixed[c] = (1 - share) * x[c] + share * y[c];
  normalise(mixed);
  const Quat arc = Quat(x[3], x[0], x[1], x[2]).normalized().slerp(share, Quat(y[3], y[0], y[1], y[2]).normalized());
  return std::max(key_distance(mixed, wanted, 4, KeyMeasure::angle),
                  key_distance(arc.coeffs().data(), wanted, 4, KeyMeasure::angle));
}

std::vector<size_t> linear_keys(const KeySamples& samples) {
  const size_t n = samples.size();
  if (n == 1) return {0};
  LinearSegments segments(samples);
  if (segments.fits(0, n - 1)) return {0, n - 1};
  std::vector<size_t> before(n, n), now = {0}, next;  // before: the key on the way there; n: not reached
  before[0] = 0;
  while (before[n - 1] == n) {
    next.clear();
    for (const size_t a : now) {
      for (size_t b = std::min(n - 1, a + kFarthest); b > a; --b) {
        if (before[b] != n || !segments.fits(a, b)) continue;
        before[b] = a;
        next.push_back(b);
      }
    }
    // From late keys first: of chains as short, one whose last segments are short, and whose reach is soon found.
    std::sort(next.begin(), next.end(), std::greater<>());
    now.swap(next);
  }
  std::vector<size_t> keys = {n - 1};
  while (keys.back() != 0) keys.push_back(before[keys.back()]);
  std::reverse(keys.begin(), keys.end());
  if (n > kFarthest) join_segments(keys, segments);
  return keys;
}

}  // namespace supple
