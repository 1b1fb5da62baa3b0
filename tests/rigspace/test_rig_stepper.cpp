#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/rigspace/rig_stepper.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::all_parameters;
using test::CoordinateRig;
using test::rigged_beam;
using test::RiggedBeam;
using test::TwistRig;

namespace {

const test::BeamOptions kFalling{
    .nx = 4, .ny = 2, .nz = 2, .size = Vec3(0.2, 0.12, 0.12), .gravity = Vec3(0, -9.81, 0)};

RigStepOptions exact_options(Integrator integrator, RigSolver solver = RigSolver::newton) {
  RigStepOptions o;
  o.integrator = integrator;
  o.solver = solver;
  o.newton.tolerance = 1e-10;
  return o;
}

// All parameters stay at rest but for one, which goes as f says.
KeyedParameters keyed_one(int which, const std::function<double(double)>& f) {
  return [=](double t) {
    VecX p = VecX::Zero(7);
    p[which] = f(t);
    return p;
  };
}

Vec3 momentum(const RigBody& body, const State& s) {
  const VecX Mv = body.mass()->multiply(s.v);
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < body.n_vertices(); ++i) sum += Mv.segment<3>(3 * i);
  return sum;
}

}  // namespace

// A rig with a parameter for every coordinate of the surface can do all that tets can.
TEST(RigStepper, AFullRankRigStepsAsFreeTetsDo) {
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2})
    for (MassKind mass : {MassKind::lumped, MassKind::consistent}) {
      test::BeamOptions o{
          .nx = 3, .ny = 2, .nz = 2, .size = Vec3(0.3, 0.1, 0.1), .mass = mass, .gravity = Vec3(1, -9.81, 2)};
      RiggedBeam b = rigged_beam(o, 0.002);
      b.spec.model.mass_damping = 0;
      const RigBody body(b.spec, std::make_shared<CoordinateRig>(b.surface));
      RigStepper rigged(body, all_parameters(*body.rig()), nullptr, exact_options(integrator));
      State state = rigged.start(0);

      const Model model(b.spec.model);
      Stepper free(model, {}, {.integrator = integrator, .tolerance = 1e-10});
      const VecX zero = VecX::Zero(3 * model.n_vertices());
      // A pull at one end, so that it turns and wobbles.
      for (int v = 0; v < body.n_vertices(); ++v)
        if (const Vec3& x = model.mesh().vertices[static_cast<size_t>(v)]; x[0] > 0.29)
          state.v.segment<3>(3 * v) = Vec3(0.3, 3, -2);
      State reference = free.start(0, zero, state.v);
      state.strain_rate = reference.strain_rate, state.a = reference.a;
      for (int k = 0; k < 5; ++k) {
        const StepReport r = rigged.step(state, 1 / 60.0);
        EXPECT_EQ(r.retries, 0);
        EXPECT_EQ(r.substeps, 1);
        free.step(reference, 1 / 60.0);
      }
      const double moved = reference.u.cwiseAbs().maxCoeff();
      EXPECT_GT(moved, 0.05);
      EXPECT_LT((state.u - reference.u).cwiseAbs().maxCoeff(), 1e-8 * moved);
      EXPECT_LT((state.v - reference.v).cwiseAbs().maxCoeff(), 1e-7 * reference.v.cwiseAbs().maxCoeff());
    }
}

TEST(RigStepper, AccelerationsAtTheStartAreThoseOfFreeTets) {
  RiggedBeam b = rigged_beam(kFalling, 0.002);
  const RigBody body(b.spec, std::make_shared<CoordinateRig>(b.surface));
  RigStepper stepper(body, all_parameters(*body.rig()), nullptr, exact_options(Integrator::tr_bdf2));
  const State s = stepper.start(0);
  for (int v = 0; v < body.n_vertices(); ++v) EXPECT_LT((s.a.segment<3>(3 * v) - Vec3(0, -9.81, 0)).norm(), 1e-8);
}

