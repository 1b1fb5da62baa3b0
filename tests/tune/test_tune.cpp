// The whole tuning on experiments with one mass: dials met, cross-talk, counts of trials, what is out of reach.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/tune/ring_search.h"
#include "supple/tune/tune.h"
#include "tests/tune/oscillators.h"

using namespace supple;
using namespace supple::test;

namespace {

void expect_met(const TuneResult& r, const char* what) {
  EXPECT_TRUE(r.all_met()) << what << ": " << r.frequency.note << " | " << r.amplitude.note << " | " << r.sag.note
                           << " | " << r.half_life.note;
  EXPECT_NEAR(r.got.frequency / r.asked.frequency, 1, 0.003) << what;
  EXPECT_NEAR(r.got.half_life / r.asked.half_life, 1, 0.003) << what;
  EXPECT_NEAR(r.got.amplitude / r.asked.amplitude, 1, 0.01) << what;
  EXPECT_NEAR(r.got.sag / r.asked.sag, 1, 0.002) << what;
  EXPECT_LE(r.full_runs, 6) << what;
}

// What the result says holds when measured again.
void expect_true(Experiment& e, const TuneResult& r) {
  const Motion now = e.run({}), then = e.run(r.scalings);
  EXPECT_NEAR(then.amplitude / now.amplitude, r.got.amplitude, 1e-9);
  EXPECT_NEAR(e.sag(r.scalings.mu / std::pow(r.scalings.chi, 2)) / e.sag(1), r.got.sag, 1e-9);
  const Ring ring_now = e.ring({}, now.rms_m / 10), ring_then = e.ring(r.scalings, now.rms_m * r.asked.amplitude / 10);
  EXPECT_NEAR(ring_then.frequency_hz / ring_now.frequency_hz, r.got.frequency, 1e-9);
  EXPECT_NEAR(ring_then.half_life_s / ring_now.half_life_s, r.got.half_life, 1e-9);
}

const std::vector<Ratios> kAsked = {{.frequency = 1.5},
                                    {.frequency = 0.6},
                                    {.amplitude = 2},
                                    {.amplitude = 0.3},
                                    {.sag = 1.8},
                                    {.sag = 0.4},
                                    {.half_life = 2},
                                    {.half_life = 0.5},
                                    {.frequency = 1.4, .amplitude = 1.6, .sag = 0.7, .half_life = 0.6},
                                    {.frequency = 0.7, .amplitude = 0.5, .sag = 1.5, .half_life = 1.7}};

}  // namespace

// Linear: the closed formulas give frequency, half-life and sag at once and exactly; only the amplitude is searched.
TEST(Tune, LinearOscillator) {
  for (const double damping : {0.003, 0.02, 0.05})
    for (const bool sustained : {false, true})
      for (const Ratios& asked : kAsked) {
        OscillatorValues values{.damping = damping};
        if (sustained) values = {.damping = damping, .jerk = 0, .shake_hz = 0.7, .shake_m = 0.05};
        LinearOscillator e(values);
        const TuneResult r = tune(e, asked, {.start = sustained ? AmplitudeStart::sustained : AmplitudeStart::impulse});
        expect_met(r, "linear");
        EXPECT_LE(e.rings, 2);
        EXPECT_LE(r.full_runs, 3);
        EXPECT_LE(e.statics, 2);
        EXPECT_EQ(r.full_runs, e.runs);
        EXPECT_EQ(static_cast<int>(r.trials.size()), e.runs + e.rings + e.statics);
        EXPECT_NEAR(r.got.frequency, asked.frequency, 1e-9);
        EXPECT_NEAR(r.got.half_life, asked.half_life, 1e-9);
        // mu / chi^2 is the load, which is the sag ratio.
        EXPECT_NEAR(r.scalings.mu / std::pow(r.scalings.chi, 2), asked.sag, 1e-9);
        expect_true(e, r);
      }
}

// Lightly damped, chi and c_k are the paper's.
TEST(Tune, LinearFormulas) {
  LinearOscillator e({.damping = 1e-5});
  const TuneResult r = tune(e, {.frequency = 1.4, .amplitude = 1.6, .sag = 0.7, .half_life = 0.6});
  EXPECT_NEAR(r.scalings.chi, 1.4, 1e-6);
  EXPECT_NEAR(r.scalings.mu, 1.4 * 1.4 * 0.7, 1e-6);
  EXPECT_NEAR(r.scalings.ck, 1 / (1.4 * 1.4 * 0.6), 1e-6);
}

