#include "supple/demos/drawn/talking_head_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::talking_head {

namespace {

Vec3 left(const Vec3& p) { return {std::abs(p[0]), p[1], p[2]}; }

double skull(const Vec3& q) {
  double d = ellipsoid(q, {0, 0.216, -0.014}, {0.0755, 0.086, 0.096});
  d = join(d, ellipsoid(q, {0, 0.186, 0.028}, {0.0645, 0.084, 0.059}), 0.03);             // the face
  d = join(d, ellipsoid(q, {0, 0.128, 0.028}, {0.054, 0.047, 0.053}), 0.03);              // the jaw
  d = join(d, ellipsoid(q, {0, 0.092, 0.064}, {0.021, 0.0165, 0.0175}), 0.025);           // the chin
  d = join(d, ellipsoid(q, {0.042, 0.162, 0.050}, {0.022, 0.018, 0.024}), 0.025);         // cheekbones
  d = join(d, round_cone(q, {0, -0.05, -0.030}, {0, 0.14, -0.022}, 0.057, 0.050), 0.03);  // the neck
  return cut(d, -q[1], 0.02);
}

double ear(const Vec3& q) {
  const double far = ball(q, {0.078, 0.172, -0.014}, 0.05);
  if (far > 0.02) return far;
  // Along it, up, and out of its disc, which stands off to the back.
  const Vec3 d = q - Vec3(0.0765, 0.172, -0.012);
  const double c = std::cos(0.42), s = std::sin(0.42);
  const Vec3 e(c * d[0] + s * d[2], d[1] + 0.15 * d[2], -s * d[0] + c * d[2]);
  double shell = ellipsoid(e, {0, 0.002, -0.006}, {0.0075, 0.030, 0.019});
  shell = join(shell, ellipsoid(e, {0, -0.021, 0.002}, {0.006, 0.012, 0.010}), 0.008);
  return cut(shell, -ellipsoid(e, {0.010, 0.004, -0.003}, {0.0085, 0.019, 0.0115}), 0.006);
}

double nose(const Vec3& q) {
  double d = round_cone(q, {0, 0.200, 0.0815}, {0, 0.163, 0.1025}, 0.0068, 0.0088);
  d = join(d, ball(q, {0, 0.1585, 0.1040}, 0.0092), 0.006);
  return join(d, ellipsoid(q, {0.0115, 0.1545, 0.0935}, {0.0068, 0.0066, 0.0088}), 0.006);
}

double lips(const Vec3& q) {
  const double y = kMouthHeight;
  double upper = round_cone(q, {0.0045, y + 0.0064, 0.0845}, {0.014, y + 0.0050, 0.0810}, 0.0058, 0.0048);
  upper = join(upper, round_cone(q, {0.014, y + 0.0050, 0.0810}, {0.0265, y + 0.0012, 0.0700}, 0.0048, 0.0034), 0.004);
  double lower = round_cone(q, {0, y - 0.0072, 0.0830}, {0.013, y - 0.0060, 0.0800}, 0.0068, 0.0056);
  lower = join(lower, round_cone(q, {0.013, y - 0.0060, 0.0800}, {0.0265, y - 0.0012, 0.0700}, 0.0056, 0.0034), 0.004);
  return std::min(upper, lower);
}

// Negative between the lips: a slit that ends in the corners of the mouth.
double slit(const Vec3& q) {
  const double x = q[0] / kMouthHalfWidth, slope = 2 * kLipGap / kMouthHalfWidth * x;
  const double d = (std::abs(q[1] - kMouthHeight) - kLipGap * (1 - x * x)) / std::sqrt(1 + slope * slope);
  // Beyond the corners about the distance to them, or a fillet would draw the slit on into the cheek.
  return std::max({d, 0.7 * (q[0] - kMouthHalfWidth), 0.05 - q[2]});
}

double bag(const Vec3& q) {
  const double deep = ellipsoid(q, {0, 0.1215, 0.034}, {0.0275, 0.0200, 0.041});
  return join(deep, ellipsoid(q, {0, 0.1220, 0.052}, {0.0290, 0.0165, 0.0245}), 0.008);
}

double eye_socket(const Vec3& q) {
  const Vec3 d = q - kEye;
  const double x = d[0] / 0.0145, y = d[1] + 0.0008;
  // The slit between the lids runs outwards from the ball.
  const double between = std::max(std::abs(y) - 0.0060 * (1 - x * x), -d[2]);
  return join(ball(q, kEye, kEyeRadius + 0.0009), between, 0.0015);
}

// An arch in plan, rounded boxes across: `low` to `high` above the line between the rows.
double teeth(const Vec3& p, double front, double low, double high) {
  constexpr double kBend = 76, kHalfThickness = 0.0026, kRound = 0.0012, kWidth = 0.0072;
  const double x = p[0], slope = 2 * kBend * x;
  const double across = (p[2] - (front - kHalfThickness - kBend * x * x)) / std::sqrt(1 + slope * slope);
  // Length along the arch, which teeth divide evenly.
  const double along = 0.5 * x * std::sqrt(1 + slope * slope) + std::asinh(slope) / (4 * kBend);
  const double groove = std::exp(-std::pow((along / kWidth - std::round(along / kWidth)) / 0.13, 2));
  const double a = std::abs(across) - (kHalfThickness - 0.0007 * groove) + kRound;
  const double b = std::abs(p[1] - kMouthHeight - (low + high) / 2) - (high - low) / 2 + 0.0005 * groove + kRound;
  const double c = 0.036 - p[2] + kRound;
  const Vec3 out = Vec3(a, b, c).cwiseMax(0.0);
  return std::min(std::max({a, b, c}), 0.0) + out.norm() - kRound;
}

}  // namespace

double whole_skin(const Vec3& p) {
  const Vec3 q = left(p);
  double d = skull(q);
  d = cut(d, -ellipsoid(q, {0.034, 0.187, 0.101}, {0.021, 0.0135, 0.021}), 0.014);  // under the brows
  d = join(d, round_cone(q, {0.012, 0.2035, 0.0800}, {0.044, 0.2045, 0.0655}, 0.0072, 0.0060), 0.012);  // brows
  d = join(d, ball(q, kEye, kEyeRadius + 0.0043), 0.005);                                               // the lids
  d = join(d, nose(q), 0.010);
  d = join(d, lips(q), 0.006);
  return join(d, ear(q), 0.014);
}

double skin(const Vec3& p) {
  const Vec3 q = left(p);
  double d = whole_skin(p);
  d = cut(d, -eye_socket(q), 0.0022);
  d = cut(d, -ellipsoid(q, {0.0068, 0.1505, 0.0965}, {0.0036, 0.0060, 0.0052}), 0.003);  // nostrils
  return cut(d, -mouth(p), 0.003);
}

double mouth(const Vec3& p) {
  const Vec3 q = left(p);
  return join(slit(q), bag(q), 0.006);
}

double upper_teeth(const Vec3& p) { return teeth(p, 0.0715, 0.0012, 0.0102); }
double lower_teeth(const Vec3& p) { return teeth(p, 0.0700, -0.0096, -0.0014); }

double tongue(const Vec3& p) {
  const Vec3 q = left(p);
  // A shallow furrow along its middle.
  const double d = ellipsoid(q, {0, 0.1105, 0.034}, {0.0150, 0.0062, 0.0265});
  return cut(d, -round_cone(q, {0, 0.1195, 0.010}, {0, 0.1195, 0.052}, 0.0035, 0.0030), 0.004);
}

}  // namespace supple::demos::talking_head