TEST(RigStepper, WhatNothingHoldsFalls) {
  const double h = 1 / 48.0;
  for (Interior interior : {Interior::dynamic, Interior::fixed})
    for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
      RiggedBeam b = rigged_beam(kFalling);
      b.spec.interior = interior;
      const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
      RigStepper stepper(body, {TwistRig::scale, TwistRig::move, TwistRig::move + 1, TwistRig::move + 2}, nullptr,
                         exact_options(integrator));
      State s = stepper.start(0);
      const int n = 12;
      for (int k = 1; k <= n; ++k) stepper.step(s, h);
      // Backward Euler: v_k = -k g h, y_k = -g h^2 k (k + 1) / 2; the other one: -g t^2 / 2.
      const double t = n * h;
      const double fallen =
          integrator == Integrator::backward_euler ? 9.81 * h * h * n * (n + 1) / 2 : 9.81 * t * t / 2;
      EXPECT_NEAR(s.q[TwistRig::move + 1], -fallen, 1e-8 * fallen);
      EXPECT_NEAR(s.q[TwistRig::scale], 0, 1e-8);
      EXPECT_NEAR(s.q[TwistRig::move], 0, 1e-9);
      EXPECT_EQ(s.q[TwistRig::turn], 0);
      EXPECT_NEAR(momentum(body, s)[1], -9.81 * t * body.mass()->total(), 1e-8 * 9.81 * t * body.mass()->total());
      if (interior == Interior::dynamic) {
        EXPECT_NEAR(stepper.elastic_energy(s), 0, 1e-9);
      }
    }
}

// Translations are parameters, so their momentum is kept whatever else the rig does.
TEST(RigStepper, MomentumIsKept) {
  test::BeamOptions o = kFalling;
  o.gravity.setZero();
  const RiggedBeam b = rigged_beam(o);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  for (RigSolver solver : {RigSolver::newton, RigSolver::quasi_newton}) {
    RigStepper stepper(body, {0, 1, 2, 3, 4, 5}, nullptr, exact_options(Integrator::tr_bdf2, solver));
    State s = stepper.start(0);
    for (int v = 0; v < body.n_vertices(); ++v) {
      const Vec3& x = body.model().mesh().vertices[static_cast<size_t>(v)];
      s.v.segment<3>(3 * v) = Vec3(0.4, 20 * x[0] * x[0], 0.3) + Vec3(0, 0, 4).cross(x);
    }
    const Vec3 before = momentum(body, s);
    for (int k = 0; k < 20; ++k) stepper.step(s, 0.01);
    EXPECT_LT((momentum(body, s) - before).norm(), 1e-7 * before.norm());
    EXPECT_GT(std::abs(s.q[TwistRig::turn]), 0.3);
  }
}

TEST(RigStepper, BothSolversGoTheSameWay) {
  const RiggedBeam b = rigged_beam(kFalling, 0.001);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const auto keyed = keyed_one(TwistRig::move + 1, [](double t) { return 0.05 * std::sin(20 * t); });
  VecX p[2];
  for (int k : {0, 1}) {
    RigStepper stepper(body, {TwistRig::bend, TwistRig::scale}, keyed,
                       exact_options(Integrator::backward_euler, k == 0 ? RigSolver::newton : RigSolver::quasi_newton));
    State s = stepper.equilibrium(0);
    for (int i = 0; i < 20; ++i) stepper.step(s, 1 / 48.0);
    p[k] = s.q;
  }
  EXPECT_GT(std::abs(p[0][TwistRig::bend]), 1e-3);
  EXPECT_LT((p[0] - p[1]).cwiseAbs().maxCoeff(), 1e-6 * p[0].cwiseAbs().maxCoeff());
}

TEST(RigStepper, AnEquilibriumStays) {
  const RiggedBeam b = rigged_beam(kFalling, 0.001);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    RigStepper stepper(body, {TwistRig::bend, TwistRig::scale}, nullptr, exact_options(integrator));
    const State first = stepper.equilibrium(0.5);
    EXPECT_GT(std::abs(first.q[TwistRig::bend]), 1e-4);
    State s = first;
    for (int k = 0; k < 5; ++k) stepper.step(s, 0.02);
    EXPECT_NEAR(s.t, 0.6, 1e-12);
    EXPECT_LT((s.q - first.q).cwiseAbs().maxCoeff(), 1e-8);
  }
  // Without anything to hold it there is none.
  RigStepper loose(body, {TwistRig::move + 1}, nullptr, exact_options(Integrator::backward_euler));
  EXPECT_THROW(loose.equilibrium(0), SimulationFailure);
}