TEST(Tune, NothingAskedCostsTheBaselineOnly) {
  DuffingOscillator e({.cubic = 0.5});
  const TuneResult r = tune(e, {});
  EXPECT_TRUE(r.all_met());
  EXPECT_EQ(e.runs, 1);
  EXPECT_EQ(e.rings, 1);
  EXPECT_EQ(e.statics, 1);
  EXPECT_EQ(r.scalings.chi, 1);
  EXPECT_EQ(r.scalings.mu, 1);
  EXPECT_EQ(r.scalings.ck, 1);
  EXPECT_EQ(r.scalings.epsilon, 1);
  EXPECT_EQ(*r.tuned.amplitude, *r.baseline.amplitude);

  TuneOptions given;
  given.baseline = e.run({});
  const TuneResult again = tune(e, {}, given);
  EXPECT_EQ(again.full_runs, 0);
  EXPECT_TRUE(again.all_met());
}

TEST(Tune, DuffingOscillator) {
  for (const double cubic : {0.3, 2.0})
    for (const bool sustained : {false, true})
      for (const Ratios& asked : kAsked) {
        OscillatorValues values{.cubic = cubic};
        if (sustained) {
          values.jerk = 0;
          values.shake_hz = 0.9;
          values.shake_m = 0.05;
        }
        DuffingOscillator e(values);
        const TuneResult r = tune(e, asked, {.start = sustained ? AmplitudeStart::sustained : AmplitudeStart::impulse});
        expect_met(r, "duffing");
        EXPECT_LE(e.rings, 6);
        expect_true(e, r);
      }
}

// With sag kept off 1 chi must undo the stiffening: the linear formula alone misses the frequency by far.
TEST(Tune, SagStiffensAndFrequencyIsKept) {
  DuffingOscillator e({.cubic = 2});
  const double linear = e.ring({.mu = 1.8}, 1e-3).frequency_hz / e.ring({}, 1e-3).frequency_hz;
  EXPECT_GT(linear, 1.1);
  const TuneResult r = tune(e, {.sag = 1.8});
  expect_met(r, "sag");
  EXPECT_LT(r.scalings.chi, 0.9);
}

// Numerical damping beside the material's.
TEST(Tune, BackwardEuler) {
  for (const Ratios& asked : kAsked) {
    BackwardEulerOscillator e({.damping = 0.02}, 1.0 / 120);
    const TuneResult r = tune(e, asked);
    expect_met(r, "backward Euler");
    EXPECT_LE(e.rings, 6);
    expect_true(e, r);
  }
}

TEST(Tune, BackwardEulerDampsTooMuch) {
  BackwardEulerOscillator e({.damping = 0.005}, 1.0 / 120);
  const TuneResult r = tune(e, {.frequency = 1.3, .amplitude = 1.5, .half_life = 3});
  EXPECT_FALSE(r.half_life.met);
  EXPECT_TRUE(r.half_life.applicable);
  EXPECT_NE(r.half_life.note.find("substeps"), std::string::npos) << r.half_life.note;
  EXPECT_EQ(r.scalings.ck, 0);
  EXPECT_TRUE(r.frequency.met) << r.frequency.note;
  EXPECT_NEAR(r.got.frequency, 1.3, 0.004);
  EXPECT_TRUE(r.amplitude.met && r.sag.met);
  EXPECT_LE(r.full_runs, 6);
  expect_true(e, r);
}

namespace {

class Saturating : public LinearOscillator {
 public:
  using LinearOscillator::LinearOscillator;
  Motion run(const Scalings& s) override {
    ++runs;
    const double a = std::tanh(s.epsilon / s.chi);
    return {.ok = true, .amplitude = a, .rms_m = a / 2, .peak_m = 2 * a};
  }
};

class Fragile : public LinearOscillator {
 public:
  Fragile(const OscillatorValues& v, bool throws) : LinearOscillator(v), throws_(throws) {}
  Motion run(const Scalings& s) override {
    if (s.epsilon > 1.9) {
      ++runs;
      if (throws_) throw SimulationFailure(0.5, "ear", "diverged");
      return {.trouble = "diverged"};
    }
    return LinearOscillator::run(s);
  }

 private:
  bool throws_;
};

}  // namespace

TEST(Tune, AmplitudeOutOfReach) {
  Saturating e(OscillatorValues{});
  const TuneResult r = tune(e, {.frequency = 1.2, .amplitude = 2, .sag = 1.3});
  EXPECT_FALSE(r.amplitude.met);
  EXPECT_FALSE(r.all_met());
  EXPECT_NEAR(r.got.amplitude, 1 / std::tanh(1.0), 0.02);  // the most there is
  EXPECT_NE(r.amplitude.note, "");
  EXPECT_TRUE(r.frequency.met && r.sag.met && r.half_life.met);
  EXPECT_LE(r.full_runs, 6);
}

