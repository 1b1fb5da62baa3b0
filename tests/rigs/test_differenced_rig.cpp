#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "supple/base/parallel.h"
#include "supple/rigs/deformers.h"
#include "supple/rigs/differenced_rig.h"

namespace supple {
namespace {

// A chain of two turning boxes and a scale, known to differences by its evaluations alone.
class BlackBox final : public RigMap {
 public:
  explicit BlackBox(int at_once = 0, double digits = 0) : at_once_(at_once), digits_(digits) {
    Points rest;
    for (int i = 0; i < 24; ++i) rest.emplace_back(0.1 * i, std::cos(i), std::sin(3 * i));
    TransformSpec first{.name = "first", .pivot = {0, 0.2, 0}}, second{.name = "second", .pivot = {2, 0, 0}};
    first.scale = true;
    second.translation = false;
    inside = std::make_shared<DeformerStack>(
        rest, std::vector<std::shared_ptr<const Deformer>>{make_transform(first, rest), make_transform(second, rest)});
  }
  const std::vector<RigParameter>& parameters() const override { return inside->parameters(); }
  int n_points() const override { return inside->n_points(); }
  VecX evaluate(const VecX& p, double t) const override {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
    ++calls;
    VecX s = inside->evaluate(p, t) + VecX::Constant(3 * n_points(), t);
    if (digits_ > 0) s = ((s / digits_).array().round() * digits_).matrix();
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // long enough to meet another
    --running;
    return s;
  }
  int at_once() const override { return at_once_; }

  std::shared_ptr<const DeformerStack> inside;
  mutable std::atomic<int> running = 0, most = 0, calls = 0;

