#include "supple/demos/gallery/jellyphant_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::jellyphant {

namespace {

Vec3 left(const Vec3& p) { return {std::abs(p[0]), p[1], p[2]}; }

// Places on the ear: along it, up, and forward from its middle sheet, which is cupped.
Vec3 on_ear(const Vec3& q) {
  const Vec3 up = (Vec3::UnitY() - kEarOut.y() * kEarOut).normalized(), forward = kEarOut.cross(up);
  const Vec3 d = q - kEar;
  Vec3 e(d.dot(kEarOut), d.dot(up), d.dot(forward.z() > 0 ? forward : Vec3(-forward)));
  e[2] -= 0.45 * std::pow(std::max(0.0, e[0] - 0.10), 2) - 0.10 * e[1] * e[1];
  return e;
}

double disc(double x, double y, double cx, double cy, double rx, double ry) {
  return ellipsoid({x, y, 0}, {cx, cy, 0}, {rx, ry, 1});
}

// The outline of the ear in its sheet: a fan with a lobe below.
double ear_outline(const Vec3& e) {
  const double fan = disc(e[0], e[1], 0.22, 0.06, 0.27, 0.28), lobe = disc(e[0], e[1], 0.19, -0.17, 0.185, 0.19);
  return join(fan, lobe, 0.12);
}

double ear(const Vec3& q) {
  const double far = ball(q, kEar + 0.2 * kEarOut, 0.45);
  if (far > 0.15) return far;
  const Vec3 e = on_ear(q);
  constexpr double half = 0.03, round = 0.027;
  const double a = ear_outline(e) + round, b = std::abs(e[2]) - half + round;
  return std::min(std::max(a, b), 0.0) + std::hypot(std::max(a, 0.0), std::max(b, 0.0)) - round;
}

double trunk(const Vec3& q) {
  double d = 1;
  for (int k = 0; k < 5; ++k) {
    d = join(d, round_cone(q, kTrunk[k], kTrunk[k + 1], kTrunkRadius[k], kTrunkRadius[k + 1]), 0.03);
  }
  const Vec3 out = (kTrunk[5] - kTrunk[4]).normalized();
  return cut(d, -ball(q, kTrunk[5] + 0.075 * out, 0.036), 0.03);
}

double tail(const Vec3& q) {
  double d = round_cone(q, kTail[0], kTail[1], 0.045, 0.036);
  d = join(d, round_cone(q, kTail[1], kTail[2], 0.036, 0.032), 0.02);
  return join(d, ellipsoid(q, kTail[2] - Vec3(0, 0.05, 0.005), {0.058, 0.09, 0.058}), 0.03);
}

double one_leg(const Vec3& q, const Vec3 (&joint)[4]) {
  double d = round_cone(q, joint[0], joint[1], 0.175, 0.132);
  d = join(d, round_cone(q, joint[1], joint[2], 0.132, 0.122), 0.06);
  d = join(d, ellipsoid(q, joint[2] + Vec3(0, -0.035, 0.02), {0.148, 0.10, 0.155}), 0.06);
  return cut(d, -q[1], 0.035);
}

double head(const Vec3& q) {
  double d = ellipsoid(q, {0, 1.18, 0.58}, {0.275, 0.29, 0.27});
  d = join(d, ellipsoid(q, {0.105, 1.36, 0.57}, {0.165, 0.155, 0.175}), 0.09);  // the two domes
  d = join(d, ellipsoid(q, {0.135, 1.05, 0.66}, {0.145, 0.14, 0.155}), 0.08);   // cheeks
  d = join(d, ellipsoid(q, {0, 0.955, 0.70}, {0.12, 0.075, 0.14}), 0.06);       // the lower lip
  return cut(d, -ellipsoid(q, {0.205, 1.245, 0.80}, {0.05, 0.045, 0.05}), 0.05);
}

double torso(const Vec3& q) {
  double d = ellipsoid(q, {0, 0.84, -0.09}, {0.40, 0.37, 0.46});
  d = join(d, ellipsoid(q, {0, 0.92, 0.20}, {0.345, 0.335, 0.28}), 0.12);
  d = join(d, ellipsoid(q, {0, 0.87, -0.40}, {0.36, 0.345, 0.28}), 0.12);
  return d;
}

}  // namespace

double body(const Vec3& p) {
  const Vec3 q = left(p);
  double d = join(torso(q), one_leg(q, kFore), 0.10);
  d = join(d, one_leg(q, kHind), 0.10);
  d = join(d, round_cone(q, {0, 1.0, 0.28}, {0, 1.12, 0.52}, 0.27, 0.25), 0.10);
  d = join(d, head(q), 0.08);
  d = join(d, trunk(q), 0.07);
  d = join(d, ear(q), 0.05);
  return join(d, tail(q), 0.05);
}

double tusk(const Vec3& p) {
  const double root = round_cone(p, {0.115, 1.03, 0.76}, {0.155, 0.925, 0.95}, 0.04, 0.034);
  return join(root, round_cone(p, {0.155, 0.925, 0.95}, {0.165, 0.935, 1.09}, 0.034, 0.014), 0.03);
}

double inner_ear(const Vec3& p) {
  const Vec3 q = left(p), e = on_ear(q);
  return std::max({ear_outline(e) + 0.05, 0.012 - e[2], 0.10 - e[0], e[2] - 0.09});
}

double nails(const Vec3& p) {
  const Vec3 q = left(p);
  double d = 1;
  for (const auto& leg : {kFore, kHind}) {
    for (const double side : {-0.085, 0.0, 0.085}) {
      const Vec3 at = leg[2] + Vec3(side, -0.08, 0.165 - 3.5 * side * side);
      d = std::min(d, ellipsoid(q, at, {0.036, 0.046, 0.05}));
    }
  }
  return d;
}

double ear_share(const Vec3& p) {
  const Vec3 q = left(p);
  return smooth_ramp(on_ear(q)[0], 0.03, 0.15) * smooth_ramp(ear(q), 0.05, 0.015);
}

double loose(const Vec3& p) {
  const double of_trunk = smooth_ramp(p[1], 1.02, 0.86) * smooth_ramp(p[2], 0.78, 0.9);
  return std::max({ear_share(p), of_trunk, smooth_ramp(p[2], -0.70, -0.78)});
}

}  // namespace supple::demos::jellyphant
