// An interior and parameters of a rig as unknowns, against differences along the curves that they make.
#include "supple/rigspace/rig_unknowns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rigspace/simple_rigs.h"

namespace supple {
namespace {

using test::TwistRig;

class RigUnknownsOfABar : public ::testing::Test {
 protected:
  RigUnknownsOfABar()
      : body_(bar_.spec, std::make_shared<TwistRig>(bar_.surface)),
        unknowns_(body_, free_, RigSolver::newton, "supernodal") {
    z_.q = VecX::LinSpaced(7, 0.1, 0.7);
    z_.u = body_.extend(body_.rigged_displacement(z_.q, 0));
    force_ = VecX::LinSpaced(z_.u.size(), 0, 40).array().sin();
    unknowns_.reduce(z_, force_);  // finds how parameters move vertices
    d_ = 0.01 * VecX::LinSpaced(inside_ + 5, 1, 9).array().cos();
  }
  VecX slope(const Iterate& from, const Way& way, double s) const {
    const double h = 1e-5;
    return (unknowns_.along(from, way, s + h).u - unknowns_.along(from, way, s - h).u) / (2 * h);
  }

  const test::RiggedBeam bar_ = test::rigged_beam({.nx = 4, .ny = 3, .nz = 3});
  const RigBody body_;
  const std::vector<int> free_ = {TwistRig::turn, TwistRig::scale, TwistRig::bend, TwistRig::move, TwistRig::nothing};
  const Eigen::Index inside_ = 3 * body_.n_interior();
  RigUnknowns unknowns_;
  Iterate z_;
  VecX force_, d_;
};

TEST_F(RigUnknownsOfABar, forces_are_felt_as_unknowns_move_what_they_act_on) {
  const VecX felt = unknowns_.reduce(z_, force_);
  ASSERT_EQ(felt.size(), inside_ + 5);
  for (Eigen::Index i = 0; i < felt.size(); ++i) {
    const VecX one = VecX::Unit(felt.size(), i);
    EXPECT_NEAR(felt[i], force_.dot(slope(z_, unknowns_.way(z_, one, nullptr, nullptr), 0)), 1e-7) << i;
  }
  EXPECT_EQ(felt[inside_ + 4], 0);  // of the parameter that moves nothing
  NewtonReport report;
  unknowns_.name_worst(0, report);
  EXPECT_EQ(report.worst, "interior");
  unknowns_.name_worst(inside_ + 2, report);
  EXPECT_EQ(report.worst, "bend");
}

TEST_F(RigUnknownsOfABar, a_way_begins_with_its_step_and_goes_on_with_its_velocity) {
  for (const double length : {1.0, 30.0}) {  // the interior goes along with what is long
    const Way way = unknowns_.way(z_, length * d_, nullptr, nullptr);
    EXPECT_EQ(way.carries, length > 1);
    EXPECT_EQ(unknowns_.along(z_, way, 0).u, z_.u);
    EXPECT_LT((slope(z_, way, 0) - way.step).norm(), 1e-6 * way.step.norm());
    Iterate on = unknowns_.along(z_, way, 0.6);
    unknowns_.reduce(on, force_);
    const VecX velocity = unknowns_.velocity(on, way);
    EXPECT_LT((slope(z_, way, 0.6) - velocity).norm(), 1e-6 * velocity.norm());
    EXPECT_GT((velocity - way.step).norm(), 1e-4 * velocity.norm());
  }
}

TEST_F(RigUnknownsOfABar, what_is_prescribed_is_imposed_and_goes_along) {
  const VecX q = VecX::Constant(7, -0.3);
  const Place goal = unknowns_.impose({z_.u, z_.q, 0}, {{}, q, 2});
  for (int a = 0; a < 7; ++a) EXPECT_EQ(goal.q[a], std::count(free_.begin(), free_.end(), a) ? z_.q[a] : -0.3) << a;
  EXPECT_EQ(goal.t, 2);
  const AffineMap& interior = body_.interior();
  EXPECT_EQ(interior.gather(goal.u), interior.gather(z_.u));
  EXPECT_EQ(goal.u - interior.expand(interior.gather(z_.u)), body_.rigged_displacement(goal.q, 2));

  z_.progress = 0.2;
  const VecX jump = goal.u - z_.u;
  const Way way = unknowns_.way(z_, d_, &jump, &goal);
  const Iterate half = unknowns_.along(z_, way, 0.5), there = unknowns_.along(z_, way, 1);
  EXPECT_DOUBLE_EQ(half.progress, 0.6);
  EXPECT_DOUBLE_EQ(half.t, 1);
  EXPECT_EQ(there.progress, 1);
  EXPECT_EQ(there.t, 2);
  for (const int a : {TwistRig::move + 1, TwistRig::move + 2}) {
    EXPECT_DOUBLE_EQ(half.q[a], 0.5 * (z_.q[a] - 0.3));
    EXPECT_EQ(there.q[a], -0.3);
  }
  const double turned = d_[inside_] / z_.length[0];
  EXPECT_DOUBLE_EQ(half.q[TwistRig::turn], z_.q[TwistRig::turn] + 0.5 * turned);
  EXPECT_DOUBLE_EQ(there.q[TwistRig::turn], z_.q[TwistRig::turn] + turned);
}

// Twice differentiated along the curve of a way, u.K u / 2 is what the system says of its direction, the curvature of
// the rig included.
TEST_F(RigUnknownsOfABar, the_system_is_the_second_derivative_along_a_way) {
  const auto elastic = body_.model().make_elastic();
  PatternBuilder builder(body_.n_vertices());
  elastic->couple(builder);
  BlockMatrix K(builder.build());
  const VecX rest = VecX::Zero(z_.u.size());
  elastic->add({rest, rest, rest}, {.matrix = &K});
  unknowns_.couple(K.pattern, false, false);
  unknowns_.begin(0, 0, false);
  z_.r = K.multiply(z_.u);
  unknowns_.take(z_, K, nullptr);
  d_.head(inside_) *= 0.01;  // parameters count
  d_[inside_ + 4] = 0;       // what moves nothing has no energy
  Way way = unknowns_.way(z_, d_, nullptr, nullptr);
  way.carries = false;
  const auto energy = [&](double s) {
    const VecX u = unknowns_.along(z_, way, s).u;
    return 0.5 * u.dot(K.multiply(u));
  };
  const double h = 1e-2, curved = (energy(h) - 2 * energy(0) + energy(-h)) / (h * h);
  EXPECT_NEAR(d_.dot(unknowns_.multiply(d_)), curved, 1e-5 * std::abs(curved));
  EXPECT_GT(std::abs(curved - way.step.dot(K.multiply(way.step))), 1e-3 * std::abs(curved));  // the rig is curved
}

}  // namespace
}  // namespace supple