TEST(RigStepper, WithNothingFreeAllIsAsKeyed) {
  const RiggedBeam b = rigged_beam(kFalling);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  RigStepper stepper(body, {}, keyed_one(TwistRig::turn, [](double t) { return 3 * t; }),
                     exact_options(Integrator::tr_bdf2));
  State s = stepper.start(0, true);
  for (int v : body.rigged()) {
    const Vec3 x = body.model().mesh().vertices[static_cast<size_t>(v)];
    EXPECT_LT((s.v.segment<3>(3 * v) - Vec3(0, 0, 3).cross(x)).norm(), 1e-6);
  }
  for (int k = 0; k < 4; ++k) stepper.step(s, 0.1);
  EXPECT_NEAR(s.q[TwistRig::turn], 1.2, 1e-12);
  EXPECT_LT((s.u - body.interior().expand(body.interior().gather(s.u), body.rigged_displacement(s.q, 0.4)))
                .cwiseAbs()
                .maxCoeff(),
            1e-15);
}

// Soft flesh made small in a single step is turned inside out, and stiff flesh of a material that gives way when
// pressed finds no equilibrium at all.
TEST(RigStepper, FastMotionIsTakenInParts) {
  test::BeamOptions o = kFalling;
  o.nx = 8, o.ny = 4, o.nz = 4;
  o.parameters.youngs_modulus = 1e4;
  const RiggedBeam b = rigged_beam(o, 0.002);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const double h = 0.04;
  const auto shrink = keyed_one(TwistRig::scale, [=](double t) { return -0.9 * std::min(1.0, t / h); });
  RigStepOptions options;
  RigStepper careful(body, {TwistRig::move + 1}, shrink, options);
  State s = careful.start(0);
  StepReport r = careful.step(s, h);
  EXPECT_GT(r.substeps, 2);
  EXPECT_EQ(careful.count_inverted(s), 0);
  EXPECT_EQ(s.t, h);
  EXPECT_NEAR(s.q[TwistRig::scale], -0.9, 1e-12);
  // As far, but rigid: there is no need.
  RigStepper turning(body, {TwistRig::move + 1}, keyed_one(TwistRig::turn, [](double t) { return 50 * t; }), options);
  State q = turning.start(0, true);
  r = turning.step(q, h);
  EXPECT_EQ(r.substeps, 1);
  EXPECT_EQ(turning.count_inverted(q), 0);
  options.bend_limit = INFINITY;
  RigStepper careless(body, {TwistRig::move + 1}, shrink, options);
  State again = careless.start(0);
  r = careless.step(again, h);
  EXPECT_EQ(r.substeps, 1);
  EXPECT_GT(careless.count_inverted(again), 0);
}

TEST(RigStepper, AStepThatFailsIsTakenInHalves) {
  test::BeamOptions o = kFalling;
  o.nx = 8, o.ny = 4, o.nz = 4;
  o.material = MaterialModel::stvk;
  const RiggedBeam b = rigged_beam(o, 0.002);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const double h = 0.04;
  const auto crush = keyed_one(TwistRig::scale, [=](double t) { return -3 * std::min(1.0, t / h); });
  RigStepOptions options;
  options.bend_limit = INFINITY;
  options.newton.max_iterations = 25;
  options.max_halvings = 0;
  RigStepper hasty(body, {TwistRig::move + 1}, crush, options);
  State s = hasty.start(0);
  EXPECT_THROW(hasty.step(s, h), SimulationFailure);
  options.max_halvings = 8;
  RigStepper patient(body, {TwistRig::move + 1}, crush, options);
  s = patient.start(0);
  const StepReport r = patient.step(s, h);
  EXPECT_GT(r.retries, 0);
  EXPECT_GT(r.substeps, 1);
  EXPECT_TRUE(s.u.allFinite());
}

