// The small model of swings against what it stands for: statics, modes, and the whole body stepped through time.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/sim/stepper.h"
#include "supple/tune/swing_model.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

const double kNothing = std::numeric_limits<double>::quiet_NaN();

// A linear beam in two regions, its root driven.
struct Beam {
  explicit Beam(double shake_hz, double seconds = 4, double fps = 60) : shake_hz_(shake_hz), model(spec()) {
    regions.resize(2);
    for (SwingRegion& r : regions) r.weight = VecX::Zero(model.n_vertices()), r.frequency_hz = 3, r.half_life_s = 0.4;
    for (int v = 0; v < model.n_vertices(); ++v) {
      const double x = model.mesh().vertices[v][0];
      regions[x > 0.2].weight[v] = 1;
      if (x <= 0) continue;
      free.push_back(v);
      regions[x > 0.2].watched.push_back(v);
    }
    carried.fps = fps;
    for (int f = 0; f <= seconds * fps; ++f) {
      VecX x(static_cast<Eigen::Index>(3 * free.size()));
      for (size_t i = 0; i < free.size(); ++i)
        x.segment<3>(static_cast<Eigen::Index>(3 * i)) = model.mesh().vertices[free[i]] + offset(f / fps);
      carried.positions.push_back(x);
    }
    thickness.assign(model.n_vertices(), 0.1);
  }
  static ModelSpec spec() {
    test::BeamOptions o;
    o.material = MaterialModel::linear;
    o.parameters.youngs_modulus = 3e4;
    o.nx = 10;
    return test::beam_spec(o);
  }
  Vec3 offset(double t) const { return {0, 0.002 * std::sin(2 * std::numbers::pi * shake_hz_ * t), 0}; }
  SwingModel swing_model() const { return {model, VecX(), regions, free, carried, thickness, false}; }

  double shake_hz_;
  Model model;
  std::vector<SwingRegion> regions;
  std::vector<int> free;
  CarriedPoints carried;
  std::vector<double> thickness;
};

TEST(SwingModel, slow_swings_are_those_of_the_body) {
  const Beam beam(1);
  const SwingModel small = beam.swing_model();
  ASSERT_TRUE(small.ok());
  const Modes modes = natural_modes(beam.model, 2);
  // Bending either way, from above as any Rayleigh quotient. The third is a twist, which no even pull excites.
  for (int k = 0; k < 2; ++k) {
    EXPECT_GE(small.frequencies_hz()[k], modes.frequencies_hz[k] * (1 - 1e-9));
    EXPECT_LT(small.frequencies_hz()[k], modes.frequencies_hz[k] * 1.01) << k;
  }
}

// Second path: the whole body, its root shaken, by small implicit steps.
TEST(SwingModel, a_shaken_beam_swings_as_the_whole_body_does) {
  const double f0 = natural_modes(Beam(1).model, 1).frequencies_hz[0];
  for (const double shake : {0.5 * f0, 0.9 * f0, 2.5 * f0}) {
    Beam beam(shake);
    // As flesh is damped. Modes that would be damped beyond that are critically damped in the small model.
    const double half_life_s = 1.25 / f0;
    for (SwingRegion& r : beam.regions) r.frequency_hz = f0, r.half_life_s = half_life_s;
    const std::vector<double> swings = beam.swing_model().swings({1, 1});

    ModelSpec damped = beam.model.spec();
    const double dk = stiffness_damping_for(half_life_s, f0);
    for (MaterialParameters& p : damped.per_tet) p.stiffness_damping = dk;
    const Model model(damped);
    const auto track = test::moved(model, [&](const Vec3& rest, double t, int d) -> Vec3 {
      const double w = 2 * std::numbers::pi * shake, s = 0.002 * std::sin(w * t), c = 0.002 * w * std::cos(w * t);
      return Vec3(0, d == 0 ? s : d == 1 ? c : -w * w * s, 0) + (d == 0 ? rest : Vec3(Vec3::Zero()));
    });
    Stepper stepper(model, {.vertices = track}, {});
    std::vector<std::vector<double>> seen(2);
    const int steps = 4 * 240;
    // Carried along from the start.
    VecX along = VecX::Zero(3 * model.n_vertices());
    for (int v = 0; v < model.n_vertices(); ++v) along[3 * v + 1] = 0.002 * 2 * std::numbers::pi * shake;
    const State first = stepper.start(0, VecX::Zero(3 * model.n_vertices()), along);
    test::run(stepper, first, 4, steps, [&](const State& s) {
      for (int r = 0; r < 2; ++r)
        for (int v : beam.regions[r].watched)
          seen[r].push_back((s.u.segment<3>(3 * v) - beam.offset(s.t)).norm() / 0.1);
    });
    for (int r = 0; r < 2; ++r) EXPECT_NEAR(swings[r] / percentile(seen[r], 0.99), 1, 0.08) << shake << ' ' << r;
  }
}

TEST(SwingModel, inertia_is_found_that_swings_as_wanted) {
  const Beam beam(2);
  const SwingModel small = beam.swing_model();
  const std::vector<double> once = small.swings({1, 1}), twice = small.swings({2, 2});
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(twice[r], 2 * once[r], 1e-12 * twice[r]);

  const std::vector<double> wanted = {1.7 * once[0], 1.7 * once[1]};
  const std::vector<double> found = small.inertia_for(wanted, {100, 100}, {kNothing, kNothing});
  const std::vector<double> got = small.swings(found);
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(got[r] / wanted[r], 1, 0.03) << r;

  const std::vector<double> bounded = small.inertia_for({1e3, 1e3}, {7, 9}, {kNothing, 0.25});
  EXPECT_EQ(bounded[0], 7);
  EXPECT_EQ(bounded[1], 0.25);
}

TEST(SwingModel, where_all_is_held_nothing_swings) {
  Beam beam(2);
  ModelSpec spec = beam.model.spec();
  spec.driven.clear();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) spec.driven.push_back(v);
  const SwingModel small(Model(spec), VecX(), beam.regions, beam.free, beam.carried, beam.thickness, false);
  EXPECT_FALSE(small.ok());
  EXPECT_EQ(small.inertia_for({1, 1}, {9, 9}, {kNothing, 2}), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace supple
