#include "supple/demos/gallery/jellyfish_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple::demos {

namespace {
constexpr double kPi = std::numbers::pi;
constexpr double kRadius = 0.142, kHeight = 0.105, kMiddle = 0.262;  // [m] of the bell; height of its widest place
constexpr int kTentacles = 8, kArms = 4;

double ease(double x) {
  const double s = std::clamp(x, 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

// The bell: half an ellipsoid that closes in a little below its widest place, thick at the top, thin at the rim.
void add_profile(JellyfishPlan& plan) {
  constexpr int n = 15;
  constexpr double end = 1.72;  // [rad] from the top to the rim
  const auto thickness = [](double angle) { return 0.036 - 0.022 * ease(angle / end * 1.15); };
  for (int i = 0; i <= n; ++i) {
    const double a = end * i / n;
    plan.profile.emplace_back(kRadius * std::pow(std::sin(a), 0.92), kMiddle + kHeight * std::cos(a));
  }
  plan.rim = plan.profile.size() - 1;
  for (int i = n; i >= 0; --i) {
    const double a = end * i / n, r = (kRadius - thickness(a)) * std::pow(std::sin(a), 0.92);
    // The stomach hangs from the middle of the underside.
    const double stomach = 0.030 * std::exp(-std::pow(r / 0.042, 2));
    plan.profile.emplace_back(r, kMiddle + (kHeight - thickness(a)) * std::cos(a) - stomach);
  }
}

Vec3 polar(double radius, double angle, double y) { return {radius * std::cos(angle), y, radius * std::sin(angle)}; }

JellyfishPlan make_plan() {
  JellyfishPlan plan;
  add_profile(plan);
  plan.core_high = kMiddle + kHeight - 0.055;
  plan.core_low = plan.core_high - 0.025;
  plan.core_radius = 0.055;

  // Tentacles hang from inside the rim and wave a little.
  for (int k = 0; k < kTentacles; ++k) {
    const double angle = 2 * kPi * k / kTentacles, length = k % 2 == 0 ? 0.225 : 0.185;
    Points centre;
    constexpr int n = 22;
    for (int i = 0; i <= n; ++i) {
      const double s = static_cast<double>(i) / n;
      const double wave = 0.010 * std::sin(2 * kPi * 1.15 * s + 0.9 * k),
                   aside = 0.06 * std::sin(5.2 * s + 1.7 * k) * s;
      centre.push_back(polar(0.126 + 0.014 * s + wave * ease(2 * s), angle + aside, 0.258 - length * s));
    }
    const auto radius = [](double s) { return 0.0125 - 0.0065 * s - 0.004 * ease(6 * (s - 0.84)); };
    plan.tentacles.push_back(make_ribbon(centre, polar(1, angle, 0), radius, radius));
  }
  // Arms: broad frilled bands around the axis.
  for (int k = 0; k < kArms; ++k) {
    const double angle = 2 * kPi * (k + 0.5) / kArms, length = k % 2 == 0 ? 0.205 : 0.180;
    Points centre;
    constexpr int n = 34;
    for (int i = 0; i <= n; ++i) {
      const double s = static_cast<double>(i) / n;
      centre.push_back(
          polar(0.014 + 0.014 * ease(s) + 0.004 * std::sin(6 * s + k), angle + 0.5 * s, 0.292 - length * s));
    }
    const auto width = [](double s) { return 0.010 + 0.012 * std::sin(kPi * std::pow(s, 0.7)) - 0.005 * s; };
    plan.arms.push_back(make_ribbon(centre, polar(1, angle, 0), width, [](double s) { return 0.0045 - 0.003 * s; }));
  }
  return plan;
}
}  // namespace

double JellyfishPlan::scallop(double angle, double y) const {
  // Sixteen lobes; tentacles hang from every other notch.
  const double lobe = std::sqrt(std::abs(std::sin(8 * angle)));
  return 0.017 * lobe * std::pow(std::clamp((0.285 - y) / 0.05, 0.0, 1.0), 2);
}

const JellyfishPlan& jellyfish_plan() {
  static const JellyfishPlan plan = make_plan();
  return plan;
}

}  // namespace supple::demos