// Mass damping is for what flesh does beside the motion that is keyed.
TEST(RigStepper, DampingDoesNotDragAtWhatIsCarriedAlong) {
  RiggedBeam b = rigged_beam(kFalling);
  b.spec.model.gravity.setZero();
  b.spec.model.mass_damping = 8;
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  RigStepper carried(body, {TwistRig::bend, TwistRig::scale},
                     keyed_one(TwistRig::move + 1, [](double t) { return 2 * t; }),
                     exact_options(Integrator::backward_euler));
  State s = carried.start(0, true);
  for (int k = 0; k < 5; ++k) carried.step(s, 0.02);
  EXPECT_LT(std::abs(s.q[TwistRig::bend]), 1e-8);
  EXPECT_LT(std::abs(s.q[TwistRig::scale]), 1e-8);
  // What moves by itself slows down: v' = -8 v by backward Euler.
  RigStepper alone(body, {TwistRig::move + 1}, nullptr, exact_options(Integrator::backward_euler));
  s = alone.start(0);
  for (int v = 0; v < body.n_vertices(); ++v) s.v[3 * v + 1] = 1;
  for (int k = 0; k < 5; ++k) alone.step(s, 0.02);
  EXPECT_NEAR(momentum(body, s)[1] / body.mass()->total(), std::pow(1 + 8 * 0.02, -5), 1e-8);
}

namespace {

// Weighs on half of the weight, and keeps count.
class HalfWeight final : public Driver {
 public:
  explicit HalfWeight(const VecX& gravity) : up_(VecX(-0.25 * gravity)) {}
  const Term* term() const override { return &up_; }
  bool scales_vary() const override { return true; }
  Scales scales(double) const override { return {.stiffness = 1, .damping = 1, .gravity = 0.75}; }
  void start(State&) override { ++starts; }
  void stage(const State& n, const StageRule& rule, double t) override {
    ++stages;
    EXPECT_NEAR(t, n.t + rule.end * 0.02, 1e-12);
  }
  void finish(State&) const override { ++finishes; }
  void cut(State&, double) override {}
  int starts = 0, stages = 0;
  mutable int finishes = 0;

 private:
  LoadTerm up_;
};

}  // namespace

TEST(RigStepper, ADriverTakesPartInEveryStage) {
  const RiggedBeam b = rigged_beam(kFalling);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  HalfWeight driver(body.model().gravity_force());
  RigStepper stepper(body, {TwistRig::move + 1}, nullptr, exact_options(Integrator::tr_bdf2), &driver);
  State s = stepper.start(0);
  for (int k = 0; k < 5; ++k) stepper.step(s, 0.02);
  EXPECT_EQ(driver.starts, 1);
  EXPECT_EQ(driver.stages, 10);
  EXPECT_EQ(driver.finishes, 5);
  EXPECT_NEAR(s.q[TwistRig::move + 1], -0.5 * 9.81 * 0.1 * 0.1 / 2, 1e-9);
}

TEST(RigStepper, AFailureLeavesTheStateAsItWas) {
  const RiggedBeam b = rigged_beam(kFalling);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  RigStepOptions o = exact_options(Integrator::backward_euler);
  o.newton.max_iterations = 0;
  o.max_halvings = 2;
  RigStepper stepper(body, {TwistRig::bend}, nullptr, o);
  State s = stepper.start(0);
  const VecX u = s.u;
  EXPECT_THROW(stepper.step(s, 0.1), SimulationFailure);
  EXPECT_TRUE(s.u == u);
  EXPECT_EQ(s.t, 0);
}

