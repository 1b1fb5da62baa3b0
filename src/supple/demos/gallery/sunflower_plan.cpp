#include "supple/demos/gallery/sunflower_plan.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace supple::demos {

namespace {
constexpr double kPi = std::numbers::pi;

Points bezier(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, int n) {
  Points out;
  for (int i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) / n, s = 1 - t;
    out.push_back(s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d);
  }
  return out;
}

// More rings towards a pointed end.
double crowded(double x) { return 1 - std::pow(1 - x, 1.7); }

struct Petal {
  double start, length, width;  // [m] from the head's axis, along, half across
  double lift, slope, curl;     // [m] offset of the base, rise and fall of the tip along the face normal
  double narrow;                // width of the base over the largest
  double roll;                  // [rad]
};

// The centre line runs outwards in the plane of the head and bows along its normal.
Ribbon make_petal(const SunflowerPlan& plan, double angle, const Petal& petal, double stretch, double bow) {
  const Vec3 out = std::cos(angle) * plan.right + std::sin(angle) * plan.up;
  Points centre;
  constexpr int n = 14;
  for (int i = 0; i <= n; ++i) {
    const double s = crowded(static_cast<double>(i) / n);
    const double forward = petal.lift + petal.slope * s + (petal.curl + bow) * s * s;
    centre.push_back(plan.head + (petal.start + stretch * petal.length * s) * out + forward * plan.face);
  }
  const double from = petal.narrow;
  const auto width = [=](double x) {
    const double s = crowded(x);
    return petal.width * std::pow(std::max(0.0, std::sin(kPi * (from + (1 - from) * std::pow(s, 1.15)))), 0.75) + 5e-4;
  };
  Ribbon ribbon = make_ribbon(centre, plan.face, width, [](double s) { return 0.0028 * (1 - s) + 0.0008; });
  // Rolled a little about its length, so that neighbours lie over one another like shingles.
  for (size_t i = 0; i < ribbon.centre.size(); ++i) {
    const Vec3 side = ribbon.side[i], normal = ribbon.normal[i];
    ribbon.side[i] = std::cos(petal.roll) * side + std::sin(petal.roll) * normal;
    ribbon.normal[i] = std::cos(petal.roll) * normal - std::sin(petal.roll) * side;
  }
  return ribbon;
}

// Small fixed irregularity of petal i.
double wobble(int i, double phase) { return std::sin(2.4 * i + phase) + 0.5 * std::sin(5.1 * i + 2 * phase); }

SunflowerPlan make_plan() {
  SunflowerPlan plan;
  plan.face = Vec3(0.10, 0.30, 0.95).normalized();
  plan.right = Vec3(0, 1, 0).cross(plan.face).normalized();
  plan.up = plan.face.cross(plan.right);
  plan.head = {0.012, 0.84, 0.035};

  // The stem swings back and meets the head from behind.
  const Vec3 neck = plan.head - 0.028 * plan.face;
  const Points line = bezier({0, 0.003, 0}, {0.035, 0.30, 0.012}, {-0.035, 0.70, -0.125}, neck, 30);
  plan.stem = make_ribbon(
      line, Vec3::UnitZ(), [](double s) { return 0.0235 - 0.006 * s; }, [](double s) { return 0.0235 - 0.006 * s; });

  constexpr int n_petals = 15;
  for (int i = 0; i < n_petals; ++i) {
    const double step = 2 * kPi / n_petals, angle = step * i + 0.04 * wobble(i, 0.3);
    plan.front_petals.push_back(make_petal(plan, angle, {0.088, 0.160, 0.036, 0.003, 0.028, -0.034, 0.16, 0.2},
                                           1 + 0.045 * wobble(i, 1.1), 0.006 * wobble(i, 2.0)));
    plan.back_petals.push_back(make_petal(plan, angle + 0.5 * step,
                                          {0.080, 0.175, 0.036, -0.009, 0.013, -0.028, 0.16, 0.2},
                                          1 + 0.04 * wobble(i, 4.0), 0.006 * wobble(i, 0.7)));
  }
  constexpr int n_sepals = 11;
  for (int i = 0; i < n_sepals; ++i) {
    const double angle = 2 * kPi * (i + 0.25) / n_sepals;
    plan.sepals.push_back(make_petal(plan, angle, {0.060, 0.105, 0.024, -0.024, 0.005, -0.002, 0.30, 0.0},
                                     1 + 0.05 * wobble(i, 3.0), 0.002 * wobble(i, 1.0)));
  }

  // Leaves: a stalk from the stem, then a blade that rises and falls over.
  struct Leaf {
    size_t node;
    Vec3 out;
    double length, width;
  };
  for (const Leaf& leaf : {Leaf{8, {0.92, 0, 0.38}, 0.27, 0.078}, Leaf{13, {-0.93, 0, 0.36}, 0.24, 0.072}}) {
    const Vec3& from = line[leaf.node];
    const Vec3 out = leaf.out.normalized(), y = Vec3::UnitY();
    const Vec3 base = from + 0.075 * out + 0.055 * y;
    plan.stalks.push_back(make_ribbon(
        bezier(from, from + 0.03 * out + 0.015 * y, base - 0.02 * out - 0.018 * y, base + 0.02 * out + 0.014 * y, 8),
        Vec3::UnitZ(), [](double s) { return 0.0085 - 0.003 * s; }, [](double s) { return 0.0085 - 0.003 * s; }));
    const double l = leaf.length;
    const Points blade = bezier(base, base + 0.36 * l * out + 0.22 * l * y, base + 0.75 * l * out + 0.22 * l * y,
                                base + l * out - 0.10 * l * y, 18);
    const auto width = [w = leaf.width](double s) {
      return w * std::pow(std::max(0.0, std::sin(kPi * (0.10 + 0.90 * std::pow(s, 0.72)))), 0.85) + 6e-4;
    };
    plan.leaves.push_back(make_ribbon(blade, Vec3(0.1, 0.75, 0.66), width, [](double s) { return 0.003 - 0.002 * s; }));
  }
  return plan;
}
}  // namespace

const SunflowerPlan& sunflower_plan() {
  static const SunflowerPlan plan = make_plan();
  return plan;
}

}  // namespace supple::demos
