#include "supple/demos/gallery/rigged_elephant_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::peanut {

namespace {

constexpr double kEarHalf = 0.058;  // [m] half of its thickness
constexpr double kThicker = 0.045;  // [m] of the thin parts in the fat body

Vec3 to_left(const Vec3& p) { return {std::abs(p[0]), p[1], p[2]}; }

// Along the ear, up, and forward from its middle sheet, which is cupped.
Vec3 in_ear(const Vec3& q) {
  const Vec3 up = (Vec3::UnitY() - kEarOut.y() * kEarOut).normalized(), forward = kEarOut.cross(up);
  const Vec3 d = q - kEar;
  Vec3 e(d.dot(kEarOut), d.dot(up), d.dot(forward.z() > 0 ? forward : Vec3(-forward)));
  e[2] -= 0.35 * std::pow(std::max(0.0, e[0] - 0.10), 2);
  return e;
}

double ear_rim(const Vec3& e) {
  const double fan = ellipsoid({e[0], e[1], 0}, {0.24, 0.01, 0}, {0.27, 0.29, 1});
  const double lobe = ellipsoid({e[0], e[1], 0}, {0.19, -0.16, 0}, {0.18, 0.18, 1});
  return join(fan, lobe, 0.10);
}

double plush_ear(const Vec3& q, double half) {
  const double far = ball(q, kEar + 0.2 * kEarOut, 0.5);
  if (far > 0.15) return far;
  const Vec3 e = in_ear(q);
  const double round = 0.9 * half;
  const double a = ear_rim(e) + round, b = std::abs(e[2]) - half + round;
  return std::min(std::max(a, b), 0.0) + std::hypot(std::max(a, 0.0), std::max(b, 0.0)) - round;
}

double plush_trunk(const Vec3& q, double thicker) {
  double d = 1;
  for (int k = 0; k < 5; ++k) {
    const double more = k < 2 ? 0 : thicker;
    d = join(d,
             round_cone(q, kTrunk[k], kTrunk[k + 1], kTrunkRadius[k] + (k < 3 ? 0 : more), kTrunkRadius[k + 1] + more),
             0.03);
  }
  return d;
}

double plush_tail(const Vec3& q, double thicker) {
  double d = 1;
  for (int k = 0; k < 4; ++k)
    d = join(d, round_cone(q, kTail[k], kTail[k + 1], 0.072 + thicker, 0.066 + thicker), 0.02);
  return join(d, ellipsoid(q, kTail[4], Vec3(0.088, 0.105, 0.088) + Vec3::Constant(thicker)), 0.03);
}

double plush_leg(const Vec3& q, const Vec3 (&joint)[4]) {
  double d = round_cone(q, joint[0], joint[1], 0.175, 0.140);
  d = join(d, round_cone(q, joint[1], joint[2], 0.140, 0.130), 0.06);
  d = join(d, ellipsoid(q, joint[2] + Vec3(0, -0.035, 0.02), {0.155, 0.11, 0.165}), 0.06);
  return cut(d, -q[1], 0.035);
}

double plush_head(const Vec3& q) {
  double d = ellipsoid(q, {0, 1.18, 0.58}, {0.285, 0.29, 0.27});
  d = join(d, ellipsoid(q, {0.105, 1.36, 0.57}, {0.165, 0.155, 0.175}), 0.12);
  d = join(d, ellipsoid(q, {0.135, 1.05, 0.66}, {0.145, 0.14, 0.155}), 0.10);
  return join(d, ellipsoid(q, {0, 0.955, 0.68}, {0.12, 0.08, 0.14}), 0.08);
}

double plush_torso(const Vec3& q) {
  double d = ellipsoid(q, {0, 0.82, -0.09}, {0.41, 0.40, 0.46});
  d = join(d, ellipsoid(q, {0, 0.92, 0.20}, {0.345, 0.335, 0.28}), 0.12);
  return join(d, ellipsoid(q, {0, 0.87, -0.40}, {0.36, 0.345, 0.28}), 0.12);
}

double whole(const Vec3& p, double thicker) {
  const Vec3 q = to_left(p);
  double d = join(plush_torso(q), plush_leg(q, jellyphant::kFore), 0.10);
  d = join(d, plush_leg(q, jellyphant::kHind), 0.10);
  d = join(d, round_cone(q, {0, 1.0, 0.28}, {0, 1.12, 0.52}, 0.27, 0.25), 0.10);
  d = join(d, plush_head(q), 0.08);
  d = join(d, plush_trunk(q, thicker), 0.07);
  d = join(d, plush_ear(q, kEarHalf + thicker), 0.05);
  return join(d, plush_tail(q, thicker), 0.05);
}

}  // namespace

double body(const Vec3& p) { return whole(p, 0); }
double fat_body(const Vec3& p) { return whole(p, kThicker); }

double inner_ear(const Vec3& p) {
  const Vec3 e = in_ear(to_left(p));
  return std::max({ear_rim(e) + 0.05, 0.02 - e[2], 0.12 - e[0], e[2] - 0.12});
}

double toes(const Vec3& p) {
  const Vec3 q = to_left(p);
  double d = 1;
  for (const auto& leg : {jellyphant::kFore, jellyphant::kHind})
    d = std::min(d, std::max(ellipsoid(q, leg[2] + Vec3(0, -0.07, 0.15), {0.13, 0.075, 0.08}), q[1] - 0.11));
  return d;
}

double ear_share(const Vec3& p) {
  const Vec3 q = to_left(p);
  return smooth_ramp(in_ear(q)[0], 0.0, 0.12) * smooth_ramp(plush_ear(q, kEarHalf), 0.06, 0.02);
}

double belly_share(const Vec3& p) {
  const Vec3 q = to_left(p);
  double leg = 1;
  for (const auto& at : {jellyphant::kFore, jellyphant::kHind})
    leg = std::min(leg, round_cone(q, at[0] - Vec3(0, 0.03, 0), at[2], 0.15, 0.15));
  const double back = round_cone(q, {0, 1.14, -0.60}, {0, 1.14, 0.30}, 0.17, 0.20);
  return smooth_ramp(leg, 0.0, 0.10) * smooth_ramp(back, -0.02, 0.12) * smooth_ramp(p[2], 0.36, 0.22) *
         smooth_ramp(p[2], -0.62, -0.48) * smooth_ramp(p[1], 0.32, 0.42) * smooth_ramp(p[1], 1.18, 1.05) *
         (1 - ear_share(p)) * smooth_ramp(q[0], 0.56, 0.48);
}

double shoulder_share(const Vec3& p) {
  return 0.85 * smooth_ramp((to_left(p) - Vec3(0.33, 0.98, 0.17)).norm(), 0.32, 0.08) * (1 - ear_share(p));
}

}  // namespace supple::demos::peanut
