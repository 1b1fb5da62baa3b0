#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/rigspace/rig_newton.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {

using test::all_parameters;
using test::CoordinateRig;
using test::rigged_beam;
using test::RiggedBeam;
using test::TwistRig;

namespace {

const test::BeamOptions kBar{.nx = 5, .ny = 2, .nz = 2, .size = Vec3(0.3, 0.12, 0.12), .gravity = Vec3(3, -9.81, 1)};

// The forces of a stage of backward Euler from rest at u = 0, and of statics.
struct Forces {
  explicit Forces(const RigBody& b, double damping = 0)
      : body(b),
        elastic(b.model().make_elastic()),
        inertia(b.mass(), damping),
        gravity(b.model().gravity_force()),
        offset(VecX::Zero(3 * b.n_vertices())) {}
  std::vector<const Term*> list() const { return {&inertia, elastic.get(), &gravity}; }
  const RigBody& body;
  std::unique_ptr<ElasticTerm> elastic;
  InertiaTerm inertia;
  LoadTerm gravity;
  VecX offset;
};

double potential(const Forces& f, const VecX& n, const VecX& p, double rate) {
  const VecX u = f.body.interior().expand(n, f.body.rigged_displacement(p, 0));
  const VecX v = rate * u, a = rate * rate * u;
  double e = 0;
  for (const Term* t : f.list()) t->add({u, v, a, rate, rate * rate}, {.energy = &e});
  return e;
}

VecX scattered(Eigen::Index n, double size) {
  VecX x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = size * std::sin(12.9898 * static_cast<double>(i + 1));
  return x;
}

}  // namespace

// Residual and matrix in (n, p) against differences of H(n, p) [rig-space physics, Eqs. 3-5].
TEST(RigNewton, GradientAndHessianAreThoseOfTheIncrementalPotential) {
  const RiggedBeam b = rigged_beam(kBar);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body, 2.0);
  const std::vector<int> free = {0, 1, 2, 3, 4};
  RigNewton newton(body, forces.list(), free);
  const double rate = 40;
  VecX p(7);
  p << 0.3, 0.1, 0.8, 0.02, -0.01, 0.03, 0;
  const VecX n =
      body.interior().gather(body.extend(body.rigged_displacement(p, 0))) + scattered(3 * body.n_interior(), 1e-3);

  const StageMotion motion{rate, forces.offset, rate * rate, forces.offset};
  const auto derivatives = [&](const VecX& interior, const VecX& q) {
    return newton.derivatives({body.interior().expand(interior), q, 0}, motion);
  };
  const RigNewton::Derivatives exact = derivatives(n, p);
  const Eigen::Index m = n.size(), k = static_cast<Eigen::Index>(free.size());
  VecX z(m + k);
  z.head(m) = n;
  for (Eigen::Index a = 0; a < k; ++a) z[m + a] = p[free[static_cast<size_t>(a)]];
  const auto at = [&](const VecX& y) {
    VecX q = p;
    for (Eigen::Index a = 0; a < k; ++a) q[free[static_cast<size_t>(a)]] = y[m + a];
    return std::pair(VecX(y.head(m)), q);
  };
  const double e = 1e-6;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    VecX more = z, less = z;
    more[i] += e, less[i] -= e;
    const auto [n1, p1] = at(more);
    const auto [n0, p0] = at(less);
    const double slope = (potential(forces, n1, p1, rate) - potential(forces, n0, p0, rate)) / (2 * e);
    EXPECT_NEAR(exact.gradient[i], slope, 1e-5 * exact.gradient.cwiseAbs().maxCoeff()) << i;
    const VecX change = (derivatives(n1, p1).gradient - derivatives(n0, p0).gradient) / (2 * e);
    EXPECT_LT((change - exact.hessian.col(i)).norm(), 1e-6 * exact.hessian.col(i).norm()) << i;
  }
}

