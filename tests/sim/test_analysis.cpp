#include "supple/sim/analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "supple/base/error.h"
#include "supple/sim/checkpoint.h"
#include "supple/sim/ringdown.h"
#include "tests/support/beam.h"

namespace supple {

TEST(Analysis, FreeBodyHasSixRigidModes) {
  ModelSpec spec = test::beam_spec({});
  spec.driven.clear();
  const Model model(spec);
  ASSERT_EQ(model.loose_parts().size(), 1u);
  const Modes m = natural_modes(model, 8);
  ASSERT_TRUE(m.ok) << m.message;
  for (int i = 0; i < 6; ++i) EXPECT_LT(m.frequencies_hz[i], 1e-3 * m.frequencies_hz[6]);
  EXPECT_GT(m.frequencies_hz[6], 1);
}

TEST(Analysis, EveryVertexDrivenIsSaidNotCrashed) {
  ModelSpec spec = test::beam_spec({});
  spec.driven.clear();
  for (int i = 0; i < spec.mesh.n_vertices(); ++i) spec.driven.push_back(i);
  const Model model(spec);
  EXPECT_FALSE(natural_modes(model, 1).ok);
  Stepper stepper(model, rest_drive(model), {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  stepper.step(s, 0.1);
  EXPECT_EQ(s.u.cwiseAbs().maxCoeff(), 0);
}

TEST(Analysis, HalfLifeAndItsInverse) {
  const double d_k = stiffness_damping_for(0.4, 3.0);
  EXPECT_NEAR(half_life(3.0, d_k, 0), 0.4, 1e-12);
  EXPECT_NEAR(half_life(3.0, stiffness_damping_for(0.4, 3.0, 1.0), 1.0), 0.4, 1e-12);
  EXPECT_EQ(half_life(3.0, 0, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(stiffness_damping_for(10, 3.0, 5.0), 0);  // mass damping alone is stronger
}

// Refining keeps mass, driven face and material, and brings the frequency down.
TEST(Analysis, RefinedModel) {
  const Model coarse(test::beam_spec({}));
  const Model fine = refined(coarse);
  EXPECT_EQ(fine.mesh().n_tets(), 8 * coarse.mesh().n_tets());
  EXPECT_NEAR(fine.mass()->total(), coarse.mass()->total(), 1e-9);
  EXPECT_EQ(fine.spec().driven.size(), 25u);  // 3x3 vertices become 5x5
  EXPECT_LT(natural_modes(fine, 1).frequencies_hz[0], natural_modes(coarse, 1).frequencies_hz[0]);
}

TEST(Ringdown, FindsFrequencyAndHalfLife) {
  std::vector<double> y;
  const double dt = 1.0 / 48, f = 1.7, t2 = 0.6;
  for (int i = 0; i < 200; ++i) {
    const double t = i * dt;
    y.push_back(3 * std::exp(-std::log(2.0) * t / t2) * std::sin(2 * M_PI * f * t + 0.4) +
                0.2 * std::exp(-8 * t) * std::cos(2 * M_PI * 6.1 * t) + 0.01);
  }
  const Ringdown r = fit_ringdown(y, dt);
  ASSERT_TRUE(r.found);
  EXPECT_NEAR(r.frequency_hz, f, 1e-6);
  EXPECT_NEAR(r.half_life_s, t2, 1e-6);
  EXPECT_NEAR(r.amplitude, 3, 1e-5);
  EXPECT_FALSE(fit_ringdown(std::vector<double>(50, 0.0), dt).found);
  EXPECT_FALSE(fit_ringdown(std::vector<double>(50, 1.0), dt).found);
  EXPECT_FALSE(fit_ringdown({1, 2, 3}, dt).found);
}

TEST(Checkpoint, RoundTripAndDamage) {
  const std::string path = ::testing::TempDir() + "/supple_checkpoint_test.bin";
  State s{.t = 1.25, .u = VecX::Random(30), .v = VecX::Random(30), .a = VecX::Random(30), .strain = VecX::Random(12)};
  s.untangling_s = 0.1, s.goal = VecX::Random(30), s.goal_t = 1.5;
  Checkpoint c;
  c.fingerprint = "abc";
  put(c, s);
  write_checkpoint(path, c);
  const State back = get_state(read_checkpoint(path));
  EXPECT_TRUE(back.u == s.u && back.v == s.v && back.a == s.a && back.strain == s.strain && back.t == s.t);
  EXPECT_EQ(back.strain_rate.size(), 0);
  EXPECT_TRUE(back.goal == s.goal && back.goal_t == s.goal_t && back.untangling_s == s.untangling_s);

  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (size_t cut : {size_t{0}, size_t{5}, size_t{20}, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, cut);
    EXPECT_THROW(read_checkpoint(path), InputError) << cut;
  }
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary) << flipped;
  EXPECT_THROW(read_checkpoint(path), InputError);
  EXPECT_THROW(read_checkpoint("/nonexistent"), InputError);
}

}  // namespace supple
