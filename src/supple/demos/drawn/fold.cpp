#include "supple/demos/drawn/fold.h"

#include <cmath>

#include "supple/base/error.h"
#include "supple/demos/shapes/motion.h"
#include "supple/demos/shapes/shapes.h"
#include "supple/demos/shapes/skin_surface.h"

namespace supple::demos {

namespace {

constexpr double kLiftStart = 0.1, kLiftTime = 0.8, kLift = 0.50;  // [s], [s], [m]
constexpr double kFall = 9.81, kBrake = 1.5 * kFall;               // [m/s^2]

// The slit falls a little towards its mouth, as folds of a belly do.
const Vec3 kSlitEnd(0, 0.192, 0.022);  // where it ends inside, on its middle
constexpr double kSlitSlope = 0.18;

struct InSlit {
  double across, along;  // from its middle, upwards; from its end, towards the mouth [m]
};
InSlit in_slit(const Vec3& p) {
  const double length = std::hypot(1.0, kSlitSlope), y = p[1] - kSlitEnd[1], z = p[2] - kSlitEnd[2];
  return {(y + kSlitSlope * z) / length, (z - kSlitSlope * y) / length};
}
// Its inner end is round.
double slit(const Vec3& p) {
  const InSlit at = in_slit(p);
  return std::hypot(at.across, std::min(at.along, 0.0)) - kFoldGap / 2;
}

double torso(const Vec3& p) {
  constexpr double kFillet = 0.045, kRim = 0.012;
  const double spine = ellipsoid(p, {0, 0.19, -0.055}, {0.140, 0.26, 0.070});
  const double chest = ellipsoid(p, {0, 0.385, -0.040}, {0.170, 0.070, 0.078});
  const double hips = ellipsoid(p, {0, 0.010, -0.035}, {0.165, 0.060, 0.095});
  const double back = join(spine, std::min(chest, hips), kFillet);
  const double upper = ellipsoid(p, {0, 0.256, 0.048}, {0.140, 0.084, 0.122});
  const double lower = ellipsoid(p, {0, 0.108, 0.040}, {0.150, 0.092, 0.128});
  return cut(join(back, join(upper, lower, kFillet), kFillet), -slit(p), kRim);
}

double softness(const Vec3& p) {
  return smooth_ramp(p[2], -0.020, 0.010) * smooth_ramp(p[1], 0.365, 0.335) * smooth_ramp(p[1], 0.0, 0.03);
}

}  // namespace

FoldLanding fold_landing() {
  const double lifted = kLiftStart + kLiftTime;
  // The height falls as far as free fall takes it, and braking takes as much speed away as falling gave.
  const double brake = kLift * kFall / (kFall + kBrake), speed = std::sqrt(2 * kBrake * brake);
  const double touches = lifted + speed / kFall;
  return {touches, touches + speed / kBrake};
}

double fold_height(double t, int derivative) {
  if (derivative < 0 || derivative > 1)
    throw InputError({.place = "derivative"}, "a height of the fold has the derivatives 0 and 1");
  const double lifted = kLiftStart + kLiftTime;
  if (t < lifted) return ramp(t, {.offset = {0, kLift, 0}, .start = kLiftStart, .duration = kLiftTime}, derivative)[1];
  const FoldLanding landing = fold_landing();
  const double fallen = t - lifted, left = landing.stands - t;
  if (left <= 0) return 0;
  if (t < landing.touches) return derivative == 0 ? kLift - 0.5 * kFall * fallen * fallen : -kFall * fallen;
  return derivative == 0 ? 0.5 * kBrake * left * left : -kBrake * left;
}

DrawnAnimation make_fold(const FoldOptions& o) {
  if (o.frames < 1 || !(o.edge >= 0.004 && o.edge <= 0.03))
    throw InputError({.place = "fold"}, "an option is out of range", "Edges are 4 to 30 mm, and there is a frame.");
  DrawnAnimation fold;
  fold.fps = kFoldFps;
  const Box bounds{{-0.20, -0.10, -0.17}, {0.20, 0.48, 0.20}};
  const auto finer = [](const Vec3& p) {
    Fineness f{.over = 0.06};
    f.towards(slit(p), 0.6);
    return f.value;
  };
  fold.neutral = skin_surface(torso, bounds, {.edge = o.edge, .lattice = 0.007, .finer = finer}).mesh;
  fold.neutral.normals.clear();
  std::vector<double>& soft = fold.neutral.vertex_maps["soft"];
  for (int v = 0; v < fold.neutral.n_vertices(); ++v) {
    const Vec3& x = fold.neutral.vertices[static_cast<size_t>(v)];
    soft.push_back(softness(x));
    fold.neutral.colors.emplace_back(soft.back(), 0.55, 0.45);
    const InSlit at = in_slit(x);
    if (soft.back() > 0.5) fold.parts[at.across > 0 ? "upper" : "lower"].push_back(v);
    // Neither the round end nor the rounded rim.
    if (std::abs(slit(x)) < 1e-4 && at.along > 0.01)
      fold.parts[at.across > 0 ? "upper face" : "lower face"].push_back(v);
  }
  for (int f = 0; f < o.frames; ++f) {
    Points x = fold.neutral.vertices;
    for (Vec3& p : x) p[1] += fold_height(f / kFoldFps);
    fold.frames.push_back(std::move(x));
  }
  return fold;
}

}  // namespace supple::demos
