#include <gtest/gtest.h>

#include "supple/sim/force.h"
#include "tests/support/beam.h"

namespace supple {

namespace {

// Gravity as an outsider would add it, from some time on.
class Pull final : public Force {
 public:
  Pull(const Model& model, const Vec3& g, double from) : model_(model), g_(g), from_(from) {}
  void at(double t) override { on_ = t >= from_; }
  void add(const Kinematics& /*x*/, const Evaluation& out) const override {
    if (!out.residual || !on_) return;
    for (int i = 0; i < model_.n_vertices(); ++i)
      out.residual->segment<3>(3 * i) -= model_.mass()->per_vertex()[i] * g_;
  }

 private:
  const Model& model_;
  Vec3 g_;
  double from_;
  bool on_ = false;
};

VecX tip_after(const Vec3& gravity, const Vec3& pull, double from, double t_end) {
  const Model model(test::beam_spec({.gravity = gravity}));
  Pull force(model, pull, from);
  Stepper stepper(
      model,
      {.vertices = test::moved(
           model, [](const Vec3& rest, double, int derivative) { return derivative == 0 ? rest : Vec3::Zero(); })},
      {.tolerance = 1e-10}, &force);
  const VecX still = VecX::Zero(3 * model.n_vertices());
  return test::run(stepper, stepper.start(0, still, still), t_end, 8).u;
}

}  // namespace

TEST(Force, OfOnesOwnActsAsGravityDoes) {
  const Vec3 g(1, -9.81, 2);
  const VecX by_gravity = tip_after(g, Vec3::Zero(), 0, 0.1), by_force = tip_after(Vec3::Zero(), g, 0, 0.1);
  EXPECT_GT(by_gravity.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((by_force - by_gravity).cwiseAbs().maxCoeff(), 1e-8 * by_gravity.cwiseAbs().maxCoeff());
}

TEST(Force, IsToldTheTime) {
  const Vec3 g(0, -9.81, 0);
  EXPECT_EQ(tip_after(Vec3::Zero(), g, 0.2, 0.1).cwiseAbs().maxCoeff(), 0);
  const VecX late = tip_after(Vec3::Zero(), g, 0.05, 0.1), whole = tip_after(Vec3::Zero(), g, 0, 0.1);
  EXPECT_GT(late.cwiseAbs().maxCoeff(), 0.05 * whole.cwiseAbs().maxCoeff());
  EXPECT_LT(late.cwiseAbs().maxCoeff(), 0.6 * whole.cwiseAbs().maxCoeff());
}

}  // namespace supple