TEST(RigStepper, WhatIsKeyedCanBeHeld) {
  const RiggedBeam b = rigged_beam(kFalling);
  for (Interior interior : {Interior::dynamic, Interior::fixed}) {
    RigBodySpec spec = b.spec;
    spec.interior = interior;
    const RigBody body(spec, std::make_shared<TwistRig>(b.surface));
    RigStepOptions o = exact_options(Integrator::backward_euler);
    o.hold_keyed = true;
    const auto keyed = [](double) {
      VecX p = VecX::Zero(7);
      p[TwistRig::bend] = 2, p[TwistRig::scale] = 0.1;
      return p;
    };
    RigStepper stepper(body, {TwistRig::bend, TwistRig::scale, TwistRig::move + 1}, keyed, o);
    State s = stepper.equilibrium(0);
    EXPECT_LT((s.q - keyed(0)).cwiseAbs().maxCoeff(), 1e-8);
    for (int k = 0; k < 10; ++k) stepper.step(s, 0.05);
    EXPECT_LT((s.q - keyed(0)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

// A beam keyed to be squeezed and bent: loads that balanced the material there would let it buckle.
TEST(RigStepper, WhatIsHeldComesBack) {
  RiggedBeam b = rigged_beam(kFalling);
  for (MaterialParameters& m : b.spec.model.per_tet) m.stiffness_damping = 0.02;
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  RigStepOptions o = exact_options(Integrator::tr_bdf2);
  o.hold_keyed = true;
  const std::vector<int> free = {TwistRig::bend, TwistRig::scale};
  // Drawn at a fifth of its thickness, and within what tets bear without their stretches being held.
  for (const double scale : {-0.8, -0.35}) {
    const auto keyed = [=](double) -> VecX {
      VecX p = VecX::Zero(7);
      p[TwistRig::bend] = scale < -0.5 ? 4 : 1, p[TwistRig::scale] = scale;
      return p;
    };
    RigStepper stepper(body, free, keyed, o);
    VecX pushed = keyed(0);
    pushed[TwistRig::bend] += 1, pushed[TwistRig::scale] += 0.1;
    const State s = stepper.equilibrium(0, pushed);
    EXPECT_NEAR(s.q[TwistRig::bend], keyed(0)[TwistRig::bend], 1e-5);
    EXPECT_NEAR(s.q[TwistRig::scale], scale, 1e-6);
    EXPECT_NEAR(stepper.elastic_energy(s), 0, 1e-8);
    if (scale < -0.5) continue;
    // Turned as a whole it is as content as before: elasticity about the keyed shape turns with the flesh.
    State turned = s;
    turned.q[TwistRig::turn] = 1;
    turned.u = body.extend(body.rigged_displacement(turned.q, 0));
    EXPECT_NEAR(stepper.elastic_energy(turned), 0, 1e-8);
    turned.q[TwistRig::bend] += 1;
    turned.u = body.extend(body.rigged_displacement(turned.q, 0));
    EXPECT_GT(stepper.elastic_energy(turned), 1e-6);
  }
}

// Without inertia to speak of what is held follows what is keyed, however it is damped.
TEST(RigStepper, WhatIsHeldIsDampedAboutWhatIsKeyed) {
  RiggedBeam b = rigged_beam(kFalling);
  for (MaterialParameters& m : b.spec.model.per_tet) m.stiffness_damping = 0.5, m.density = 1e-3;
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    RigStepOptions o = exact_options(integrator);
    o.hold_keyed = true;
    const auto keyed = [](double t) -> VecX {
      VecX p = VecX::Zero(7);
      p[TwistRig::bend] = 3 * std::sin(6 * t);
      return p;
    };
    RigStepper stepper(body, {TwistRig::bend, TwistRig::scale}, keyed, o);
    State s = stepper.start(0, true);
    for (int k = 0; k < 10; ++k) {
      stepper.step(s, 0.02);
      EXPECT_NEAR(s.q[TwistRig::bend], keyed(s.t)[TwistRig::bend], 1e-4);
    }
  }
}

// About rest it is the material of St. Venant and Kirchhoff, and damped as that.
TEST(RigStepper, HeldAtRestIsTheMaterialItself) {
  RiggedBeam b = rigged_beam(kFalling);
  b.spec.model.material = MaterialModel::stvk;
  b.spec.model.gravity.setZero();
  for (MaterialParameters& m : b.spec.model.per_tet) m.stiffness_damping = 0.01;
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  std::vector<VecX> found;
  for (bool hold : {false, true}) {
    RigStepOptions o = exact_options(Integrator::tr_bdf2);
    o.hold_keyed = hold;
    const auto keyed = [](double t) -> VecX {
      VecX p = VecX::Zero(7);
      p[TwistRig::turn] = 0.4 * std::sin(5 * t);  // keyed, and no strain
      return p;
    };
    RigStepper stepper(body, {TwistRig::bend, TwistRig::scale}, keyed, o);
    State s = stepper.start(0, true);
    for (int k = 0; k < 10; ++k) stepper.step(s, 0.02);
    found.push_back(s.q);
  }
  EXPECT_GT(std::abs(found[0][TwistRig::bend]), 1e-3);
  EXPECT_LT((found[1] - found[0]).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(RigStepper, HandlesReachTheirTargetsAsTheyGrowStronger) {
  RiggedBeam b = rigged_beam(kFalling);
  b.spec.model.gravity.setZero();
  const Vec3 goal(0.2, 0.05, 0.06);
  int point = 0;  // in the middle of the far face
  for (size_t i = 0; i < b.surface.size(); ++i)
    if ((b.surface[i] - Vec3(0.2, 0.06, 0.06)).norm() < 1e-9) point = static_cast<int>(i);
  ASSERT_GT(point, 0);
  double last = 1;
  for (double strength : {1e3, 1e5, 1e7}) {
    b.spec.handles = {point};
    b.spec.strengths = {strength};
    const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
    RigStepper stepper(body, {TwistRig::bend}, nullptr, exact_options(Integrator::backward_euler), nullptr,
                       [&](double) { return VecX(goal); });
    const State s = stepper.equilibrium(0);
    const int v = body.n_vertices() - 1;
    const double off = (body.model().mesh().vertices[static_cast<size_t>(v)] + s.u.segment<3>(3 * v) - goal).norm();
    EXPECT_LT(off, 0.2 * last);
    last = off;
  }
  EXPECT_LT(last, 1e-4);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  EXPECT_THROW(RigStepper(body, {TwistRig::bend}, nullptr, {}), InputError);
}

// A spike of one tet at the end of a beam, mirrored to its inside: St. Venant-Kirchhoff's tets are at rest so, and
// nothing but the stepper's springs takes it back.
TEST(RigStepper, TanglesOfTheInteriorAreUndone) {
  RiggedBeam b =
      rigged_beam({.nx = 4, .ny = 2, .nz = 2, .size = Vec3(0.2, 0.1, 0.1), .material = MaterialModel::stvk}, 0.002);
  TetMesh& mesh = b.spec.model.mesh;
  std::vector<int> source;
  const TriMesh skin = boundary_surface(mesh, &source);
  const auto at_end = [&](int v) { return skin.vertices[static_cast<size_t>(v)][0] > 0.199; };
  const auto end = std::find_if(skin.triangles.begin(), skin.triangles.end(),
                                [&](const Tri& t) { return at_end(t[0]) && at_end(t[1]) && at_end(t[2]); });
  ASSERT_NE(end, skin.triangles.end());
  const auto corner = [&](size_t k) { return source[static_cast<size_t>((*end)[k])]; };
  const int spike = mesh.n_vertices();
  Vec3 middle = Vec3::Zero();
  for (size_t k : {0, 1, 2}) middle += mesh.vertices[static_cast<size_t>(corner(k))] / 3;
  mesh.vertices.push_back(middle + Vec3(0.04, 0, 0));
  mesh.tets.push_back({corner(0), corner(1), corner(2), spike});
  b.spec.model.per_tet.push_back(b.spec.model.per_tet.back());
  b.spec.rigged = test::vertices_where(mesh, [](const Vec3& x) { return x[0] < 0.06; });
  b.surface.clear();
  for (int v : b.spec.rigged) b.surface.push_back(mesh.vertices[static_cast<size_t>(v)]);
  b.spec.map = identity_map(static_cast<int>(b.surface.size()));
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  RigStepper stepper(body, {TwistRig::scale, TwistRig::bend}, [](double) { return VecX(VecX::Zero(7)); }, {});
  State s = stepper.start(0);
  ASSERT_EQ(stepper.count_inverted(s), 0);
  s.u[3 * spike] = -0.08;
  ASSERT_EQ(stepper.count_inverted(s), 1);
  bool rescued = false;
  for (int k = 0; k < 36; ++k) {
    rescued = stepper.step(s, 1 / 24.0).untangling || rescued;
    if (s.t < 0.2) {
      EXPECT_EQ(stepper.count_inverted(s), 1) << "it does not stay tangled by itself";
    }
  }
  EXPECT_TRUE(rescued);
  EXPECT_EQ(stepper.count_inverted(s), 0);
  EXPECT_LT(s.u.cwiseAbs().maxCoeff(), 1e-3);
}

}  // namespace supple
