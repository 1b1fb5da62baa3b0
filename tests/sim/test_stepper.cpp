#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;
using test::moved;

namespace {

std::shared_ptr<const Track> shaken(const Model& model, double size, double hz) {
  return moved(model, [=](const Vec3& x, double t, int d) {
    const double w = 2 * M_PI * hz;
    const double f = d == 0 ? std::sin(w * t) : d == 1 ? w * std::cos(w * t) : -w * w * std::sin(w * t);
    return Vec3((d == 0 ? x : Vec3(0, 0, 0)) + size * f * Vec3(0.2, 1, 0.4));
  });
}

State short_run(const Model& model, const std::string& solver, Integrator integrator = Integrator::tr_bdf2) {
  Stepper stepper(model, {.vertices = shaken(model, 0.03, 3)}, {.integrator = integrator, .linear_solver = solver});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  return test::run(stepper, stepper.start(0, zero, zero), 0.25, 10);
}

}  // namespace

TEST(Stepper, SameBitsForAnyThreadCount) {
  for (MaterialModel material : {MaterialModel::stable_neo_hookean, MaterialModel::corotational}) {
    test::BeamOptions o{.nx = 16, .ny = 4, .nz = 4, .material = material};
    o.parameters.stiffness_damping = 0.003;
    o.gravity = {0, -9.81, 0};
    ModelSpec spec = beam_spec(o);
    spec.anti_locking = material == MaterialModel::corotational;
    const Model model(spec);
    for (const char* solver : {"auto", "multilevel", "mumps", "cg"}) {
      set_thread_count(1);
      const State one = short_run(model, solver);
      for (int n : {2, 3}) {
        set_thread_count(n);
        const State many = short_run(model, solver);
        EXPECT_TRUE(one.u == many.u && one.v == many.v && one.a == many.a) << solver << ", " << n << " threads";
      }
      EXPECT_GT(one.u.cwiseAbs().maxCoeff(), 1e-3);
    }
  }
  set_thread_count(0);
}

// Steps hang on the factor of steps before them: with it they can be done again.
TEST(Stepper, TheKeptFactorIsRestored) {
  test::BeamOptions o{.nx = 8, .ny = 2, .nz = 2};
  o.parameters.stiffness_damping = 0.003;
  const Model model(beam_spec(o));
  for (const char* solver : {"auto", "multilevel"}) {
    const Drive drive{.vertices = shaken(model, 0.03, 3)};
    Stepper stepper(model, drive, {.linear_solver = solver});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    State state = stepper.start(0, zero, zero);
    for (int i = 0; i < 5; ++i) stepper.step(state, 0.02);
    const State before = state;
    const KeptFactor::Mark mark = stepper.factor_mark();
    ASSERT_TRUE(mark.values);
    int factorizations = 0;
    for (int i = 0; i < 8; ++i) factorizations += stepper.step(state, 0.02).factorizations;
    EXPECT_LT(factorizations, 8) << solver;  // of 16 stages
    Stepper other(model, drive, {.linear_solver = solver});
    other.restore_factor(mark);
    State again = before;
    for (int i = 0; i < 8; ++i) other.step(again, 0.02);
    EXPECT_TRUE(again.u == state.u && again.v == state.v) << solver;
    EXPECT_NE(stepper.linear_solver().find("kept"), std::string::npos);
  }
}

TEST(Stepper, LinearSolversAgree) {
  test::BeamOptions o{.nx = 8, .ny = 2, .nz = 2};
  o.parameters.stiffness_damping = 0.003;
  const Model model(beam_spec(o));
  const State reference = short_run(model, "mumps");
  for (const char* solver : {"auto", "multilevel", "eigen", "cg"})
    EXPECT_LT((short_run(model, solver).u - reference.u).cwiseAbs().maxCoeff(),
              1e-6 * reference.u.cwiseAbs().maxCoeff())
        << solver;
}

