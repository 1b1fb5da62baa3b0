// Splines: Hermite pieces through some of the samples, with the tangents that pass the others best. The sample that is
// farthest off each piece becomes a key until all are near enough; then keys that are not needed any more go.
#include <algorithm>
#include <cmath>

#include "supple/anim/key_samples.h"

namespace supple {

namespace {

// Beside samples between the keys, tangents follow the samples next to their key by this weight, so that pieces
// without samples between have tangents too, and those with few do not swing.
constexpr double kNeighbourWeight = 1e-4;
constexpr double kMostPruning = 2e8;  // samples times keys times numbers: past this no key is tried for going

// The shares of Hermite's form at s in [0, 1]: of the two values and the two tangents (times the length).
struct HermiteShares {
  double left, left_tangent, right, right_tangent;
};
HermiteShares hermite(double s) {
  const double s2 = s * s, s3 = s2 * s;
  return {2 * s3 - 3 * s2 + 1, s3 - 2 * s2 + s, 3 * s2 - 2 * s3, s3 - s2};
}

class SplineFit {
 public:
  explicit SplineFit(const KeySamples& samples) : s_(samples), w_(static_cast<size_t>(samples.width)) {
    const size_t n = s_.size();
    slopes_.resize(n * w_);
    for (size_t k = 0; k < n; ++k) {
      const size_t middle = std::clamp<size_t>(k, 1, std::max<size_t>(n, 3) - 2);
      for (size_t c = 0; c < w_; ++c)
        slopes_[k * w_ + c] = n < 3 ? rate(0, 1, c) : parabola_slope(middle - 1, middle, middle + 1, k, c);
    }
  }

  // Least squares over all samples: tridiagonal in the keys, with one matrix for all numbers of a sample.
  std::vector<double> tangents(const std::vector<size_t>& keys) const {
    const size_t m = keys.size();
    std::vector<double> diagonal(m, 0.0), upper(m, 0.0), x(m * w_, 0.0);
    for (size_t i = 0; i + 1 < m; ++i) {
      const double length = s_.written_times[keys[i + 1]] - s_.written_times[keys[i]];
      for (const size_t end : {i, i + 1}) {
        const double weight = kNeighbourWeight * length * length;
        diagonal[end] += weight;
        for (size_t c = 0; c < w_; ++c) x[end * w_ + c] += weight * slopes_[keys[end] * w_ + c];
      }
      for (size_t k = keys[i] + 1; k < keys[i + 1]; ++k) {
        const HermiteShares h = shares(keys[i], keys[i + 1], k);
        const double a = length * h.left_tangent, b = length * h.right_tangent;
        diagonal[i] += a * a;
        diagonal[i + 1] += b * b;
        upper[i] += a * b;
        for (size_t c = 0; c < w_; ++c) {
          const double rest = s_.key(k)[c] - h.left * s_.key(keys[i])[c] - h.right * s_.key(keys[i + 1])[c];
          x[i * w_ + c] += a * rest;
          x[(i + 1) * w_ + c] += b * rest;
        }
      }
    }
    for (size_t i = 1; i < m; ++i) {
      const double factor = upper[i - 1] / diagonal[i - 1];
      diagonal[i] -= factor * upper[i - 1];
      for (size_t c = 0; c < w_; ++c) x[i * w_ + c] -= factor * x[(i - 1) * w_ + c];
    }
    for (size_t i = m; i-- > 0;) {
      for (size_t c = 0; c < w_; ++c) {
        if (i + 1 < m) x[i * w_ + c] -= upper[i] * x[(i + 1) * w_ + c];
        x[i * w_ + c] /= diagonal[i];
      }
    }
    for (double& t : x) t = as_float(t);
    flatten_holds(keys, x);
    return x;
  }

