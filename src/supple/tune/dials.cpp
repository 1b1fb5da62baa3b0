#include "supple/tune/dials.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace supple {

Scalings scalings_for(const DialRatios& asked, bool sustained) {
  const double chi = asked.frequency, chi2 = chi * chi;
  return {.chi = chi,
          .mu = chi2 * asked.sag,
          .ck = 1 / (chi2 * asked.half_life),
          .epsilon = asked.amplitude * (sustained ? chi2 : chi)};
}

double StepRule::half_life(double frequency_hz, double d_k, double d_m) const {
  if (!(frequency_hz > 0)) return std::numeric_limits<double>::infinity();
  return discrete_half_life(integrator, h, 2 * std::numbers::pi * frequency_hz, d_k, d_m, stage_fraction);
}

DampingChoice damping_for(const StepRule& rule, double half_life_s, double frequency_hz, double d_m) {
  using Limit = DampingChoice::Limit;
  const auto reached = [&](double d_k) { return rule.half_life(frequency_hz, d_k, d_m); };
  DampingChoice choice{.d_k = 0, .reached_s = reached(0)};
  if (!(frequency_hz > 0)) return choice;
  if (choice.reached_s <= half_life_s) {
    if (choice.reached_s < (1 - kHalfLifeTolerance) * half_life_s)
      choice.limit = d_m * half_life_s > 2 * std::numbers::ln2 ? Limit::mass_damping : Limit::integrator;
    return choice;
  }
  // Eq. 7 for a start. Past critical damping, about 2 / omega, the half-life grows again.
  const double omega = 2 * std::numbers::pi * frequency_hz;
  double low = 0, high = std::min(2 * std::numbers::ln2 / (half_life_s * omega * omega), 2 / omega);
  while (reached(high) > half_life_s && reached(2 * high) < reached(high)) low = high, high *= 2;
  if (reached(high) > half_life_s) {
    // The fastest there is.
    double a = high / 2, b = 2 * high;
    for (int i = 0; i < 100; ++i) {
      const double c = a + (b - a) / 3, d = b - (b - a) / 3;
      if (reached(c) < reached(d))
        b = d;
      else
        a = c;
    }
    high = (a + b) / 2;
    if (reached(high) > half_life_s) {
      const bool far = reached(high) > (1 + kHalfLifeTolerance) * half_life_s;
      return {.d_k = high, .reached_s = reached(high), .limit = far ? Limit::critical : Limit::none};
    }
    low = std::min(low, high);
  }
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (reached(middle) > half_life_s ? low : high) = middle;
  }
  choice.d_k = high;
  choice.reached_s = reached(high);
  return choice;
}

void set_keys(Adjustment& adjustment, const DialFactors& factors, bool sustained) {
  std::set<double> times;
  for (const FactorKeys* keys : {&factors.frequency, &factors.amplitude, &factors.sag, &factors.half_life})
    for (const auto& key : keys->keys) times.insert(key[0]);
  adjustment.stiffness = adjustment.gravity = adjustment.damping = adjustment.inertia = {};
  for (const double t : times) {
    const Scalings s = scalings_for({.frequency = factors.frequency.at(t),
                                     .amplitude = factors.amplitude.at(t),
                                     .sag = factors.sag.at(t),
                                     .half_life = factors.half_life.at(t)},
                                    sustained);
    adjustment.stiffness.keys.push_back({t, s.chi * s.chi});
    adjustment.gravity.keys.push_back({t, s.mu});
    adjustment.damping.keys.push_back({t, s.ck});
    adjustment.inertia.keys.push_back({t, s.epsilon});
  }
  for (FactorKeys* f : {&adjustment.stiffness, &adjustment.gravity, &adjustment.damping, &adjustment.inertia})
    if (std::all_of(f->keys.begin(), f->keys.end(), [](const auto& key) { return key[1] == 1; })) f->keys.clear();
}

}  // namespace supple
