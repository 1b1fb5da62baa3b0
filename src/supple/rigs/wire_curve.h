// A smooth curve through control points, and how near points are to it. Inside the room only.
#pragma once
#include <array>

#include "supple/base/types.h"

namespace supple {

// A cubic a segment with slopes that agree where segments meet: those of the parabola through three neighbouring
// control points over knots at the distances between them (Catmull and Rom 1974 where these are equal). Everywhere a
// combination of four control points whose weights depend on the place along it alone, so that the curve follows
// control points linearly.
class WireCurve {
 public:
  // At least two control points, neighbours apart.
  explicit WireCurve(Points points);
  int n_points() const { return static_cast<int>(points_.size()); }

  // Of control points first .. first + 3; those that are not there have weight 0.
  struct Blend {
    int first = 0;
    std::array<double, 4> weight{};
  };
  // u: 0 at the first control point, n - 1 at the last.
  Blend value(double u) const;
  Blend slope(double u) const;  // by u
  Vec3 at_blend(const Blend& blend) const;
  // The place nearest to x.
  double nearest(const Vec3& x) const;

 private:
  Blend hermite(double u, const std::array<double, 4>& h) const;
  Points points_;
  std::vector<double> lengths_;  // of the segments
  Points samples_;               // kSamples a segment, and the end
};

}  // namespace supple
