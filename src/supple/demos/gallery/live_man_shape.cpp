#include "supple/demos/gallery/live_man_shape.h"

#include "supple/demos/shapes/shapes.h"

namespace supple::demos::live_man {

namespace {

Vec3 left(const Vec3& p) { return {std::abs(p[0]), p[1], p[2]}; }

// The corners of the mouth are up, those of a brow down.
Vec3 smiling(const Vec3& q) { return {q[0], q[1] - 9 * q[0] * q[0], q[2]}; }
Vec3 arched(const Vec3& q) { return {q[0], q[1] + 12 * std::pow(q[0] - 0.033, 2), q[2]}; }

// Far away from a detail the distance to a ball around it will do.
constexpr double kFar = 0.12;

double torso(const Vec3& q) {
  double d = ellipsoid(q, {0, 1.05, 0.068}, {0.208, 0.195, 0.198});                    // belly
  d = join(d, ellipsoid(q, {0, 1.30, -0.015}, {0.205, 0.2, 0.15}), 0.13);              // chest
  d = join(d, ellipsoid(q, {0.11, 1.03, -0.005}, {0.125, 0.125, 0.13}), 0.08);         // flanks
  d = join(d, ellipsoid(q, {0, 0.915, -0.005}, {0.2, 0.125, 0.15}), 0.09);             // pelvis
  d = join(d, ellipsoid(q, {0.09, 0.865, -0.075}, {0.11, 0.12, 0.105}), 0.06);         // seat
  d = join(d, ellipsoid(q, {0.092, 1.33, 0.085}, {0.1, 0.078, 0.062}), 0.05);          // chest muscles
  d = join(d, ellipsoid(q, {0.155, 1.415, -0.035}, {0.105, 0.075, 0.085}), 0.08);      // shoulders
  d = join(d, round_cone(q, {0, 1.42, -0.035}, {0, 1.57, -0.01}, 0.085, 0.07), 0.09);  // neck
  const double navel = ellipsoid(q, {0, 1.04, 0.27}, {0.013, 0.012, 0.022});
  return cut(d, -navel, 0.016);
}

double leg(const Vec3& q) {
  const Vec3 thigh = kKnee - kThigh;
  double d = round_cone(q, kThigh - 0.05 * thigh, kKnee, 0.122, 0.072);
  d = join(d, ellipsoid(q, kThigh + 0.42 * thigh + Vec3(0.006, 0, 0.012), {0.108, 0.17, 0.117}), 0.06);
  d = join(d, round_cone(q, kKnee, kAnkle, 0.068, 0.046), 0.04);
  d = join(d, ellipsoid(q, {0.18, 0.34, -0.03}, {0.066, 0.12, 0.072}), 0.05);  // calf
  d = join(d, ellipsoid(q, kKnee + Vec3(0, 0.005, 0.03), {0.05, 0.06, 0.038}), 0.06);
  return d;
}

// In a shoe's outline, with a flat sole.
double foot(const Vec3& q) {
  const double far = ball(q, {0.205, 0.05, 0.03}, 0.2);
  if (far > kFar) return far;
  double d = round_cone(q, {0.192, 0.05, -0.06}, {0.212, 0.035, 0.11}, 0.048, 0.046);
  d = join(d, round_cone(q, {0.198, 0.045, -0.05}, {0.25, 0.03, 0.095}, 0.043, 0.036), 0.03);
  d = join(d, ellipsoid(q, {0.215, 0.03, 0.135}, {0.048, 0.03, 0.045}), 0.03);  // the big toe's side
  d = join(d, round_cone(q, kAnkle, {0.207, 0.055, 0.06}, 0.045, 0.035), 0.04);
  return cut(d, -q[1], 0.018);
}

double arm(const Vec3& q) {
  double d = round_cone(q, kShoulder, kElbow, 0.08, 0.055);
  d = join(d, ellipsoid(q, kShoulder + 0.45 * (kElbow - kShoulder), {0.075, 0.085, 0.072}), 0.05);
  d = join(d, round_cone(q, kElbow, kWrist, 0.054, 0.034), 0.04);
  return join(d, ellipsoid(q, kElbow + 0.28 * (kWrist - kElbow), {0.056, 0.066, 0.054}), 0.04);
}

// A mitten: palm, fingers as one, thumb.
double hand(const Vec3& q) {
  const double far = ball(q, 0.4 * kWrist + 0.6 * kFingers, 0.12);
  if (far > kFar) return far;
  const Vec3 down = (kFingers - kWrist).normalized();
  const Vec3 ahead = (Vec3::UnitZ() - down[2] * down).normalized(), out = ahead.cross(down);
  Mat3 axes;
  axes << down, ahead, out;
  const Vec3 r = axes.transpose() * (q - kWrist);  // along, towards the thumb, off the palm or the back
  double d = ellipsoid(r, {0.06, 0, 0}, {0.062, 0.047, 0.028});
  d = join(d, ellipsoid(r, {0.115, -0.003, 0.006}, {0.055, 0.04, 0.022}), 0.03);
  return join(d, round_cone(r, {0.035, 0.025, 0.004}, {0.092, 0.062, 0.008}, 0.021, 0.015), 0.02);
}

// Head, ears and nose, without hair.
double face(const Vec3& q) {
  const double far = ball(q, {0, 1.66, 0.01}, 0.2);
  if (far > kFar) return far;
  double d = ellipsoid(q, {0, 1.685, -0.005}, {0.083, 0.112, 0.102});
  d = join(d, ellipsoid(q, {0, 1.622, 0.025}, {0.068, 0.07, 0.07}), 0.05);             // jaw
  d = join(d, ellipsoid(q, {0.035, 1.633, 0.05}, {0.042, 0.04, 0.04}), 0.04);          // cheeks
  d = join(d, ellipsoid(q, {0, 1.577, 0.068}, {0.03, 0.022, 0.025}), 0.035);           // chin
  d = join(d, round_cone(q, {0, 1.69, 0.094}, {0, 1.654, 0.112}, 0.01, 0.015), 0.02);  // nose
  d = join(d, ball(q, {0.012, 1.651, 0.104}, 0.0115), 0.012);
  d = join(d, round_cone(q, {0.014, 1.71, 0.09}, {0.053, 1.708, 0.071}, 0.010, 0.009), 0.02);  // brow
  d = cut(d, -ellipsoid(q, {0.032, 1.686, 0.107}, {0.022, 0.015, 0.016}), 0.014);              // eye sockets
  d = join(d, ellipsoid(smiling(q), {0, 1.610, 0.091}, {0.03, 0.009, 0.011}), 0.01);           // lips
  return join(d, ellipsoid(q, {0.088, 1.672, -0.018}, {0.014, 0.034, 0.022}), 0.01);           // ears
}

double hair_mass(const Vec3& q) {
  const double far = ball(q, {0, 1.7, -0.02}, 0.16);
  if (far > kFar) return far;
  double d = ellipsoid(q, {0, 1.7, -0.014}, {0.088, 0.108, 0.108});
  return join(d, ellipsoid(q, {0, 1.765, 0.05}, {0.06, 0.03, 0.04}), 0.03);  // a tuft
}

}  // namespace

double shorts(const Vec3& p) {
  const Vec3 q = left(p);
  // The waistband runs below the belly and higher at the back; the legs end above the knees. Hands are not in them.
  const double waist = 0.955 - 0.05 * smooth_ramp(q[2], -0.1, 0.2);
  return std::max({q[1] - waist, 0.645 - q[1], q[0] - 0.36});
}

double hair(const Vec3& p) {
  const Vec3 q = left(p);
  // The hairline: high at the brow, in front of the ears, down to the nape.
  const double line = 1.752 - 0.055 * smooth_ramp(q[2], 0.055, 0.02) - 0.1 * smooth_ramp(q[2], -0.025, -0.07);
  return line - q[1];
}

double brows(const Vec3& p) { return ellipsoid(arched(left(p)), {0.035, 1.719, 0.09}, {0.022, 0.0045, 0.04}); }

double mouth(const Vec3& p) { return ellipsoid(smiling(left(p)), {0, 1.610, 0.1}, {0.028, 0.006, 0.02}); }

double body(const Vec3& p) {
  const Vec3 q = left(p);
  double bare = join(torso(q), leg(q), 0.05);
  double d = join(bare, foot(q), 0.03);
  d = join(d, arm(q), 0.055);
  d = join(d, hand(q), 0.025);
  d = join(d, face(q), 0.035);
  d = join(d, cut(hair_mass(q), hair(q), 0.01), 0.006);
  // Cloth of a few millimetres, so that its hems show.
  return join(d, cut(bare - 0.006, shorts(q), 0.008), 0.005);
}

}  // namespace supple::demos::live_man