// A linear model has one matrix: with the default stage fraction both stages share its only factorization.
TEST(Stepper, LinearModelIsFactorizedOnce) {
  test::BeamOptions o{.material = MaterialModel::linear};
  o.parameters.stiffness_damping = 0.003;
  const Model model(beam_spec(o));
  Stepper stepper(model, {.vertices = shaken(model, 0.03, 3)}, {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  int factorizations = 0, iterations = 0;
  for (int i = 0; i < 20; ++i) {
    const StepReport r = stepper.step(s, 1.0 / 48);
    factorizations += r.factorizations;
    iterations += r.newton_iterations;
  }
  EXPECT_EQ(factorizations, 1);
  EXPECT_LE(iterations, 2 * 20 + 2);
}

// The driven face jumps by two tets in a step. The flesh is taken along before Newton begins, not crushed.
TEST(Stepper, AJumpOfTheDriveCostsFewIterations) {
  for (MaterialModel material :
       {MaterialModel::stable_neo_hookean, MaterialModel::invertible_stvk, MaterialModel::corotational}) {
    test::BeamOptions o{.nx = 10, .material = material};
    o.parameters.stiffness_damping = 0.05;
    const Model model(beam_spec(o));
    auto jump = test::moved(model, [](const Vec3& x, double t, int derivative) {
      return derivative == 0 ? Vec3(x + (t > 0 ? Vec3(0.08, 0.02, 0) : Vec3(0, 0, 0))) : Vec3(Vec3::Zero());
    });
    Stepper stepper(model, {.vertices = jump}, {.integrator = Integrator::backward_euler});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    State s = stepper.start(0, zero, zero);
    const StepReport r = stepper.step(s, 1.0 / 24);
    EXPECT_EQ(r.retries, 0);
    EXPECT_LE(r.newton_iterations, 4) << name_of(material);
  }
}

// A step that cannot converge in the iterations allowed is retried in halves and counted.
TEST(Stepper, HalvesStepsThatDoNotConverge) {
  test::BeamOptions o{.nx = 6};
  const Model model(beam_spec(o));
  auto violent = shaken(model, 0.3, 2);
  Stepper stepper(model, {.vertices = violent}, {.integrator = Integrator::backward_euler, .max_newton = 2});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  const StepReport r = stepper.step(s, 1.0 / 12);
  EXPECT_GT(r.retries, 0);
  EXPECT_GT(r.substeps, 1);
  EXPECT_DOUBLE_EQ(s.t, 1.0 / 12);
  EXPECT_TRUE(s.u.allFinite());
}

// When nothing helps the run stops with frame, part and cause, and the state is what it was.
TEST(Stepper, GivesUpWithAReason) {
  const Model model(beam_spec({}));
  Stepper stepper(model, {.vertices = shaken(model, 0.3, 2)}, {.max_newton = 0, .max_halvings = 2});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  const State before = s;
  try {
    stepper.step(s, 0.1);
    FAIL() << "expected a SimulationFailure";
  } catch (const SimulationFailure& e) {
    EXPECT_NE(std::string(e.what()).find("vertex"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(s.u == before.u && s.t == before.t);
}

// Nothing is NaN however mad the input: the drive jumps by ten body lengths between two steps.
TEST(Stepper, SurvivesAMadDrive) {
  for (MaterialModel material : {MaterialModel::stable_neo_hookean, MaterialModel::invertible_stvk}) {
    test::BeamOptions o{.material = material};
    o.parameters.stiffness_damping = 0.01;
    const Model model(beam_spec(o));
    auto mad = moved(model, [](const Vec3& x, double t, int d) {
      return d == 0 ? Vec3(x + (t > 0.1 ? Vec3(4, 0, 0) : Vec3(0, 0, 0))) : Vec3(0, 0, 0);
    });
    Stepper stepper(model, {.vertices = mad}, {.integrator = Integrator::backward_euler});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    State s = stepper.start(0, zero, zero);
    for (int i = 0; i < 120; ++i) stepper.step(s, 1.0 / 24);
    VecX expected(s.u.size());
    for (int i = 0; i < model.n_vertices(); ++i) expected.segment<3>(3 * i) = Vec3(4, 0, 0);
    EXPECT_LT((s.u - expected).cwiseAbs().maxCoeff(), 1e-2) << name_of(material);
  }
}

// A cut in the drive takes the flesh along: the run with a teleport is the run without it, moved.
TEST(Stepper, FollowsCuts) {
  test::BeamOptions o;
  o.parameters.stiffness_damping = 0.003;
  const Model model(beam_spec(o));
  const int driven = static_cast<int>(model.spec().driven.size());
  auto samples = [&](bool teleport) {
    std::vector<VecX> list;
    for (int f = 0; f < 40; ++f) {
      VecX x(3 * driven);
      for (int i = 0; i < driven; ++i) {
        Vec3 p = model.mesh().vertices[model.spec().driven[i]] + Vec3(0, 0.01 * std::sin(0.4 * f), 0);
        if (teleport && f >= 20) p += Vec3(5, 3, -2);
        x.segment<3>(3 * i) = p;
      }
      list.push_back(x);
    }
    return list;
  };
  State end[2];
  int cuts = 0;
  for (int k = 0; k < 2; ++k) {
    const std::shared_ptr<const Track> track = make_sampled_track(samples(k == 1), 1.0 / 24);
    ASSERT_EQ(track->cuts().size(), static_cast<size_t>(k));
    Stepper stepper(model, {.vertices = track}, {});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    end[k] = stepper.start(0, zero, zero);
    for (int i = 1; i < 40; ++i) cuts += stepper.step(end[k], i / 24.0 - end[k].t).cuts;
  }
  EXPECT_EQ(cuts, 1);
  double worst = 0;
  for (int i = 0; i < model.n_vertices(); ++i)
    worst = std::max(worst, (end[1].u.segment<3>(3 * i) - end[0].u.segment<3>(3 * i) - Vec3(5, 3, -2)).norm());
  // The track's one-sided differences beside the cut are all that differs.
  EXPECT_LT(worst, 2e-3);
  EXPECT_LT((end[1].v - end[0].v).cwiseAbs().maxCoeff(), 0.05);
}

// Points tied by barycentric weights carry the body; springs do so softly and meet them as they stiffen.
TEST(Stepper, TiesAndSpringsCarryTheBody) {
  test::BeamOptions o;
  o.parameters.stiffness_damping = 0.003;
  ModelSpec spec = beam_spec(o);
  spec.driven.clear();
  // The centres of the tets at x < 0.1, moved along y.
  Points rest;
  for (const Tet& t : spec.mesh.tets) {
    Vec3 c = Vec3::Zero();
    for (int v : t) c += spec.mesh.vertices[v] / 4;
    if (c[0] > 0.1) continue;
    spec.ties.push_back({t, Eigen::Vector4d::Constant(0.25)});
    rest.push_back(c);
  }
  auto lift = make_function_track(static_cast<int>(rest.size()), [rest](double t, int d) {
    VecX x = VecX::Zero(3 * static_cast<Eigen::Index>(rest.size()));
    for (size_t i = 0; i < rest.size(); ++i) {
      const double s = 0.1 * (1 - std::cos(5 * t));
      x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
          d == 0 ? Vec3(rest[i] + Vec3(0, s, 0)) : Vec3(0, d == 1 ? 0.5 * std::sin(5 * t) : 2.5 * std::cos(5 * t), 0);
    }
    return x;
  });
  const std::shared_ptr<const Track> track = std::move(lift);
  const Model tied(spec);
  EXPECT_TRUE(tied.loose_parts().empty());
  const VecX zero = VecX::Zero(3 * tied.n_vertices());
  Stepper stepper(tied, {.ties = track}, {});
  const State s = test::run(stepper, stepper.start(0, zero, zero), 0.3, 24);
  EXPECT_LT(tied.constraints().tie_residual(s.u, track->at(0.3)), 1e-9);

  double last = 1e9;
  for (double stiffness : {1e3, 1e4, 1e5}) {
    ModelSpec soft = spec;
    soft.springs = soft.ties;
    soft.ties.clear();
    soft.spring_stiffness = stiffness;
    const Model model(soft);
    Stepper pulled(model, {.springs = track}, {});
    const State e = test::run(pulled, pulled.start(0, zero, zero), 0.3, 24);
    const double miss = tied.constraints().tie_residual(e.u, track->at(0.3));
    EXPECT_LT(miss, 0.5 * last) << stiffness;
    last = miss;
  }
}

// Mass damping acts on motion relative to the body: a body in free flight with its drive is not dragged.
TEST(Stepper, MassDampingDoesNotDragABodyThatMovesAlong) {
  test::BeamOptions o;
  ModelSpec spec = beam_spec(o);
  spec.mass_damping = 5;
  const Model model(spec);
  // Steady translation and turning about an axis through the driven face.
  const Vec3 axis = Vec3(0.2, 1, 0.1).normalized();
  auto ride = moved(model, [=](const Vec3& x, double t, int d) {
    auto at = [&](double s) { return Vec3(Eigen::AngleAxisd(0.2 * s, axis) * x + s * Vec3(3, 0, 1)); };
    const double e = 1e-4;
    return d == 0   ? at(t)
           : d == 1 ? Vec3((at(t + e) - at(t - e)) / (2 * e))
                    : Vec3((at(t + e) - 2 * at(t) + at(t - e)) / (e * e));
  });
  Stepper stepper(model, {.vertices = ride}, {});
  VecX v(3 * model.n_vertices());
  for (int i = 0; i < model.n_vertices(); ++i)
    v.segment<3>(3 * i) = 0.2 * axis.cross(model.mesh().vertices[i]) + Vec3(3, 0, 1);
  const State s = test::run(stepper, stepper.start(0, VecX::Zero(v.size()), v), 0.5, 48);
  double worst = 0;
  for (int i = 0; i < model.n_vertices(); ++i) {
    const Vec3& x = model.mesh().vertices[i];
    const Vec3 rigid = Eigen::AngleAxisd(0.1, axis) * x + 0.5 * Vec3(3, 0, 1);
    worst = std::max(worst, (x + s.u.segment<3>(3 * i) - rigid).norm());
  }
  // What is left is the slow turning's own centrifugal stretch.
  EXPECT_LT(worst, 1e-4);
}

// A body that nothing holds falls as it should, in shape, and its static shape stays where it was.
TEST(Stepper, AFreeBodyFalls) {
  test::BeamOptions o;
  o.parameters.stiffness_damping = 0.003;
  o.gravity = {0, -9.81, 0};
  ModelSpec spec = beam_spec(o);
  spec.driven.clear();
  const Model model(spec);
  const auto p = StaticSolver(model, {}, "auto", 1e-8).solve(0, VecX());
  EXPECT_TRUE(p.converged);
  EXPECT_EQ(p.u.cwiseAbs().maxCoeff(), 0);
  Stepper stepper(model, {}, {});
  const State s = test::run(stepper, stepper.start(0, p.u, VecX::Zero(p.u.size())), 0.5, 24);
  for (int i = 0; i < model.n_vertices(); ++i) {
    EXPECT_NEAR(s.u[3 * i + 1], -0.5 * 9.81 * 0.25, 1e-6);
    EXPECT_NEAR(s.u[3 * i], 0, 1e-6);
  }
}

}  // namespace supple
