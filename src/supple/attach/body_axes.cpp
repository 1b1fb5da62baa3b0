#include "supple/attach/body_axes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace supple {

namespace {

constexpr double kStretch = 0.125;  // of `along`: what has a middle of its own
constexpr double kInTheMiddle = 1e-6;
constexpr int kFewest = 4;  // points of a stretch

// Landmarks are round numbers and skin often lies right on them: the last digits decide nothing.
double rounded(double x) { return std::round(x * 1e5) / 1e5 + 0.0; }

struct OnLine {
  double length = 0;  // along it; beyond its ends below 0 and above its own
  Vec3 foot = Vec3::Zero(), direction = Vec3::UnitY();
};

OnLine on_line(const Points& line, const Vec3& x) {
  OnLine best;
  double least = std::numeric_limits<double>::infinity(), before = 0;
  for (size_t k = 0; k + 1 < line.size(); ++k) {
    const Vec3 d = line[k + 1] - line[k];
    const double length = d.norm();
    if (!(length > 0)) continue;
    double t = d.dot(x - line[k]) / length;
    if (k > 0) t = std::max(t, 0.0);
    if (k + 2 < line.size()) t = std::min(t, length);
    const Vec3 foot = line[k] + t / length * d;
    if (const double distance = (x - foot).squaredNorm(); distance < least) {
      least = distance;
      best = {before + t, foot, d / length};
    }
    before += length;
  }
  return best;
}

double along_of(const PartAxis& axis, double length) {
  size_t k = 0;
  while (k + 2 < axis.lengths.size() && length > axis.lengths[k + 1]) ++k;
  const double l0 = axis.lengths[k], l1 = axis.lengths[k + 1];
  return axis.landmarks[k] + (length - l0) / std::max(l1 - l0, 1e-12) * (axis.landmarks[k + 1] - axis.landmarks[k]);
}

Vec3 square_to(const Vec3& direction, const Vec3& wanted, const Vec3& instead) {
  Vec3 v = wanted - wanted.dot(direction) * direction;
  if (v.norm() < 0.3) v = instead - instead.dot(direction) * direction;
  return v.norm() > 0 ? Vec3(v.normalized()) : Vec3(direction.unitOrthogonal());
}

// The middle of the points of each stretch, in the two directions across, without jumps.
class Middles {
 public:
  void add(double along, double ahead, double other) {
    Range& r = ranges_[index(along)];
    ++r.n;
    r.low[0] = std::min(r.low[0], ahead), r.high[0] = std::max(r.high[0], ahead);
    r.low[1] = std::min(r.low[1], other), r.high[1] = std::max(r.high[1], other);
  }
  void finish() {
    // A stretch with too little skin takes the middle of the nearest.
    for (int k = 0; k < kCount; ++k) {
      for (int away = 0; away < kCount; ++away) {
        const int before = k - away, behind = k + away;
        const int from = before >= 0 && ranges_[before].n >= kFewest       ? before
                         : behind < kCount && ranges_[behind].n >= kFewest ? behind
                                                                           : -1;
        if (from < 0) continue;
        for (int a = 0; a < 2; ++a) middle_[k][a] = 0.5 * (ranges_[from].low[a] + ranges_[from].high[a]);
        break;
      }
    }
  }
  std::array<double, 2> at(double along) const {
    const double x = std::clamp(along / kStretch + kBefore - 0.5, 0.0, kCount - 1.0);
    const int k = std::min(static_cast<int>(x), kCount - 2);
    std::array<double, 2> m;
    for (int a = 0; a < 2; ++a) m[a] = middle_[k][a] + (x - k) * (middle_[k + 1][a] - middle_[k][a]);
    return m;
  }

 private:
  static constexpr int kBefore = 4, kCount = 16;  // from along = -0.5 to 1.5
  static int index(double along) {
    return static_cast<int>(std::clamp(std::floor(along / kStretch) + kBefore, 0.0, kCount - 1.0));
  }
  struct Range {
    int n = 0;
    std::array<double, 2> low{1e300, 1e300}, high{-1e300, -1e300};
  };
  std::array<Range, kCount> ranges_;
  std::array<std::array<double, 2>, kCount> middle_{};
};

}  // namespace

double length_of(const Points& line) {
  double sum = 0;
  for (size_t k = 0; k + 1 < line.size(); ++k) sum += (line[k + 1] - line[k]).norm();
  return sum;
}

void place_on_axis(const PartAxis& axis, const Points& skin, int part, std::vector<BodyPoint>& at) {
  struct Across {
    double ahead, other;
  };
  std::vector<Across> across(at.size());
  Middles middles;
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i].part != part) continue;
    const OnLine p = on_line(axis.line, skin[i]);
    const Vec3 ahead = square_to(p.direction, axis.ahead, axis.other);
    Vec3 other = p.direction.cross(ahead);
    if (other.dot(axis.other) < 0) other = -other;
    at[i].along = rounded(along_of(axis, p.length));
    across[i] = {ahead.dot(skin[i] - p.foot), other.dot(skin[i] - p.foot)};
    middles.add(at[i].along, across[i].ahead, across[i].other);
  }
  middles.finish();
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i].part != part) continue;
    const auto [ahead, other] = middles.at(at[i].along);
    const double a = across[i].ahead - ahead, b = across[i].other - other;
    at[i].out = std::hypot(a, b);
    // What lies in the middle is neither in front nor behind.
    at[i].around = at[i].out > kInTheMiddle * axis.lengths.back() ? rounded(std::atan2(b, a)) : std::numbers::pi / 2;
  }
}

}  // namespace supple
