#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/rigs/subspace.h"

namespace supple {
namespace {

// Five parameters of several kinds, each point a polynomial of them: derivatives of both orders are known.
class CubicRig final : public RigMap {
 public:
  explicit CubicRig(std::vector<int> points = {0, 1, 2, 3}) : points_(std::move(points)) {}
  const std::vector<RigParameter>& parameters() const override { return parameters_; }
  int n_points() const override { return static_cast<int>(points_.size()); }
  bool has_derivatives() const override { return true; }
  VecX evaluate(const VecX& p, double t) const override {
    VecX x(3 * n_points());
    for (int i = 0; i < x.size(); ++i) x[i] = t + std::pow(weights(i).dot(p), 3);
    return x;
  }
  MatX jacobian(const VecX& p, double, const std::vector<int>& which) const override {
    MatX J(3 * n_points(), static_cast<Eigen::Index>(which.size()));
    for (int i = 0; i < J.rows(); ++i)
      for (int a = 0; a < J.cols(); ++a)
        J(i, a) = 3 * std::pow(weights(i).dot(p), 2) * weights(i)[which[static_cast<size_t>(a)]];
    return J;
  }
  MatX curvature(const VecX& p, double, const std::vector<int>& which, const VecX& f) const override {
    const auto n = static_cast<Eigen::Index>(which.size());
    MatX C = MatX::Zero(n, n);
    for (int i = 0; i < f.size(); ++i) {
      VecX w(n);
      for (int a = 0; a < n; ++a) w[a] = weights(i)[which[static_cast<size_t>(a)]];
      C += f[i] * 6 * weights(i).dot(p) * w * w.transpose();
    }
    return C;
  }
  VecX keyed(double t) const override { return rest() + t * VecX{{1, 2, 3, 4, 5}}; }
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override {
    std::vector<int> some;
    for (int i : points) some.push_back(points_[static_cast<size_t>(i)]);
    return std::make_shared<CubicRig>(some);
  }