TEST(RigNewton, NewtonAndQuasiNewtonReachTheSameMinimum) {
  const RiggedBeam b = rigged_beam(kBar);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  for (double rate : {0.0, 30.0}) {
    // Standing still, nothing but its bend and its size is free.
    const std::vector<int> free = rate > 0 ? std::vector<int>{0, 1, 2, 3, 4, 5} : std::vector<int>{1, 2};
    VecX u[2], p[2];
    int calls[2];
    for (int k : {0, 1}) {
      RigNewton newton(body, forces.list(), free, nullptr, k == 0 ? RigSolver::newton : RigSolver::quasi_newton);
      p[k] = VecX::Zero(7);
      p[k][TwistRig::turn] = 0.4, p[k][TwistRig::bend] = 3;
      u[k] = body.extend(body.rigged_displacement(p[k], 0));
      const NewtonReport r =
          newton.solve(u[k], p[k], 0, rate, forces.offset, rate * rate, forces.offset, {.tolerance = 1e-10});
      EXPECT_TRUE(r.converged) << r.trouble;
      EXPECT_LE(r.residual, 1e-10 * r.scale);
      calls[k] = r.iterations;
    }
    EXPECT_LT((u[0] - u[1]).cwiseAbs().maxCoeff(), 1e-6 * u[0].cwiseAbs().maxCoeff());
    EXPECT_LT((p[0] - p[1]).cwiseAbs().maxCoeff(), 1e-6 * p[0].cwiseAbs().maxCoeff());
    EXPECT_LE(calls[0], 15);
    EXPECT_LE(calls[1], 30);
  }
}

// A stiff body that can only turn: nothing but the curvature of the rig resists, and says where it comes to hang.
TEST(RigNewton, APendulumHangsWhereItsWeightTellsIt) {
  RiggedBeam b = rigged_beam(kBar);
  b.spec.model.gravity = Vec3(2, -9.81, 0);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  const Vec3 centre(0.15, 0.06, 0);
  const double hanging = std::atan2(-9.81, 2) - std::atan2(centre[1], centre[0]);
  for (RigSolver solver : {RigSolver::newton, RigSolver::quasi_newton}) {
    RigNewton newton(body, forces.list(), {TwistRig::turn}, nullptr, solver);
    VecX u = VecX::Zero(3 * body.n_vertices()), p = VecX::Zero(7);
    p[TwistRig::turn] = hanging + 1.2;
    u = body.extend(body.rigged_displacement(p, 0));
    const NewtonReport r = newton.solve_static(u, p, 0, {.tolerance = 1e-9});
    EXPECT_TRUE(r.converged) << r.trouble;
    EXPECT_LE(r.iterations, 20);
    EXPECT_NEAR(p[TwistRig::turn], hanging, 1e-3);  // not turns away
  }
}