TEST(Tune, FailingRunsAreTooMuch) {
  for (const bool throws : {false, true}) {
    Fragile e({}, throws);
    const TuneResult reachable = tune(e, {.amplitude = 1.8});
    expect_met(reachable, "fragile");
    const TuneResult r = tune(e, {.amplitude = 3});
    EXPECT_FALSE(r.amplitude.met);
    EXPECT_GT(r.got.amplitude, 1.5);
    EXPECT_LE(r.scalings.epsilon, 1.9);
    EXPECT_LE(r.full_runs, 6);
    EXPECT_NE(r.amplitude.note.find("diverged"), std::string::npos) << r.amplitude.note;
  }
}

TEST(Tune, NoGravityNoDampingNoMotion) {
  LinearOscillator weightless({.gravity = 0});
  const TuneResult r = tune(weightless, {.frequency = 1.5, .sag = 2});
  EXPECT_FALSE(r.sag.applicable);
  EXPECT_NE(r.sag.note, "");
  EXPECT_TRUE(r.all_met());
  EXPECT_NEAR(r.got.frequency, 1.5, 0.005);

  LinearOscillator undamped({.damping = 0});
  const TuneResult u = tune(undamped, {.frequency = 1.5, .half_life = 2});
  EXPECT_FALSE(u.half_life.applicable);
  EXPECT_TRUE(u.all_met());
  EXPECT_NEAR(u.got.frequency, 1.5, 0.005);

  LinearOscillator still({.jerk = 0});
  const TuneResult s = tune(still, {.frequency = 1.5, .amplitude = 2});
  EXPECT_FALSE(s.amplitude.applicable);
  EXPECT_TRUE(s.all_met());
  EXPECT_EQ(s.full_runs, 1);

  LinearOscillator none(OscillatorValues{});
  const TuneResult z = tune(none, {.amplitude = 0, .sag = 0});
  EXPECT_TRUE(z.all_met());
  EXPECT_EQ(z.scalings.epsilon, 0);
  EXPECT_EQ(z.scalings.mu, 0);
}

TEST(Tune, NoEquilibriumBeyondALoad) {
  class Buckling : public LinearOscillator {
   public:
    using LinearOscillator::LinearOscillator;
    double sag(double load) override { return load > 1.6 ? NAN : LinearOscillator::sag(load); }
  } e(OscillatorValues{});
  const TuneResult r = tune(e, {.frequency = 1.3, .sag = 3});
  EXPECT_FALSE(r.sag.met);
  EXPECT_NEAR(r.got.sag, 1.6, 0.02);
  EXPECT_NE(r.sag.note.find("no equilibrium"), std::string::npos) << r.sag.note;
  EXPECT_TRUE(r.frequency.met && r.amplitude.met && r.half_life.met);
}

TEST(Tune, TooDampedToRing) {
  class Dead : public LinearOscillator {
   public:
    using LinearOscillator::LinearOscillator;
    Ring ring(const Scalings&, double) override { return {}; }
  } dead(OscillatorValues{});
  const TuneResult r = tune(dead, {.frequency = 2, .half_life = 0.5});
  EXPECT_FALSE(r.frequency.met || r.half_life.met);
  EXPECT_NE(r.frequency.note.find("linear formula"), std::string::npos);
  EXPECT_NEAR(r.scalings.chi, 2, 1e-12);
  EXPECT_NEAR(r.scalings.ck, 0.5, 1e-12);

  // A start beyond critical damping is walked back from.
  LinearOscillator e({.damping = 0.02});
  const RingTarget target{.frequency_hz = 2.5, .half_life_s = 0.2};
  const RingSearchResult s = search_ring(target, 1, 12, [&](double chi, double ck) {
    const Scalings there{.chi = chi, .ck = ck};
    return e.decay(there) < e.omega(there) ? e.ring(there, 0) : Ring{};
  });
  EXPECT_TRUE(s.frequency_met && s.half_life_met) << s.reason;
}

TEST(Tune, StopsAndNonsense) {
  LinearOscillator e(OscillatorValues{});
  TuneOptions o;
  int seen = 0;
  o.on_trial = [&](const Trial& t) {
    EXPECT_NE(std::string(word_of(t.kind)), "");
    if (++seen == 3) throw Cancelled();
  };
  EXPECT_THROW(tune(e, {.frequency = 2}, o), Cancelled);
  EXPECT_EQ(seen, 3);
  EXPECT_THROW(tune(e, {.frequency = 0}), InputError);
  EXPECT_THROW(tune(e, {.amplitude = -1}), InputError);
  EXPECT_THROW(tune(e, {.sag = NAN}), InputError);
  EXPECT_THROW(tune(e, {.half_life = INFINITY}), InputError);
}
