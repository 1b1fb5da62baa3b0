#include "supple/demos/drawn/bird_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::bird {

namespace {

Vec3 left(const Vec3& p) { return {std::abs(p[0]), p[1], p[2]}; }

// A feather in the plane of its wing or tail: a round cone from root to tip.
double feather(double x, double z, const Eigen::Vector2d& root, const Eigen::Vector2d& tip, double r0, double r1) {
  return round_cone({x, z, 0}, {root[0], root[1], 0}, {tip[0], tip[1], 0}, r0, r1);
}

// What has an outline and a thickness, its rim rounded.
double sheet(double outline, double height, double half) {
  const double round = 0.9 * half;
  const double a = outline + round, b = std::abs(height) - half + round;
  return std::min(std::max(a, b), 0.0) + std::hypot(std::max(a, 0.0), std::max(b, 0.0)) - round;
}

double one_wing(const Vec3& q) {
  const double far = ball(q, {0.33, 0.41, -0.03}, 0.36);
  if (far > 0.1) return far;
  double arm = round_cone(q, kWing[0], kWing[1], 0.040, 0.032);
  arm = join(arm, round_cone(q, kWing[1], kWing[2], 0.032, 0.026), 0.02);
  arm = join(arm, round_cone(q, kWing[2], kWing[3] + Vec3(-0.04, 0, 0.01), 0.026, 0.018), 0.02);
  // From the body outwards: arm feathers across the wing, hand feathers fanned towards its end.
  const Eigen::Vector2d root[] = {{0.09, 0.03},  {0.15, 0.04},  {0.21, 0.04},  {0.27, 0.04}, {0.32, 0.035},
                                  {0.365, 0.03}, {0.395, 0.03}, {0.415, 0.03}, {0.43, 0.03}};
  const Eigen::Vector2d tip[] = {{0.10, -0.125},  {0.165, -0.155}, {0.232, -0.17}, {0.30, -0.175}, {0.368, -0.17},
                                 {0.435, -0.155}, {0.495, -0.12},  {0.543, -0.07}, {0.572, -0.008}};
  double outline = 1;
  for (int k = 0; k < 9; ++k) outline = join(outline, feather(q[0], q[2], root[k], tip[k], 0.036, 0.028), 0.012);
  return join(arm, sheet(outline, q[1] - 0.407, 0.0145), 0.02);
}

double tail(const Vec3& q) {
  const double along = -0.17 - q[2];
  double outline = 1;
  for (const double angle : {0.0, 0.28, 0.56}) {
    const Eigen::Vector2d tip((0.215 - 0.05 * angle) * std::sin(angle), (0.215 - 0.05 * angle) * std::cos(angle));
    outline = join(outline, feather(q[0], along, {0, 0}, tip, 0.035, 0.031), 0.012);
  }
  return sheet(outline, 0.97 * (q[1] - 0.355 + 0.22 * along), 0.0155);
}

double trunk(const Vec3& q) {
  double d = ellipsoid(q, {0, 0.335, -0.01}, {0.132, 0.142, 0.165});
  d = join(d, ellipsoid(q, {0, 0.36, 0.06}, {0.118, 0.128, 0.112}), 0.06);               // breast
  d = join(d, round_cone(q, {0, 0.335, -0.09}, {0, 0.352, -0.205}, 0.10, 0.042), 0.05);  // rump
  return join(d, ellipsoid(q, {0.066, 0.235, 0.0}, {0.058, 0.065, 0.066}), 0.04);        // thighs
}

double head_shape(const Vec3& q) {
  double d = round_cone(q, {0, 0.42, 0.065}, {0, 0.53, 0.10}, 0.088, 0.074);
  d = join(d, ball(q, {0, 0.575, 0.115}, 0.095), 0.04);
  d = join(d, ellipsoid(q, {0.045, 0.55, 0.145}, {0.05, 0.045, 0.05}), 0.04);  // cheeks
  // The tuft: three feathers, one behind the other.
  d = join(d, round_cone(q, {0, 0.655, 0.115}, {0, 0.712, 0.085}, 0.024, 0.017), 0.02);
  d = join(d, round_cone(q, {0, 0.65, 0.085}, {0, 0.69, 0.035}, 0.024, 0.017), 0.02);
  d = join(d, round_cone(q, {0, 0.63, 0.055}, {0, 0.65, 0.0}, 0.022, 0.016), 0.02);
  return d;
}

double beak(const Vec3& q) {
  double d = round_cone(q, {0, 0.572, 0.195}, {0, 0.553, 0.272}, 0.034, 0.0135);
  d = join(d, round_cone(q, {0, 0.542, 0.19}, {0, 0.536, 0.243}, 0.024, 0.0125), 0.008);
  return d;
}

}  // namespace

double wing(const Vec3& p) { return one_wing(left(p)); }

double leg(const Vec3& p) {
  const Vec3 q = left(p);
  double d = round_cone(q, kLeg[0], kLeg[1], 0.040, 0.022);
  d = join(d, round_cone(q, kLeg[1], kLeg[2], 0.022, 0.0185), 0.012);
  const Vec3 heel(kLeg[2][0], 0.014, 0.0);
  for (const Vec3& toe :
       {Vec3(-0.048, 0.014, 0.075), Vec3(0, 0.014, 0.095), Vec3(0.048, 0.014, 0.075), Vec3(0, 0.014, -0.062)})
    d = join(d, round_cone(q, heel, {kLeg[2][0] + toe[0], toe[1], toe[2]}, 0.020, 0.0155), 0.012);
  return cut(d, -q[1], 0.008);
}

double body(const Vec3& p) {
  const Vec3 q = left(p);
  double d = join(trunk(q), head_shape(q), 0.05);
  d = join(d, beak(q), 0.014);
  d = join(d, tail(q), 0.03);
  d = join(d, one_wing(q), 0.04);
  return join(d, leg(q), 0.02);
}

}  // namespace supple::demos::bird
