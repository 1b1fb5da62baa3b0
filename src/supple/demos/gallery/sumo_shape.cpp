#include "supple/demos/gallery/sumo_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::sumo {

namespace {

Vec3 left(const Vec3& p) { return {std::abs(p[0]), p[1], p[2]}; }

double arm(const Vec3& q) {
  double d = round_cone(q, kShoulder, kElbow, 0.118, 0.082);
  d = join(d, ellipsoid(q, {0.35, 1.275, -0.035}, {0.105, 0.125, 0.105}), 0.06);  // it hangs from the upper arm
  d = join(d, round_cone(q, kElbow, kWrist, 0.080, 0.052), 0.05);
  d = join(d, ellipsoid(q, kElbow + 0.3 * (kWrist - kElbow), {0.085, 0.095, 0.08}), 0.05);
  return d;
}

// Far away from a detail the distance to a ball around it will do.
constexpr double kFar = 0.12;

double hand(const Vec3& q) {
  const double far = ball(q, 0.45 * kWrist + 0.55 * kFingers, 0.13);
  if (far > kFar) return far;
  const Vec3 down = (kFingers - kWrist).normalized();
  const Vec3 across = down.cross(Vec3(0.75, 0.25, -0.25)).normalized(), out = across.cross(down);
  const auto at = [&](double along, double sideways, double outwards) -> Vec3 {
    return kWrist + along * down + sideways * across + outwards * out;
  };
  double d = round_cone(q, at(0.015, 0, 0), at(0.065, 0, 0), 0.05, 0.042);
  const double side[] = {-0.045, -0.015, 0.015, 0.043}, length[] = {0.125, 0.145, 0.14, 0.115};
  for (int k = 0; k < 4; ++k) {
    d = join(d, round_cone(q, at(0.06, 0.8 * side[k], 0), at(length[k], side[k], -0.02), 0.023, 0.0175), 0.012);
  }
  const double turn = across[2] > 0 ? 1 : -1;
  d = join(d, round_cone(q, at(0.03, turn * 0.035, -0.01), at(0.085, turn * 0.082, -0.025), 0.024, 0.019), 0.02);
  return d;
}

double foot(const Vec3& q) {
  const double far = ball(q, {0.37, 0.05, 0.06}, 0.2);
  if (far > kFar) return far;
  const Vec3 heel(0.325, 0.055, -0.055), ball_in(0.35, 0.045, 0.13), ball_out(0.415, 0.035, 0.105);
  double d = round_cone(q, heel, ball_in, 0.062, 0.052);
  d = join(d, round_cone(q, heel, ball_out, 0.058, 0.04), 0.04);
  const Vec3 toe[] = {
      {0.352, 0.030, 0.195}, {0.388, 0.024, 0.193}, {0.413, 0.022, 0.180}, {0.436, 0.02, 0.163}, {0.453, 0.018, 0.142}};
  const double size[] = {0.029, 0.021, 0.0205, 0.0195, 0.0185};
  for (int k = 0; k < 5; ++k) {
    const Vec3 root(0.355 + 0.018 * k, 0.03, 0.13 - 0.008 * k);
    d = join(d, round_cone(q, root, toe[k], 0.026, size[k]), 0.012);
  }
  return cut(d, -q[1], 0.02);
}

// Head, ears and nose, without hair.
double face(const Vec3& q) {
  const double far = ball(q, {0, 1.63, 0.03}, 0.2);
  if (far > kFar) return far;
  double d = ellipsoid(q, {0, 1.645, 0.015}, {0.115, 0.135, 0.13});
  d = join(d, ellipsoid(q, {0.052, 1.578, 0.055}, {0.085, 0.07, 0.08}), 0.05);  // cheeks
  d = join(d, ellipsoid(q, {0, 1.535, 0.06}, {0.085, 0.05, 0.07}), 0.05);       // chin and the one below
  d = join(d, ellipsoid(q, {0, 1.618, 0.145}, {0.023, 0.03, 0.03}), 0.025);     // nose
  d = join(d, ball(q, {0.02, 1.606, 0.138}, 0.017), 0.015);
  d = join(d, round_cone(q, {0.02, 1.672, 0.132}, {0.075, 1.668, 0.108}, 0.016, 0.014), 0.03);  // brow
  const double eye_socket = ellipsoid(q, {0.047, 1.643, 0.148}, {0.03, 0.016, 0.02});
  d = cut(d, -eye_socket, 0.02);
  const double lips = ellipsoid(q, {0, 1.556, 0.137}, {0.042, 0.012, 0.017});
  d = join(d, lips, 0.015);
  d = join(d, ellipsoid(q, {0.118, 1.632, 0.0}, {0.024, 0.04, 0.026}), 0.015);  // ears
  return d;
}

double hair_mass(const Vec3& q) {
  const double far = ball(q, {0, 1.7, -0.02}, 0.24);
  if (far > kFar) return far;
  double d = ellipsoid(q, {0, 1.672, -0.012}, {0.13, 0.128, 0.138});
  d = join(d, ellipsoid(q, {0, 1.64, -0.09}, {0.11, 0.09, 0.07}), 0.04);
  // The knot: tied at the back of the crown and folded forward.
  const double knot = round_cone(q, {0, 1.805, -0.07}, {0, 1.845, -0.045}, 0.036, 0.032);
  const double fold = round_cone(q, {0, 1.848, -0.05}, {0, 1.838, 0.07}, 0.028, 0.04);
  d = join(d, knot, 0.015);
  d = join(d, round_cone(q, {0, 1.815, -0.05}, {0, 1.81, 0.045}, 0.018, 0.022), 0.01);
  return join(d, fold, 0.012);
}

// Height of the middle of the belt: it runs below the belly and higher at the back.
double belt_height(const Vec3& q) { return 0.885 - 0.10 * q[2] / 0.35 + 0.03 * std::abs(q[0]) / 0.35; }

// Negative in the band around the waist and in the strap between the legs.
double wrapped(const Vec3& q) {
  const double band = std::abs(q[1] - belt_height(q)) - 0.072;
  const double width = 0.055 + 0.06 * smooth_ramp(q[1], 0.70, 0.86);
  const double strap = std::max({q[0] - width, q[1] - belt_height(q), 0.66 - q[1]});
  return std::max(std::min(band, strap), q[0] - 0.5);
}

double trunk_and_legs(const Vec3& q) { return join(torso(q), leg(q), 0.055); }

}  // namespace