 private:
  int at_once_;
  double digits_;
};

const std::vector<int> kSome = {8, 0, 3, 4, 11, 6};

VecX somewhere(const RigMap& rig) {
  VecX p = rig.rest();
  for (int a = 0; a < p.size(); ++a) p[a] += 0.4 * std::sin(1 + 2.0 * a);
  return p;
}

VecX some_forces(const RigMap& rig) {
  VecX f(3 * rig.n_points());
  for (int i = 0; i < f.size(); ++i) f[i] = std::sin(0.7 + 1.3 * i);
  return f;
}

TEST(DifferencedRig, AgreesWithDerivativesThatAreKnown) {
  const auto box = std::make_shared<BlackBox>();
  const DifferencedRig rig(box);
  const VecX p = somewhere(rig), f = some_forces(rig);
  EXPECT_TRUE(rig.has_derivatives());
  const MatX J = box->inside->jacobian(p, 0, kSome), H = box->inside->curvature(p, 0, kSome, f);
  EXPECT_LT((rig.jacobian(p, 0.5, kSome) - J).lpNorm<Eigen::Infinity>(), 5e-10 * J.lpNorm<Eigen::Infinity>());
  const MatX differenced = rig.curvature(p, 0.5, kSome, f);
  EXPECT_LT((differenced - H).lpNorm<Eigen::Infinity>(), 5e-7 * H.lpNorm<Eigen::Infinity>());
  EXPECT_EQ(differenced, MatX(differenced.transpose()));
  EXPECT_LE(rig.steps().first, 3e-5);
}

TEST(DifferencedRig, AsksForNothingTwice) {
  const auto box = std::make_shared<BlackBox>();
  const DifferencedRig rig(box);
  const VecX p = somewhere(rig), f = some_forces(rig);
  const VecX s = rig.evaluate(p, 1);
  EXPECT_EQ(rig.evaluations(), 1);
  EXPECT_EQ(rig.evaluate(p, 1), s);
  EXPECT_EQ(rig.evaluations(), 1);
  EXPECT_NE(rig.evaluate(p, 2), s);  // another time is another evaluation
  EXPECT_EQ(rig.evaluations(), 2);
  rig.steps();
  const long before = rig.evaluations();
  EXPECT_EQ(before, 2 + 7);
  const MatX J = rig.jacobian(p, 1, kSome);
  EXPECT_EQ(rig.evaluations(), before + 12);
  EXPECT_EQ(rig.jacobian(p, 1, kSome), J);
  EXPECT_EQ(rig.jacobian(p, 1, {3, 4}), MatX(J.middleCols(2, 2)));
  EXPECT_EQ(rig.evaluations(), before + 12);
  rig.curvature(p, 1, kSome, f);  // two a parameter and two a pair
  EXPECT_EQ(rig.evaluations(), before + 12 + 12 + 30);
  EXPECT_EQ(box->calls, rig.evaluations());
}

TEST(DifferencedRig, ForgetsWhatIsOld) {
  class Large final : public RigMap {  // 2 MB an evaluation
   public:
    const std::vector<RigParameter>& parameters() const override { return parameters_; }
    int n_points() const override { return 100000; }
    VecX evaluate(const VecX& p, double) const override { return VecX::Constant(300000, p[0]); }

   private:
    std::vector<RigParameter> parameters_ = {{"a"}};
  };
  const DifferencedRig rig(std::make_shared<Large>());
  for (int k = 0; k < 60; ++k) {
    rig.evaluate(VecX::Constant(1, k), 0);
    rig.evaluate(VecX::Constant(1, 0), 0);  // in use all the time
  }
  EXPECT_EQ(rig.evaluations(), 60);
  rig.evaluate(VecX::Constant(1, 59), 0);
  EXPECT_EQ(rig.evaluations(), 60);
  rig.evaluate(VecX::Constant(1, 1), 0);
  EXPECT_EQ(rig.evaluations(), 61);
}

TEST(DifferencedRig, RunsNoMoreAtOnceThanARigBears) {
  const int before = thread_count();
  set_thread_count(1);
  const DifferencedRig alone(std::make_shared<BlackBox>());
  const VecX p = somewhere(alone), f = some_forces(alone);
  const MatX J = alone.jacobian(p, 0, kSome), H = alone.curvature(p, 0, kSome, f);
  set_thread_count(6);
  for (const int bears : {1, 2}) {
    const auto box = std::make_shared<BlackBox>(bears);
    const DifferencedRig rig(box);
    EXPECT_EQ(rig.jacobian(p, 0, kSome), J);
    EXPECT_EQ(rig.curvature(p, 0, kSome, f), H);
    EXPECT_LE(box->most, bears);
    EXPECT_EQ(rig.at_once(), bears);
  }
  set_thread_count(before);
}

// A rig that tells seven digits: with steps for sixteen its derivatives would be noise.
TEST(DifferencedRig, TakesLongerStepsWhereARigIsCoarse) {
  const auto box = std::make_shared<BlackBox>(0, 1e-7);
  const DifferencedRig rig(box);
  EXPECT_GT(rig.steps().first, 1e-3);
  const VecX p = somewhere(rig), f = some_forces(rig);
  const MatX J = box->inside->jacobian(p, 0, kSome), H = box->inside->curvature(p, 0, kSome, f);
  EXPECT_LT((rig.jacobian(p, 0, kSome) - J).lpNorm<Eigen::Infinity>(), 1e-4 * J.lpNorm<Eigen::Infinity>());
  EXPECT_LT((rig.curvature(p, 0, kSome, f) - H).lpNorm<Eigen::Infinity>(), 1e-2 * H.lpNorm<Eigen::Infinity>());
}

TEST(DifferencedRig, WrapsOnlyWhatNeedsIt) {
  const auto box = std::make_shared<BlackBox>();
  EXPECT_EQ(with_derivatives(box->inside), box->inside);
  EXPECT_TRUE(std::dynamic_pointer_cast<const DifferencedRig>(with_derivatives(box)));
  EXPECT_EQ(with_derivatives(box)->for_points({1, 2}),
            nullptr);  // the black box offers none
  EXPECT_THROW(box->jacobian(box->rest(), 0, {0}), std::logic_error);
  EXPECT_THROW(box->curvature(box->rest(), 0, {0}, some_forces(*box)), std::logic_error);
}

}  // namespace
}  // namespace supple