TEST(RigNewton, FindsItsWayFromATangledInterior) {
  const RiggedBeam b = rigged_beam(kBar);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  const std::vector<int> free = {0, 1, 2, 3, 4, 5};
  for (RigSolver solver : {RigSolver::newton, RigSolver::quasi_newton}) {
    RigNewton newton(body, forces.list(), free, nullptr, solver);
    VecX p = VecX::Zero(7), q = p;
    p[TwistRig::scale] = -0.8, p[TwistRig::turn] = 2;
    VecX u = scattered(3 * body.n_vertices(), 0.08), straight = VecX::Zero(u.size());
    const double rate = 10;
    const NewtonOptions options{.tolerance = 1e-9, .max_iterations = 200};
    const NewtonReport r = newton.solve(u, p, 0, rate, forces.offset, rate * rate, forces.offset, options);
    EXPECT_TRUE(r.converged) << r.trouble;
    EXPECT_GT(r.projected, 0);
    newton.solve(straight, q, 0, rate, forces.offset, rate * rate, forces.offset, options);
    EXPECT_LT((u - straight).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(RigNewton, ParametersThatMoveNothingAreLeftAlone) {
  const RiggedBeam b = rigged_beam(kBar);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  for (RigSolver solver : {RigSolver::newton, RigSolver::quasi_newton}) {
    RigNewton newton(body, forces.list(), {1, 2, 6}, nullptr, solver);
    VecX u = VecX::Zero(3 * body.n_vertices()), p = VecX::Zero(7);
    p[TwistRig::nothing] = 0.123;
    const NewtonReport r = newton.solve_static(u, p, 0, {});
    EXPECT_TRUE(r.converged) << r.trouble;
    EXPECT_EQ(r.projected, 0);
    EXPECT_EQ(p[TwistRig::nothing], 0.123);
    EXPECT_EQ(p[TwistRig::turn], 0);
    EXPECT_NE(p[TwistRig::bend], 0);
  }
}

namespace {

// A rig that has nothing to say beyond a bend of 1.
class BrittleRig final : public RigMap {
 public:
  explicit BrittleRig(const Points& rest) : rig_(rest) {}
  const std::vector<RigParameter>& parameters() const override { return rig_.parameters(); }
  int n_points() const override { return rig_.n_points(); }
  VecX evaluate(const VecX& p, double t) const override {
    return rig_.evaluate(p, t) * (std::abs(p[TwistRig::bend]) > 1 ? NAN : 1);
  }
  bool has_derivatives() const override { return true; }
  MatX jacobian(const VecX& p, double t, const std::vector<int>& which) const override {
    return rig_.jacobian(p, t, which) * (std::abs(p[TwistRig::bend]) > 1 ? NAN : 1);
  }
  MatX curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const override {
    return rig_.curvature(p, t, which, f);
  }

 private:
  TwistRig rig_;
};

// A force that grows a little with u, and has no potential.
class Wind final : public Term {
 public:
  explicit Wind(VecX f) : f_(std::move(f)) {}
  std::string name() const override { return "wind"; }
  void couple(PatternBuilder&) const override {}
  void add(const Kinematics& x, const Evaluation& out) const override {
    if (!out.residual) return;
    for (Eigen::Index i = 0; i < f_.size(); i += 3)
      out.residual->segment<3>(i) -= f_.segment<3>(i) + 0.3 * f_.segment<3>(i).cross(Vec3(10 * x.u.segment<3>(i)));
  }
  bool has_energy() const override { return false; }
  bool is_gentle() const override { return true; }

 private:
  VecX f_;
};

}  // namespace

TEST(RigNewton, StepsBackFromWhereTheRigHasNoPlaces) {
  RiggedBeam b = rigged_beam(kBar);
  b.spec.model.gravity = Vec3(0, 2000, 0);  // would bend it far more
  const RigBody body(b.spec, std::make_shared<BrittleRig>(b.surface));
  const Forces forces(body);
  RigNewton newton(body, forces.list(), {TwistRig::bend});
  VecX u = VecX::Zero(3 * body.n_vertices()), p = VecX::Zero(7);
  const NewtonReport r = newton.solve_static(u, p, 0, {.max_iterations = 30});
  EXPECT_FALSE(r.converged);
  EXPECT_FALSE(r.trouble.empty());
  EXPECT_TRUE(u.allFinite() && p.allFinite());
  EXPECT_GT(p[TwistRig::bend], 0.9);
}

TEST(RigNewton, ForcesWithoutAPotentialAreMetExactly) {
  RiggedBeam b = rigged_beam(kBar, 0.01);
  const double rate = 25;
  for (ElementDamping damping : {ElementDamping::viscous, ElementDamping::full}) {
    b.spec.model.damping = damping;
    const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
    const Forces forces(body);
    const Wind wind(forces.gravity.force() * -3);
    std::vector<const Term*> terms = forces.list();
    terms.push_back(&wind);
    RigNewton newton(body, terms, {0, 1, 2, 3, 4, 5});
    VecX u = VecX::Zero(3 * body.n_vertices()), p = VecX::Zero(7);
    const VecX drift = scattered(u.size(), damping == ElementDamping::full ? -0.05 : -0.5);
    const NewtonReport r = newton.solve(u, p, 0, rate, drift, rate * rate, rate * drift, {.tolerance = 1e-9});
    ASSERT_TRUE(r.converged) << r.trouble;
    const VecX pushed = rate * drift;
    const VecX g = newton.derivatives({u, p, 0}, {rate, drift, rate * rate, pushed}).gradient;
    EXPECT_LT(g.head(3 * body.n_interior()).cwiseAbs().maxCoeff(), 1e-9 * r.scale);
    EXPECT_GT(u.cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(RigNewton, SameBitsForAnyThreadCount) {
  const RiggedBeam b = rigged_beam({.nx = 12, .ny = 4, .nz = 4, .gravity = Vec3(0, -9.81, 0)});
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  VecX first;
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    const Forces forces(body);
    RigNewton newton(body, forces.list(), {1, 2, 3, 4, 5});
    VecX u = VecX::Zero(3 * body.n_vertices()), p = VecX::Zero(7);
    p[TwistRig::turn] = 1;
    EXPECT_TRUE(newton.solve(u, p, 0, 50, forces.offset, 2500, forces.offset, {}).converged);
    if (threads == 1) first = u;
    EXPECT_TRUE(first == u) << threads;
  }
  set_thread_count(0);
}

TEST(RigNewton, SaysWhichParametersItHasNot) {
  const RiggedBeam b = rigged_beam(kBar);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  EXPECT_THROW(RigNewton(body, forces.list(), {7}), InputError);
  EXPECT_THROW(RigNewton(body, forces.list(), {1, 1}), InputError);
}

// A large interior has several levels in place of a factor: another way to the same place.
TEST(RigNewton, LevelsAndFactorsOfTheInteriorAgree) {
  const RiggedBeam b = rigged_beam({.nx = 12, .ny = 5, .nz = 5, .gravity = Vec3(0, -9.81, 0)});
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  for (RigSolver solver : {RigSolver::newton, RigSolver::quasi_newton})
    for (double rate : {0.0, 30.0}) {
      const std::vector<int> free = rate > 0 ? std::vector<int>{0, 1, 2, 3, 4, 5, 6} : std::vector<int>{1, 2};
      VecX u[2], p[2];
      int iterations[2];
      for (size_t k : {0, 1}) {
        RigNewton newton(body, forces.list(), free, nullptr, solver, k == 0 ? "supernodal" : "multilevel");
        EXPECT_EQ(newton.linear_solver(), k == 0 ? "supernodal, kept" : "multilevel, kept");
        p[k] = VecX::Zero(7);
        p[k][TwistRig::turn] = 0.4, p[k][TwistRig::bend] = 3;
        u[k] = body.extend(body.rigged_displacement(p[k], 0));
        const NewtonReport r =
            newton.solve(u[k], p[k], 0, rate, forces.offset, rate * rate, forces.offset, {.tolerance = 1e-10});
        EXPECT_TRUE(r.converged) << r.trouble;
        EXPECT_GT(r.krylov, 0);
        iterations[k] = r.iterations;
      }
      EXPECT_LT((u[0] - u[1]).cwiseAbs().maxCoeff(), 1e-7 * u[0].cwiseAbs().maxCoeff());
      EXPECT_LT((p[0] - p[1]).cwiseAbs().maxCoeff(), 1e-7 * p[0].cwiseAbs().maxCoeff());
      EXPECT_LE(iterations[1], iterations[0] + 3);
    }
}

TEST(RigNewton, LevelsFindTheirWayFromATangledInterior) {
  const RiggedBeam b = rigged_beam({.nx = 6, .ny = 4, .nz = 4, .gravity = Vec3(0, -9.81, 0)});
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  VecX u[2];
  for (size_t k : {0, 1}) {
    RigNewton newton(body, forces.list(), {0, 1, 2, 3, 4, 5}, nullptr, RigSolver::newton,
                     k == 0 ? "supernodal" : "multilevel");
    VecX p = VecX::Zero(7);
    u[k] = scattered(3 * body.n_vertices(), 0.04);
    const NewtonReport r =
        newton.solve(u[k], p, 0, 10, forces.offset, 100, forces.offset, {.tolerance = 1e-9, .max_iterations = 200});
    EXPECT_TRUE(r.converged) << r.trouble;
    EXPECT_GT(r.projected, 0);
  }
  EXPECT_LT((u[0] - u[1]).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(RigNewton, AnInteriorOfManyVerticesHasLevels) {
  const RiggedBeam b = rigged_beam({.nx = 20, .ny = 20, .nz = 20, .size = Vec3(0.2, 0.2, 0.2)});
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  ASSERT_GT(body.n_interior(), 6000);
  const Forces forces(body);
  EXPECT_EQ(RigNewton(body, forces.list(), {1}).linear_solver(), "multilevel, kept");
}

namespace {

// A wall in the way of one vertex along x: -ln of the gap, and no step may take more than nine tenths of it. Once let
// go it does nothing.
class Wall final : public RovingTerm {
 public:
  Wall(int vertex, double limit) : vertex_(vertex), limit_(limit) {}
  std::string name() const override { return "wall"; }
  void couple(PatternBuilder& pattern) const override { pattern.couple(vertex_, vertex_); }
  long couplings() const override { return 0; }
  bool has_energy() const override { return true; }
  void look(const VecX&, double) override {}
  void add(const Kinematics& x, const Evaluation& out) const override {
    if (gone) return;
    const double g = gap(x.u);
    if (out.energy) *out.energy -= std::log(g);
    if (out.residual) (*out.residual)[3 * vertex_] += 1 / g;
    if (out.matrix) out.matrix->block(out.matrix->pattern->find(vertex_, vertex_))[0] += 1 / (g * g);
  }
  double safe_step(const Kinematics& x, const VecX& du, double) override {
    const double closing = du[3 * vertex_];
    return gone || closing <= 0.9 * gap(x.u) ? 1 : 0.9 * gap(x.u) / closing;
  }
  void add_advance(const Kinematics&, double, VecX&) const override {}
  bool let_go(const Kinematics&, const VecX&, double) override { return !std::exchange(gone, true); }
  double gap(const VecX& u) const { return limit_ - u[3 * vertex_]; }
  bool gone = false;

 private:
  int vertex_;
  double limit_;
};

}  // namespace

TEST(RigNewton, LetsGoOfWhatBarsTheWayOfKeysOnlyWhereItMay) {
  const RiggedBeam b = rigged_beam(kBar);
  const RigBody body(b.spec, std::make_shared<TwistRig>(b.surface));
  const Forces forces(body);
  // Before the wall, and twice as far as it is.
  for (const double way : {0.05, 0.2})
    for (const bool may : {false, true}) {
      Wall wall(body.rigged().back(), 0.1);
      RigNewton newton(body, forces.list(), {TwistRig::bend}, &wall);
      Place place{VecX::Zero(3 * body.n_vertices()), VecX::Zero(7), 0};
      Place goal = place;
      goal.q[TwistRig::move] = way, goal.t = 1;
      const StageMotion motion{30, forces.offset, 900, forces.offset};
      const NewtonReport r = newton.solve(place, goal, motion, {.tolerance = 1e-8, .may_let_go = may});
      const bool passes = way < 0.1;
      EXPECT_EQ(r.converged, passes || may) << r.trouble;
      EXPECT_EQ(wall.gone, !passes && may);
      if (r.converged) {
        EXPECT_EQ(place.q[TwistRig::move], way);
        EXPECT_EQ(place.t, 1);
      } else {
        EXPECT_GT(wall.gap(place.u), 0);
      }
      EXPECT_TRUE(place.u.allFinite());
    }
}

}  // namespace supple