double torso(const Vec3& p) {
  const Vec3 q = left(p);
  double d = ellipsoid(q, {0, 1.005, 0.085}, {0.345, 0.255, 0.315});                // belly
  d = join(d, ellipsoid(q, {0, 1.27, -0.01}, {0.315, 0.215, 0.215}), 0.14);         // chest
  d = join(d, ellipsoid(q, {0.205, 0.995, 0.0}, {0.185, 0.15, 0.2}), 0.08);         // hips
  d = join(d, ellipsoid(q, {0.125, 0.83, -0.135}, {0.175, 0.175, 0.165}), 0.07);    // seat
  d = join(d, ellipsoid(q, {0, 0.86, 0.02}, {0.25, 0.16, 0.19}), 0.08);             // pelvis
  d = join(d, ellipsoid(q, {0.155, 1.265, 0.15}, {0.155, 0.105, 0.115}), 0.035);    // breasts
  d = join(d, ellipsoid(q, {0.19, 1.43, -0.035}, {0.14, 0.09, 0.105}), 0.09);       // shoulders
  d = join(d, round_cone(q, {0, 1.40, -0.02}, {0, 1.56, 0.0}, 0.14, 0.105), 0.07);  // neck
  d = join(d, ellipsoid(q, {0, 1.475, -0.085}, {0.1, 0.06, 0.06}), 0.05);           // roll at the nape
  const double navel = ellipsoid(q, {0, 1.0, 0.408}, {0.017, 0.014, 0.03});
  return cut(d, -navel, 0.02);
}

double leg(const Vec3& p) {
  const Vec3 q = left(p);
  double d = round_cone(q, kThigh, kKnee, 0.178, 0.112);
  d = join(d, ellipsoid(q, {0.19, 0.70, 0.015}, {0.165, 0.2, 0.175}), 0.08);
  d = join(d, round_cone(q, kKnee, kAnkle, 0.108, 0.066), 0.05);
  d = join(d, ellipsoid(q, {0.305, 0.325, -0.02}, {0.1, 0.145, 0.105}), 0.06);
  d = join(d, ellipsoid(q, {0.277, 0.485, 0.1}, {0.075, 0.075, 0.07}), 0.05);
  return join(d, foot(q), 0.035);
}

double hair(const Vec3& p) {
  const Vec3 q = left(p);
  // The hairline: high at the brow, in front of the ears, down to the nape.
  const double line = 1.705 - 0.20 * smooth_ramp(q[2], 0.06, -0.02) * smooth_ramp(q[0], 0.14, 0.02) -
                      0.11 * smooth_ramp(q[2], 0.04, -0.05);
  return std::max(line, 1.58) - q[1];
}

double belt(const Vec3& p) {
  const Vec3 q = left(p);
  // Its rim lies on the border of the band itself: a little beyond it counts.
  return wrapped(q) - 0.005;
}

double brows(const Vec3& p) { return ellipsoid(left(p), {0.05, 1.682, 0.13}, {0.032, 0.0085, 0.05}); }

double mouth(const Vec3& p) { return ellipsoid(left(p), {0, 1.556, 0.15}, {0.036, 0.009, 0.03}); }

double body(const Vec3& p) {
  const Vec3 q = left(p);
  const double bare = trunk_and_legs(q);
  double d = join(bare, arm(q), 0.06);
  d = join(d, hand(q), 0.02);
  d = join(d, face(q), 0.05);
  d = join(d, cut(hair_mass(q), hair(q), 0.012), 0.008);
  // Cloth of two centimetres around.
  const double cloth = cut(bare - 0.02, wrapped(q), 0.02);
  d = join(d, cloth, 0.012);
  // The knot of the belt at the back.
  const double knot = ellipsoid(q, {0, 0.985, -0.275}, {0.085, 0.07, 0.055});
  return join(d, knot, 0.01);
}

}  // namespace supple::demos::sumo