 private:
  VecX weights(int i) const {
    const int k = 3 * points_[static_cast<size_t>(i / 3)] + i % 3;
    VecX w(5);
    for (int a = 0; a < 5; ++a) w[a] = std::sin(1 + k + 3 * a);
    return w;
  }
  std::vector<int> points_;
  std::vector<RigParameter> parameters_ = {{"a", Quantity::angle, 0.1, 0.5},
                                           {"b", Quantity::length, 0, 0.01},
                                           {"c", Quantity::factor, 1, 1},
                                           {"d", Quantity::angle, 0, 0.5},
                                           {"e", Quantity::length, -0.2, 0.01}};
};

// Times x parameters b, d and e: a path in the plane of two directions of different size.
const std::vector<std::string> kNames = {"b", "d", "e"};
const VecX kUnits{{0.01, 0.5, 0.01}};
MatX two_directions(int n = 40) {
  const VecX u{{0.01, 0, -0.02}}, v{{0.002, 0.3, 0.001}};
  MatX samples(n, 3);
  for (int i = 0; i < n; ++i) samples.row(i) = std::sin(0.3 * i) * u + 0.4 * std::cos(0.5 * i) * v;
  return samples;
}

TEST(Modes, OfAFamilyOfTwoParametersAreTwo) {
  const MatX samples = two_directions();
  const ParameterModes modes = learn_modes(kNames, samples, kUnits, 3);
  ASSERT_EQ(modes.n_modes(), 2);
  EXPECT_NEAR(modes.energy.sum(), 1, 1e-12);
  EXPECT_GT(modes.energy[0], modes.energy[1]);
  EXPECT_LT(modes.left_out, 1e-12);
  // Orthonormal in units; nothing of the samples is lost; scaling both modes scales the samples.
  const MatX V = kUnits.cwiseInverse().asDiagonal() * modes.U;
  EXPECT_LT((V.transpose() * V - MatX::Identity(2, 2)).norm(), 1e-12);
  const MatX r = mode_amplitudes(modes, samples);
  EXPECT_LT((r * modes.U.transpose() - samples).norm(), 1e-12 * samples.norm());
  EXPECT_LT((scale_modes(modes, samples, {1.5, 1.5}) - 1.5 * samples).norm(), 1e-12 * samples.norm());
  EXPECT_LT((mode_amplitudes(modes, scale_modes(modes, samples, {2})).col(0) - 2 * r.col(0)).norm(), 1e-12 * r.norm());
  EXPECT_LT((mode_amplitudes(modes, scale_modes(modes, samples, {2})).col(1) - r.col(1)).norm(), 1e-12 * r.norm());
}

TEST(Modes, HaveALargestEntryThatIsPositive) {
  for (int a = 0; a < 3; ++a)
    for (double sign : {-1.0, 1.0}) {
      MatX samples = MatX::Constant(2, 3, 0.1);
      samples.col(a).setConstant(-1);
      samples *= sign;
      const ParameterModes modes = learn_modes(kNames, samples, VecX::Ones(3), 3);
      ASSERT_EQ(modes.n_modes(), 1);
      EXPECT_GT(modes.U(a, 0), 0.9) << a << " " << sign;
    }
  // Of two that are alike the first.
  const ParameterModes even = learn_modes({"b", "d"}, MatX{{1, -1}, {-2, 2 - 1e-14}}, VecX::Ones(2), 1);
  EXPECT_GT(even.U(0, 0), 0.7);
}

TEST(Modes, OneOfTwoLeavesTheShareOfTheOther) {
  const ParameterModes both = learn_modes(kNames, two_directions(), kUnits, 2);
  const ParameterModes one = learn_modes(kNames, two_directions(), kUnits, 1);
  ASSERT_EQ(one.n_modes(), 1);
  EXPECT_LT((one.U.col(0) - both.U.col(0)).norm(), 1e-12);
  EXPECT_NEAR(one.left_out, std::sqrt(both.energy[1]), 1e-12);
  EXPECT_GT(one.left_out, 0.1);
  // Fewer samples than parameters, and none that move.
  EXPECT_EQ(learn_modes(kNames, two_directions(1), kUnits, 3).n_modes(), 1);
  const ParameterModes none = learn_modes(kNames, MatX::Zero(4, 3), kUnits, 3);
  EXPECT_EQ(none.n_modes(), 0);
  EXPECT_EQ(SubspaceRig(std::make_shared<CubicRig>(), none).n_parameters(), 2);
}

TEST(Modes, UnitsDecideWhatCounts) {
  // In metres and radians the turn is by far the larger; in units the shift is.
  MatX samples(2, 2);
  samples << 0.05, 0, 0, 0.5;
  const ParameterModes modes = learn_modes({"b", "d"}, samples, VecX{{0.01, 0.5}}, 2);
  EXPECT_NEAR(modes.U(0, 0), 0.01, 1e-15);
  EXPECT_NEAR(modes.U(1, 1), 0.5, 1e-15);
  EXPECT_NEAR(modes.energy[0], 25.0 / 26, 1e-12);
}

TEST(SubspaceRig, StandsForTheRigBeneath) {
  const auto rig = std::make_shared<CubicRig>();
  const SubspaceRig modes(rig, learn_modes(kNames, two_directions(), kUnits, 2));
  ASSERT_EQ(modes.n_parameters(), 4);
  EXPECT_EQ(modes.parameters()[0].name, "a");
  EXPECT_EQ(modes.parameters()[1].name, "c");
  EXPECT_EQ(modes.parameters()[3].name, "mode.2");
  EXPECT_EQ(modes.expand(modes.rest()), rig->rest());
  EXPECT_EQ(modes.evaluate(modes.rest(), 0.3), rig->evaluate(rig->rest(), 0.3));
  // There and back; and what is of no mode is dropped: the nearest in units.
  const VecX p{{0.4, 0.9, -0.7, 0.2}};
  EXPECT_LT((modes.reduce(modes.expand(p)) - p).norm(), 1e-12);
  const VecX k = rig->keyed(0.5), near = modes.expand(modes.keyed(0.5));
  EXPECT_NEAR(near[0], k[0], 1e-15);
  const VecX difference = (VecX{{k[1] - near[1], k[3] - near[3], k[4] - near[4]}}).cwiseQuotient(kUnits);
  EXPECT_GT(difference.norm(), 1);
  const MatX V = kUnits.cwiseInverse().asDiagonal() * learn_modes(kNames, two_directions(), kUnits, 2).U;
  EXPECT_LT((V.transpose() * difference).norm(), 1e-9 * difference.norm());
}

TEST(SubspaceRig, DerivativesAreThoseOfDifferences) {
  const SubspaceRig rig(std::make_shared<CubicRig>(), learn_modes(kNames, two_directions(), kUnits, 2));
  const VecX p{{0.4, 0.9, -0.7, 0.2}};
  const std::vector<int> which = {3, 0, 2};  // modes and others, in any order
  VecX f(12);
  for (int i = 0; i < 12; ++i) f[i] = std::cos(2 * i);
  const MatX J = rig.jacobian(p, 0, which), C = rig.curvature(p, 0, which, f);
  ASSERT_EQ(J.cols(), 3);
  ASSERT_EQ(C.rows(), 3);
  constexpr double h = 1e-5;
  for (int a = 0; a < 3; ++a) {
    VecX up = p, down = p;
    up[which[static_cast<size_t>(a)]] += h, down[which[static_cast<size_t>(a)]] -= h;
    const VecX column = (rig.evaluate(up, 0) - rig.evaluate(down, 0)) / (2 * h);
    EXPECT_GT(column.norm(), 1e-3);
    EXPECT_LT((J.col(a) - column).norm(), 1e-8 * column.norm()) << a;
    const VecX bend = (rig.jacobian(up, 0, which) - rig.jacobian(down, 0, which)).transpose() * f / (2 * h);
    EXPECT_GT(bend.norm(), 1e-3);
    EXPECT_LT((C.col(a) - bend).norm(), 1e-7 * bend.norm()) << a;
  }
  EXPECT_EQ(rig.jacobian(p, 0, {1}), rig.jacobian(p, 0, {0, 1}).col(1));  // no mode among them

  const auto some = rig.for_points({2, 0});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->parameters()[2].name, "mode.1");
  EXPECT_EQ(some->evaluate(p, 1).head<3>(), rig.evaluate(p, 1).segment<3>(6));
  EXPECT_EQ(some->jacobian(p, 1, which).topRows(3), rig.jacobian(p, 1, which).middleRows(6, 3));
}

TEST(SubspaceRig, LeavesWhatIsKeyedWhereItIsAboutThat) {
  const auto rig = std::make_shared<CubicRig>();
  const SubspaceRig modes(rig, learn_modes(kNames, two_directions(), kUnits, 1), "mode",
                          [rig](double t) { return rig->keyed(t); });
  for (double t : {0.0, 0.5}) {
    // As keyed, although the one mode is not that of the keys.
    EXPECT_EQ(modes.expand(modes.keyed(t), t), rig->keyed(t)) << t;
    EXPECT_EQ(modes.evaluate(modes.keyed(t), t), rig->evaluate(rig->keyed(t), t)) << t;
    VecX p = modes.keyed(t);
    EXPECT_EQ(p[2], 0);
    p[2] = 0.3;
    const VecX more = modes.expand(p, t) - rig->keyed(t);
    EXPECT_GT(more.norm(), 1e-3);
    EXPECT_LT((modes.reduce(modes.expand(p, t), t) - p).norm(), 1e-12) << t;
    constexpr double h = 1e-5;
    VecX up = p, down = p;
    up[2] += h, down[2] -= h;
    const VecX column = (modes.evaluate(up, t) - modes.evaluate(down, t)) / (2 * h);
    EXPECT_LT((modes.jacobian(p, t, {2}) - column).norm(), 1e-8 * column.norm()) << t;
  }
  EXPECT_GT((rig->keyed(0.5) - rig->rest()).norm(), 0.1);
}

TEST(SubspaceRig, RefusesModesOfAnotherRig) {
  ParameterModes modes = learn_modes({"b", "dd"}, MatX::Identity(2, 2), VecX::Ones(2), 2);
  const auto rig = std::make_shared<CubicRig>();
  try {
    SubspaceRig(rig, modes);
    FAIL() << "nothing thrown";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("\"dd\""), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("\"d\""), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace supple
