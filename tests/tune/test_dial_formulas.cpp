// The formulas from dials to scalings, apart from any body.
#include "supple/tune/dials.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/sim/analysis.h"
#include "supple/sim/ringdown.h"

namespace supple {
namespace {

TEST(Dials, closed_formulas) {
  const Scalings one = scalings_for({}, false);
  EXPECT_TRUE(one.chi == 1 && one.mu == 1 && one.ck == 1 && one.epsilon == 1);
  const DialRatios asked{.frequency = 0.5, .amplitude = 3, .sag = 2, .half_life = 4};
  const Scalings brief = scalings_for(asked, false), lasting = scalings_for(asked, true);
  EXPECT_EQ(brief.chi, 0.5);
  EXPECT_EQ(brief.mu, 0.5);
  EXPECT_EQ(brief.ck, 1);
  EXPECT_EQ(brief.epsilon, 1.5);
  EXPECT_EQ(lasting.epsilon, 0.75);
  // Frequency alone keeps the amplitude: epsilon follows.
  EXPECT_EQ(scalings_for({.frequency = 2}, false).epsilon, 2);
  EXPECT_EQ(scalings_for({.frequency = 2}, true).epsilon, 4);
}

// u'' + (d_m + d_k w^2) u' + w^2 u = 0 stepped by the rules of the integrator, and its decay read off the samples.
double stepped_half_life(const StepRule& rule, double frequency_hz, double d_k, double d_m, int steps) {
  const double w2 = std::pow(2 * M_PI * frequency_hz, 2), c = d_m + d_k * w2;
  double u_n = 1, v_n = 0, a_n = -w2;
  std::vector<double> y = {u_n};
  for (int i = 0; i < steps; ++i) {
    double u = 0, v = 0, a = 0, u_m = 0, v_m = 0;
    for (const StageRule& s : stages(rule.integrator, rule.h, rule.stage_fraction)) {
      const double v0 = s.start * u_n + s.start_rate * v_n + s.middle * u_m;
      const double a0 = s.start * v_n + s.start_rate * a_n + s.middle * v_m;
      u = -(s.now * v0 + a0 + c * v0) / (s.now * s.now + c * s.now + w2);
      v = s.now * u + v0, a = s.now * v + a0;
      u_m = u, v_m = v;
    }
    u_n = u, v_n = v, a_n = a;
    y.push_back(u);
  }
  return fit_ringdown(y, rule.h).half_life_s;
}

TEST(Dials, the_half_life_asked_for_is_the_one_that_shows) {
  struct Case {
    Integrator integrator;
    double h, fraction, half_life, d_m;
  };
  for (const Case& c : {Case{Integrator::tr_bdf2, 1.0 / 60, kEqualMatrixFraction, 0.5, 0},
                        Case{Integrator::tr_bdf2, 1.0 / 24, kEqualMatrixFraction, 0.5, 0.3},
                        Case{Integrator::tr_bdf2, 1.0 / 60, 0.5, 1.2, 0},
                        Case{Integrator::backward_euler, 1.0 / 480, kEqualMatrixFraction, 0.5, 0},
                        Case{Integrator::backward_euler, 1.0 / 480, kEqualMatrixFraction, 0.3, 1}}) {
    const StepRule rule{.integrator = c.integrator, .h = c.h, .stage_fraction = c.fraction};
    const DampingChoice choice = damping_for(rule, c.half_life, 2.0, c.d_m);
    EXPECT_EQ(choice.limit, DampingChoice::Limit::none);
    EXPECT_GT(choice.d_k, 0);
    EXPECT_NEAR(choice.reached_s, c.half_life, 1e-9 * c.half_life);
    const int steps = static_cast<int>(4 * c.half_life / c.h);
    EXPECT_NEAR(stepped_half_life(rule, 2.0, choice.d_k, c.d_m, steps), c.half_life, 1e-4 * c.half_life);
    // Against Eq. 7 backward Euler needs less, its own share being there already, and tr-bdf2 a little more.
    const double eq7 = stiffness_damping_for(c.half_life, 2.0, c.d_m);
    if (c.integrator == Integrator::backward_euler) {
      EXPECT_NEAR(choice.d_k, eq7 - c.h, 0.1 * c.h);
    } else {
      EXPECT_NEAR(choice.d_k, eq7, 0.04 * eq7);
      EXPECT_GT(choice.d_k, eq7);
    }
  }
  // The steps gone to nothing, it is Eq. 7.
  const DampingChoice fine = damping_for({.h = 1e-4}, 0.5, 2.0, 0.1);
  EXPECT_NEAR(fine.d_k, stiffness_damping_for(0.5, 2.0, 0.1), 1e-5 * fine.d_k);
}

TEST(Dials, half_lives_out_of_reach) {
  using Limit = DampingChoice::Limit;
  // Backward Euler at 1/120 s turns no damping at all into 0.1 s at 3.3 Hz.
  const StepRule coarse{.integrator = Integrator::backward_euler, .h = 1.0 / 120};
  const DampingChoice integrator = damping_for(coarse, 2, 3.3, 0);
  EXPECT_EQ(integrator.limit, Limit::integrator);
  EXPECT_EQ(integrator.d_k, 0);
  EXPECT_NEAR(integrator.reached_s, stepped_half_life(coarse, 3.3, 0, 0, 240), 1e-3);
  EXPECT_EQ(damping_for({.h = 1e-3}, 2, 3.3, 5).limit, Limit::mass_damping);
  const DampingChoice critical = damping_for({.h = 1e-3}, 0.01, 1, 0);
  EXPECT_EQ(critical.limit, Limit::critical);
  EXPECT_NEAR(critical.d_k, 1 / M_PI, 0.01);  // 2 / omega
  EXPECT_NEAR(critical.reached_s, std::log(2) / (2 * M_PI), 0.01);
  // Just short of critical damping all is in reach.
  for (const double share : {1.01, 1.1, 2.0}) {
    const DampingChoice near = damping_for({.h = 1e-3}, share * critical.reached_s, 1, 0);
    EXPECT_EQ(near.limit, Limit::none);
    EXPECT_NEAR(near.reached_s, share * critical.reached_s, 1e-9);
  }
  // A hair short is no news.
  EXPECT_EQ(damping_for(coarse, 1.01 * integrator.reached_s, 3.3, 0).limit, Limit::none);
  EXPECT_EQ(damping_for(coarse, 1, 0, 0).d_k, 0);
}

TEST(Dials, keys_of_one_dial) {
  Adjustment a;
  set_keys(a, {.frequency = {{{0, 1}, {2, 3}}}}, false);
  EXPECT_EQ(a.stiffness.at(-1), 1);
  EXPECT_EQ(a.stiffness.at(2), 9);
  EXPECT_EQ(a.stiffness.at(1), 5);  // halfway of the easing
  EXPECT_EQ(a.gravity.at(5), 9);
  EXPECT_NEAR(a.damping.at(2), 1.0 / 9, 1e-15);
  EXPECT_EQ(a.inertia.at(2), 3);
  set_keys(a, {.frequency = {{{0, 1}, {2, 3}}}}, true);
  EXPECT_EQ(a.inertia.at(2), 9);
  // The easing starts and ends without a jerk.
  EXPECT_NEAR(a.stiffness.at(1e-3), 1, 1e-7);
  EXPECT_NEAR(a.stiffness.at(2 - 1e-3), 9, 1e-7);
}

TEST(Dials, keys_of_several_dials_meet_on_all_their_frames) {
  Adjustment a;
  set_keys(
      a, {.frequency = {{{0, 1}, {4, 2}}}, .amplitude = {{{2, 5}}}, .sag = {{{1, 1}, {4, 0}}}, .half_life = {{{0, 2}}}},
      false);
  for (const FactorKeys* f : {&a.stiffness, &a.gravity, &a.damping, &a.inertia}) ASSERT_EQ(f->keys.size(), 4u);
  const FactorKeys frequency{{{0, 1}, {4, 2}}};
  for (const double t : {0.0, 1.0, 2.0, 4.0}) {
    const double chi = frequency.at(t);
    EXPECT_NEAR(a.stiffness.at(t), chi * chi, 1e-14);
    EXPECT_NEAR(a.inertia.at(t), 5 * chi, 1e-14);
    EXPECT_NEAR(a.damping.at(t), 1 / (2 * chi * chi), 1e-14);
  }
  EXPECT_EQ(a.gravity.at(4), 0);
}

TEST(Dials, keys_that_say_nothing_are_none) {
  Adjustment a;
  set_keys(a, {.frequency = {{{0, 1}, {9, 1}}}, .amplitude = {{{3, 2}}}}, false);
  EXPECT_FALSE(a.keyed());
  EXPECT_FALSE(a.inertia.empty());
  set_keys(a, {.amplitude = {{{3, 1}}}}, false);
  EXPECT_TRUE(a.inertia.empty());
  EXPECT_TRUE(a.plain_inertia());
}

}  // namespace
}  // namespace supple
