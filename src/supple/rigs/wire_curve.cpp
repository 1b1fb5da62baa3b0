#include "supple/rigs/wire_curve.h"

#include <algorithm>
#include <cmath>

#include "supple/base/expect.h"

namespace supple {

namespace {
constexpr int kSamples = 16;  // a segment, where the search for the nearest place starts
}

WireCurve::WireCurve(Points points) : points_(std::move(points)) {
  expect(points_.size() >= 2, "a curve of two points or more");
  for (size_t i = 0; i + 1 < points_.size(); ++i) lengths_.push_back((points_[i + 1] - points_[i]).norm());
  const int n = kSamples * (n_points() - 1);
  for (int k = 0; k <= n; ++k) samples_.push_back(at_blend(value(static_cast<double>(k) / kSamples)));
}

// h: weights of the two ends of the segment and of the slopes there, by its own 0..1.
WireCurve::Blend WireCurve::hermite(double u, const std::array<double, 4>& h) const {
  const int segments = n_points() - 1;
  const int i = std::clamp(static_cast<int>(std::floor(u)), 0, segments - 1);
  Blend blend;
  blend.first = i - 1;
  blend.weight = {0, h[0], h[1], 0};
  const double length = lengths_[static_cast<size_t>(i)];
  // weight times (P[place + 1] - P[place]) of the blend.
  const auto add = [&](int place, double weight) {
    blend.weight[static_cast<size_t>(place)] -= weight;
    blend.weight[static_cast<size_t>(place) + 1] += weight;
  };
  // Slope at an end of the segment: between the differences on both sides; at an end of the curve its own.
  const auto slope_at = [&](bool start, double h_slope) {
    const int other = start ? i - 1 : i + 1;  // the segment on the other side
    const double scaled = h_slope * length;
    if (other < 0 || other >= segments) {
      add(1, scaled / length);
      return;
    }
    const double beyond = lengths_[static_cast<size_t>(other)], sum = length + beyond;
    add(1, scaled * beyond / (sum * length));
    add(start ? 0 : 2, scaled * length / (sum * beyond));
  };
  slope_at(true, h[2]);
  slope_at(false, h[3]);
  return blend;
}

WireCurve::Blend WireCurve::value(double u) const {
  const double s = u - std::clamp(std::floor(u), 0.0, static_cast<double>(n_points() - 2));
  const double s2 = s * s, s3 = s2 * s;
  return hermite(u, {1 - 3 * s2 + 2 * s3, 3 * s2 - 2 * s3, s - 2 * s2 + s3, s3 - s2});
}

WireCurve::Blend WireCurve::slope(double u) const {
  const double s = u - std::clamp(std::floor(u), 0.0, static_cast<double>(n_points() - 2));
  const double s2 = s * s;
  return hermite(u, {6 * s2 - 6 * s, 6 * s - 6 * s2, 1 - 4 * s + 3 * s2, 3 * s2 - 2 * s});
}

Vec3 WireCurve::at_blend(const Blend& blend) const {
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 4; ++k) {
    const int i = blend.first + k;
    if (i >= 0 && i < n_points()) sum += blend.weight[static_cast<size_t>(k)] * points_[static_cast<size_t>(i)];
  }
  return sum;
}

double WireCurve::nearest(const Vec3& x) const {
  size_t best = 0;
  for (size_t k = 1; k < samples_.size(); ++k) {
    if ((samples_[k] - x).squaredNorm() < (samples_[best] - x).squaredNorm()) best = k;
  }
  // Between the samples beside the best one the slope of the distance is halved down to its zero.
  double low = std::max(0.0, (static_cast<double>(best) - 1) / kSamples);
  double high = std::min(n_points() - 1.0, (static_cast<double>(best) + 1) / kSamples);
  const auto rising = [&](double u) { return (at_blend(value(u)) - x).dot(at_blend(slope(u))) > 0; };
  if (rising(low)) return low;
  if (!rising(high)) return high;
  for (int k = 0; k < 50; ++k) {
    const double middle = (low + high) / 2;
    (rising(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace supple
