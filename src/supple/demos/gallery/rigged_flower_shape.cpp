#include "supple/demos/gallery/rigged_flower_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::flower {

namespace {

constexpr int kPetals = 5;
constexpr double kFatter = 0.022;  // [m] of stem and leaves in the fat body

double stalk(const Vec3& p, double fatter) {
  double d = 1;
  for (int k = 0; k < 3; ++k) d = join(d, round_cone(p, kStem[k], kStem[k + 1], 0.048 + fatter, 0.048 + fatter), 0.02);
  return join(d, round_cone(p, kStem[3], kBlossom, 0.048 + fatter, 0.07 + fatter), 0.03);
}

double leaf(const Vec3& p, const Vec3 (&at)[3], double fatter) {
  double d = round_cone(p, at[0], at[1], 0.030 + fatter, 0.040 + fatter);
  const Vec3 middle = 0.45 * at[1] + 0.55 * at[2], along = (at[2] - at[0]).normalized();
  // A blade: long along it, wide along z, thin across.
  const Vec3 wide = Vec3::UnitZ(), thin = wide.cross(along).normalized();
  const Vec3 q = p - middle;
  return join(d,
              ellipsoid({q.dot(along), q.dot(wide), q.dot(thin)}, Vec3::Zero(),
                        Vec3(0.17, 0.085, 0.040) + Vec3::Constant(fatter)),
              0.03);
}

double all_of_it(const Vec3& p, double fatter) {
  double d = join(stalk(p, fatter), petals(p), 0.04);
  d = join(d, leaf(p, kLeft, fatter), 0.03);
  d = join(d, leaf(p, kRight, fatter), 0.03);
  return join(d, pot(p), 0.03);
}

}  // namespace

double petals(const Vec3& p) {
  double d = ellipsoid(p, kBlossom, {0.17, 0.17, 0.10});
  for (int k = 0; k < kPetals; ++k) {
    const double a = 2 * M_PI * k / kPetals + M_PI / 2;
    const Vec3 out(std::cos(a), std::sin(a), 0), across(-std::sin(a), std::cos(a), 0), q = p - kBlossom - 0.23 * out;
    d = join(d, ellipsoid({q.dot(out), q.dot(across), q[2] - 0.02}, Vec3::Zero(), {0.16, 0.125, 0.064}), 0.025);
  }
  return d;
}

double pot(const Vec3& p) {
  const double cone = round_cone(p, {0, -0.02, 0}, {0, 0.09, 0}, 0.12, 0.145);
  return cut(cut(cone, -0.02 - p[1], 0.03), p[1] - 0.13, 0.03);
}

double body(const Vec3& p) { return all_of_it(p, 0); }
double fat_body(const Vec3& p) { return all_of_it(p, kFatter); }

double disc(const Vec3& p) { return ellipsoid(p, kBlossom + Vec3(0, 0, 0.11), {0.15, 0.15, 0.08}); }

}  // namespace supple::demos::flower