  // By how much sample k is off the piece i of the keys, k from one of its keys to the other.
  double error(const std::vector<size_t>& keys, const std::vector<double>& tangents, size_t i, size_t k) const {
    const double length = s_.written_times[keys[i + 1]] - s_.written_times[keys[i]];
    const HermiteShares h = shares(keys[i], keys[i + 1], k);
    played_.resize(w_);
    for (size_t c = 0; c < w_; ++c) {
      played_[c] = h.left * s_.key(keys[i])[c] + h.right * s_.key(keys[i + 1])[c] +
                   length * (h.left_tangent * tangents[i * w_ + c] + h.right_tangent * tangents[(i + 1) * w_ + c]);
    }
    if (s_.measure == KeyMeasure::angle) normalise(played_.data());
    return key_distance(played_.data(), s_.value(k), s_.width, s_.measure);
  }

  // The worst sample of each piece that has one too far off.
  std::vector<size_t> missing(const std::vector<size_t>& keys, const std::vector<double>& tangents) const {
    std::vector<size_t> worst;
    for (size_t i = 0; i + 1 < keys.size(); ++i) {
      double most = s_.allowed;
      // Keys on other halves of the sphere: some players would turn the sign of one of them.
      size_t at = opposite(keys[i], keys[i + 1]) ? (keys[i] + keys[i + 1]) / 2 : 0;
      if (at > 0) most = HUGE_VAL;
      for (size_t k = keys[i] + 1; k < keys[i + 1]; ++k) {
        const double e = error(keys, tangents, i, k);
        if (e > most) most = e, at = k;
      }
      if (at > 0) worst.push_back(at);
    }
    return worst;
  }

 private:
  double rate(size_t a, size_t b, size_t c) const {
    return (s_.value(b)[c] - s_.value(a)[c]) / (s_.times[b] - s_.times[a]);
  }
  // At sample k, of the parabola through three.
  double parabola_slope(size_t a, size_t b, size_t d, size_t k, size_t c) const {
    const double first = rate(a, b, c), bend = (rate(b, d, c) - first) / (s_.times[d] - s_.times[a]);
    return first + bend * (2 * s_.times[k] - s_.times[a] - s_.times[b]);
  }

  // What stands still on both sides of a key has tangents of exactly 0.
  void flatten_holds(const std::vector<size_t>& keys, std::vector<double>& tangents) const {
    for (size_t c = 0; c < w_; ++c) {
      bool still_before = true;
      for (size_t i = 0; i < keys.size(); ++i) {
        bool still = true;
        for (size_t k = keys[i]; i + 1 < keys.size() && still && k < keys[i + 1]; ++k)
          still = s_.key(k)[c] == s_.key(k + 1)[c];
        if (still_before && still) tangents[i * w_ + c] = 0;
        still_before = still;
      }
    }
  }

  bool opposite(size_t a, size_t b) const {
    if (s_.measure != KeyMeasure::angle || b - a < 2) return false;
    double along = 0;
    for (int c = 0; c < 4; ++c) along += s_.key(a)[c] * s_.key(b)[c];
    return along < 0;
  }

  HermiteShares shares(size_t a, size_t b, size_t k) const {
    const double span = s_.written_times[b] - s_.written_times[a];
    return hermite(std::clamp((s_.times[k] - s_.written_times[a]) / span, 0.0, 1.0));
  }

  const KeySamples& s_;
  size_t w_;
  std::vector<double> slopes_;          // [1/s] by the samples beside each
  mutable std::vector<double> played_;  // scratch
};

}  // namespace

CubicKeys cubic_keys(const KeySamples& samples) {
  const SplineFit fit(samples);
  CubicKeys out{{0, samples.size() - 1}, {}};
  for (;;) {
    out.tangents = fit.tangents(out.keys);
    const std::vector<size_t> more = fit.missing(out.keys, out.tangents);
    if (more.empty()) break;
    out.keys.insert(out.keys.end(), more.begin(), more.end());
    std::sort(out.keys.begin(), out.keys.end());
  }
  const double work = static_cast<double>(samples.size() * out.keys.size()) * samples.width;
  for (size_t i = 1; work < kMostPruning && i + 1 < out.keys.size();) {
    std::vector<size_t> fewer = out.keys;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<double> tangents = fit.tangents(fewer);
    if (fit.missing(fewer, tangents).empty()) {
      out = {std::move(fewer), std::move(tangents)};
    } else {
      ++i;
    }
  }
  return out;
}

}  // namespace supple
