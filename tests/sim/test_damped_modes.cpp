#include <gtest/gtest.h>

#include <cmath>

#include "supple/sim/damped_modes.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

// About the rest shape the damping is the stiffness times the time asked for.
TEST(DampedModes, damping_at_rest_is_stiffness) {
  test::BeamOptions o;
  o.parameters.stiffness_damping = 0.02;
  const Model model(test::beam_spec(o));
  const Modes modes = natural_modes(model, 3);
  const MatX D = damping_matrix(model, modes.shapes);
  for (Eigen::Index m = 0; m < 3; ++m) {
    const double w = 2 * M_PI * modes.frequencies_hz[m];
    EXPECT_NEAR(D(m, m), 0.02 * w * w, 1e-6 * w * w);
    EXPECT_NEAR(D(m, (m + 1) % 3), 0, 1e-7 * w * w);
  }
}

// Of a spec alone it is that of a model made of it, also where parts differ and about another shape.
TEST(DampedModes, a_spec_is_damped_as_its_model) {
  ModelSpec spec = test::beam_spec({});
  const Modes modes = natural_modes(Model(spec), 3);
  for (size_t t = 0; t < spec.per_tet.size(); t += 3) spec.per_tet[t].stiffness_damping = 0.01;
  const VecX about = 0.05 * modes.shapes.col(0);
  const MatX D = damping_matrix(Model(spec), modes.shapes, about);
  EXPECT_GT(D(0, 0), 0);
  EXPECT_EQ(damping_matrix(spec, modes.shapes, about), D);
}

TEST(DampedModes, one_damping_for_all_is_the_closed_form) {
  const VecX squares = (VecX(3) << 100, 400, 900).finished();
  const double d = 0.004;
  const std::vector<Pole> found = poles(squares, MatX((d * squares).asDiagonal()));
  ASSERT_EQ(found.size(), 3);
  for (Eigen::Index m = 0; m < 3; ++m) {
    const Pole& p = pole_of(found, m);
    EXPECT_NEAR(p.decay(), 0.5 * d * squares[m], 1e-9);
    EXPECT_NEAR(p.value.imag(), std::sqrt(squares[m] - p.decay() * p.decay()), 1e-9);
  }
}

// Two oscillators of nearly one frequency, damped differently and coupled: each pole solves the equation, the losses
// add up to the trace whatever mixes, and what undamped modes would say is far off.
TEST(DampedModes, close_frequencies_mix) {
  const VecX squares = (VecX(2) << 24 * 24, 25 * 25).finished();
  MatX damping(2, 2);
  damping << 6, 4, 4, 3;
  const std::vector<Pole> found = poles(squares, damping);
  ASSERT_EQ(found.size(), 2);
  double decays = 0;
  for (const Pole& p : found) {
    const Eigen::MatrixXcd Q =
        p.value * p.value * MatX::Identity(2, 2) + p.value * damping + MatX(squares.asDiagonal());
    EXPECT_LT((Q * p.shape).norm(), 1e-9 * squares[1]);
    decays += 2 * p.decay();
  }
  EXPECT_NEAR(decays, damping.trace(), 1e-9);
  EXPECT_GT(std::abs(pole_of(found, 0).decay() / (0.5 * damping(0, 0)) - 1), 0.1);
}

// Of a motion of all poles the filter leaves one; together they are the motion again.
TEST(DampedModes, filters_pick_one_pole) {
  const VecX squares = (VecX(3) << 500, 600, 2000).finished();
  MatX damping(3, 3);
  damping << 5, 3, 1, 3, 4, 0.5, 1, 0.5, 9;
  const std::vector<Pole> found = poles(squares, damping);
  ASSERT_EQ(found.size(), 3);
  const std::complex<double> c[3] = {{1, 0.3}, {-0.7, 0.2}, {0.4, -1}};
  for (double t : {0.0, 0.05, 0.21}) {
    VecX a = VecX::Zero(3), rate = VecX::Zero(3);
    for (size_t k = 0; k < 3; ++k) {
      const Eigen::VectorXcd x = c[k] * std::exp(found[k].value * t) * found[k].shape;
      a += 2 * x.real(), rate += 2 * (found[k].value * x).real();
    }
    for (Eigen::Index mode = 0; mode < 3; ++mode) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k) {
        const PoleFilter f = filter_of(found[k], damping, mode);
        const double alone = f.place.dot(a) + f.speed.dot(rate);
        EXPECT_NEAR(alone, 2 * (c[k] * std::exp(found[k].value * t) * found[k].shape[mode]).real(), 1e-10);
        sum += alone;
      }
      EXPECT_NEAR(sum, a[mode], 1e-10);
    }
  }
}

}  // namespace
}  // namespace supple
