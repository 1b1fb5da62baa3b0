// Adjusted inertia against what is known of it exactly.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/inertia/simulation.h"
#include "tests/support/beam.h"

namespace supple {

using test::beam_spec;
using test::moved;

namespace {

constexpr double kFrame = 1.0 / 60;

// A smooth ramp from 0 to 1 over [0, 1] with its derivatives.
double ramp(double s, int d) {
  if (s <= 0) return 0;
  if (s >= 1) return d == 0 ? 1 : 0;
  if (d == 0) return s * s * s * (10 + s * (6 * s - 15));
  if (d == 1) return 30 * s * s * (1 - s) * (1 - s);
  return 60 * s * (1 - s) * (1 - 2 * s);
}

using Motion = std::function<Vec3(const Vec3&, double)>;

// Derivatives by differences are enough for the drives here: only positions matter after the start.
std::shared_ptr<const Track> drive_of(const Model& model, const Motion& f) {
  return moved(model, [f](const Vec3& x, double t, int d) {
    const double e = 1e-4;
    if (d == 0) return f(x, t);
    if (d == 1) return Vec3((f(x, t + e) - f(x, t - e)) / (2 * e));
    return Vec3((f(x, t + e) - 2 * f(x, t) + f(x, t - e)) / (e * e));
  });
}

const Vec3 kCentre(0, 0.06, 0.04);

// From rest into a spin of w about a tilted axis.
Motion spinning(double w, const Vec3& axis = Vec3(0, 0.6, 0.8)) {
  return [=](const Vec3& x, double t) {
    // The integral of the ramp over 0.3 s.
    const double s = std::clamp((t - 0.05) / 0.3, 0.0, 1.0);
    const double angle = w * (0.3 * (s * s * s * s * (2.5 + s * (s - 3))) + std::max(0.0, t - 0.35));
    return Vec3(kCentre + Eigen::AngleAxisd(angle, axis.normalized()) * (x - kCentre));
  };
}

// Turned, moved and stretched: the driven face deforms.
Motion deforming() {
  return [](const Vec3& x, double t) {
    const double s = ramp((t - 0.05) / 0.25, 0);
    const Vec3 y = kCentre + Eigen::AngleAxisd(0.8 * s, Vec3(1, 0.3, 0).normalized()) * (x - kCentre);
    return Vec3(y + s * Vec3(0.05, 0.02, 0.1) + 0.3 * s * Vec3(0, (x - kCentre)[1], 0));
  };
}

Motion yanked(double v = 0.5) {
  return [=](const Vec3& x, double t) {
    return Vec3(x + v * Vec3(0, 0.3, 1) * 0.05 * (ramp((t - 0.05) / 0.05, 0) + 4 * ramp((t - 0.05) / 0.4, 0)));
  };
}

struct Take {
  State start;
  std::vector<VecX> u, p, q;
  int newton = 0, krylov = 0, retries = 0;
  double amplitude = 0;
  double largest_dynamic() const {
    double d = 0;
    for (size_t i = 0; i < u.size(); ++i) d = std::max(d, (u[i] - p[i]).cwiseAbs().maxCoeff());
    return d;
  }
};

Take take(const Model& model, const Motion& f, const Adjustment& adjustment, Integrator integrator, int frames = 30,
          int substeps = 2, double tolerance = 1e-9, double frame = kFrame, bool every_step = false) {
  Simulation s(model, {.drive = {.vertices = drive_of(model, f)},
                       .adjustment = adjustment,
                       .stepper = {.integrator = integrator, .tolerance = tolerance},
                       .frame = frame,
                       .substeps = substeps,
                       .t_end = frames * frame,
                       .solve_every_step = every_step});
  s.start(false);
  Take out;
  out.start = s.state();
  for (int i = 0; i < frames * substeps; ++i) {
    const StepReport r = s.step();
    out.newton += r.newton_iterations, out.krylov += r.krylov, out.retries += r.retries;
    out.u.push_back(s.state().u);
    out.p.push_back(s.p());
    out.q.push_back(s.q());
  }
  out.amplitude = s.amplitude().value();
  return out;
}

Adjustment epsilon(const Model& model, double e) {
  Adjustment a;
  a.epsilon = VecX::Constant(model.n_vertices(), e);
  return a;
}

double difference(const Take& a, const Take& b) {
  double d = 0;
  for (size_t i = 0; i < a.u.size(); ++i) d = std::max(d, (a.u[i] - b.u[i]).cwiseAbs().maxCoeff());
  return d;
}

test::BeamOptions options(MaterialModel material = MaterialModel::stable_neo_hookean) {
  test::BeamOptions o{.material = material};
  o.gravity = {0, 0, -9.81};
  return o;
}

}  // namespace

TEST(PolarMotion, AgreesWithDifferencesOfThePolarRotation) {
  // F(t) = F0 + t F1 + t^2/2 F2 around t = 0.
  std::srand(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3 F0 = Mat3::Identity() + 0.4 * Mat3::Random(), F1 = 3 * Mat3::Random(), F2 = 20 * Mat3::Random();
    VecX unused;
    auto R = [&](double t) {
      Eigen::JacobiSVD<Mat3> svd(F0 + t * F1 + t * t / 2 * F2, Eigen::ComputeFullU | Eigen::ComputeFullV);
      return Mat3(svd.matrixU() * svd.matrixV().transpose());
    };
    if (F0.determinant() < 0.2) continue;
    Vec3 spin, turn;
    ASSERT_TRUE(polar_motion(F0, F1, F2, spin, turn));
    const double e = 1e-4;
    const Mat3 R1 = (R(e) - R(-e)) / (2 * e), R2 = (R(e) - 2 * R(0) + R(-e)) / (e * e);
    auto cross = [](const Vec3& w) {
      Mat3 m;
      m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
      return m;
    };
    EXPECT_LT((R1 * R(0).transpose() - cross(spin)).norm(), 1e-5 * (1 + spin.norm()));
    EXPECT_LT((R2 * R(0).transpose() - cross(turn) - cross(spin) * cross(spin)).norm(), 1e-4 * (1 + turn.norm()));
  }
}

TEST(PolarMotion, HasNoneWhereStretchesCancel) {
  Vec3 spin, turn;
  EXPECT_FALSE(polar_motion(Vec3(1, 0.5, -0.5).asDiagonal(), Mat3::Random(), Mat3::Random(), spin, turn));
  EXPECT_FALSE(polar_motion(Mat3::Zero(), Mat3::Random(), Mat3::Random(), spin, turn));
  EXPECT_TRUE(polar_motion(Vec3(1, 0.9, -0.5).asDiagonal(), Mat3::Random(), Mat3::Random(), spin, turn));
}

TEST(Frames, AnInsideOutNeighbourhoodTakesItsNeighboursMotion) {
  const Model model(beam_spec({.nx = 6, .ny = 3, .nz = 3}));
  const VertexFrames frames(*model.elements());
  const int n = model.n_vertices();
  VecX u = VecX::Zero(3 * n), v(3 * n);
  const Vec3 w(1, 2, 3);
  for (int i = 0; i < n; ++i) v.segment<3>(3 * i) = w.cross(model.mesh().vertices[i]);
  EXPECT_EQ(frames.motion(u, v, VecX::Zero(3 * n)).irregular, 0);
  // All that is right of the middle is crushed onto a plane and a line in it.
  for (int i = 0; i < n; ++i)
    if (model.mesh().vertices[i][0] > 0.25)
      u.segment<3>(3 * i) = -Vec3(0, model.mesh().vertices[i][1], model.mesh().vertices[i][2]);
  const FrameMotion m = frames.motion(u, v, VecX::Zero(3 * n));
  EXPECT_GT(m.irregular, 0);
  EXPECT_LT(m.irregular, n);
  EXPECT_TRUE(m.spin.allFinite() && m.turn.allFinite());
  EXPECT_LT(m.spin.cwiseAbs().maxCoeff(), 200);
}

// The residual's derivative along d is what Newton is told beside the (empty) matrix.
TEST(AdjustedForce, LeftOutShareIsItsDerivative) {
  for (MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    test::BeamOptions o;
    o.mass = kind;
    const Model model(beam_spec(o));
    const int n = 3 * model.n_vertices();
    std::srand(7);
    AdjustedForce force(model.mass());
    AdjustedForce::Moment m{.p = VecX::Random(n), .p_rate = VecX::Random(n), .p_accel = VecX::Random(n)};
    m.frames.spin = VecX::Random(n), m.frames.turn = VecX::Random(n);
    m.cancelled = VecX::Random(model.n_vertices());
    force.set(m);
    const VecX u = VecX::Random(n), d = VecX::Random(n), offset = VecX::Random(n), a = VecX::Zero(n);
    const double dv_du = 7;
    auto residual = [&](const VecX& x) {
      const VecX v = dv_du * x + offset;
      VecX r = VecX::Zero(n);
      force.add({x, v, a, dv_du, 49}, {.residual = &r});
      return r;
    };
    const VecX v = dv_du * u + offset;
    VecX product = VecX::Zero(n);
    force.multiply_left_out({u, v, a, dv_du, 49}, d, product);
    EXPECT_LT((residual(u + d) - residual(u) - product).cwiseAbs().maxCoeff(), 1e-12 * product.norm() + 1e-12);
  }
}

// epsilon = 0 with the integrator's own differences and no damping: the flesh only follows.
TEST(AdjustedInertia, EpsilonZeroGivesP) {
  for (MaterialModel material : {MaterialModel::linear, MaterialModel::stvk, MaterialModel::stable_neo_hookean})
    for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2})
      for (const Motion& f : {yanked(), spinning(6), deforming()}) {
        test::BeamOptions o = options(material);
        const Model model(beam_spec(o));
        const Take full = take(model, f, {}, integrator, 24, 2, 1e-10, kFrame, true);
        const Take none = take(model, f, epsilon(model, 0), integrator, 24, 2, 1e-10, kFrame, true);
        // Between the stages of tr-bdf2 p is interpolated: it is an equilibrium to the fifth order of the step only.
        const double share = integrator == Integrator::tr_bdf2 ? 1e-5 : 2e-6;
        EXPECT_LT(none.largest_dynamic(), share * full.largest_dynamic() + 1e-9)
            << name_of(material) << " " << name_of(integrator);
        EXPECT_GT(full.largest_dynamic(), 3e-3);
        EXPECT_EQ(none.retries, 0);
      }
}

// With p interpolated between frames as the product does by default, nearly so.
TEST(AdjustedInertia, EpsilonZeroGivesPWithSplinedStatics) {
  const Model model(beam_spec(options()));
  for (const Motion& f : {spinning(6), deforming()}) {
    const Take full = take(model, f, {}, Integrator::tr_bdf2, 24, 4);
    const Take none = take(model, f, epsilon(model, 0), Integrator::tr_bdf2, 24, 4);
    EXPECT_LT(none.largest_dynamic(), 3e-3 * full.largest_dynamic());
  }
}

TEST(AdjustedInertia, EpsilonOneIsBitEqualToTheUnadjustedRun) {
  const Model model(beam_spec(options()));
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    const Take one = take(model, deforming(), epsilon(model, 1), integrator, 10);
    Stepper plain(model, {.vertices = drive_of(model, deforming())}, {.integrator = integrator, .tolerance = 1e-9});
    State s = plain.start(0, one.start.u, one.start.v);
    for (size_t i = 0; i < one.u.size(); ++i) {
      plain.step(s, kFrame / 2);
      s.t = static_cast<double>(i + 1) * (kFrame / 2);
      EXPECT_TRUE(s.u == one.u[i]) << i;
    }
  }
}

// Close to 0 and to 1 nothing jumps.
TEST(AdjustedInertia, IsContinuousInEpsilon) {
  const Model model(beam_spec(options()));
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2})
    for (const Motion& f : {spinning(6), deforming()}) {
      auto run = [&](double e) { return take(model, f, epsilon(model, e), integrator, 20, 2, 1e-11); };
      const Take one = run(1), zero = run(0);
      EXPECT_LT(difference(run(1 - 1e-9), one), 1e-7 * one.largest_dynamic());
      EXPECT_LT(difference(run(1e-9), zero), 1e-7 * one.largest_dynamic());
    }
}

// A linear model under a translating drive: u - p is epsilon times what it is at 1.
TEST(AdjustedInertia, LinearInEpsilonUnderTranslation) {
  test::BeamOptions o = options(MaterialModel::linear);
  o.parameters.stiffness_damping = 0.004;
  const Model model(beam_spec(o));
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    // Damping acts on u' alone, so what p' does to it is not scaled: it is nothing under translation.
    const Take one = take(model, yanked(), {}, integrator, 30, 2, 1e-11);
    for (double e : {0.5, 2.0}) {
      const Take scaled = take(model, yanked(), epsilon(model, e), integrator, 30, 2, 1e-11);
      double miss = 0;
      for (size_t i = 0; i < one.u.size(); ++i)
        miss = std::max(miss, (scaled.u[i] - scaled.p[i] - e * (one.u[i] - one.p[i])).cwiseAbs().maxCoeff());
      EXPECT_LT(miss, 1e-8 * one.largest_dynamic());
      EXPECT_NEAR(scaled.amplitude, e * one.amplitude, 1e-8 * one.amplitude);
    }
  }
}

// chi = s, mu = s^2, c_k = 1/s on steps h/s: the baseline, sample by sample.
TEST(AdjustedInertia, TimeScalingReproducesTheBaseline) {
  const double s = 1.7;
  for (MaterialModel material : {MaterialModel::stvk, MaterialModel::stable_neo_hookean})
    for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2})
      for (ElementDamping damping : {ElementDamping::viscous, ElementDamping::full}) {
        test::BeamOptions o = options(material);
        o.damping = damping;
        o.parameters.stiffness_damping = 0.004;
        const Model base(beam_spec(o));
        ModelSpec scaled_spec = beam_spec(o);
        for (MaterialParameters& m : scaled_spec.per_tet) {
          m.youngs_modulus *= s * s;
          m.stiffness_damping /= s;
        }
        scaled_spec.gravity *= s * s;
        const Model scaled(scaled_spec);
        const Motion slow = spinning(5), fast = [&](const Vec3&x, double t) { return slow(x, s * t); };
        const Take a = take(base, slow, epsilon(base, 2), integrator, 20, 1, 1e-12, 1.0 / 120, true);
        const Take b = take(scaled, fast, epsilon(scaled, 2), integrator, 20, 1, 1e-12, 1.0 / 120 / s, true);
        EXPECT_LT(difference(a, b), 1e-9 * a.largest_dynamic());
        EXPECT_GT(a.largest_dynamic(), 1e-3);
      }
}

// A bar that spins about one end: rho W^2 L^3 / (3 E) at the tip, epsilon times that with inertia scaled.
TEST(AdjustedInertia, SpinningBarStretchesByEpsilon) {
  test::BeamOptions o;
  o.nx = 12, o.size = Vec3(0.4, 0.06, 0.06);
  o.parameters = {.youngs_modulus = 8e5, .poisson_ratio = 0, .density = 1000, .stiffness_damping = 0.1};
  const Model model(beam_spec(o));
  const double W = 4, L = 0.4, exact = 1000 * W * W * L * L * L / (3 * 8e5);
  const Motion f = [&](const Vec3& x, double t) {
    const double s = std::clamp(t / 0.5, 0.0, 1.0);
    const double angle = W * (0.5 * (s * s * s * s * (2.5 + s * (s - 3))) + std::max(0.0, t - 0.5));
    return Vec3(Eigen::AngleAxisd(angle, Vec3::UnitZ()) * (x - Vec3(0, 0.03, 0.03)));
  };
  for (double e : {0.5, 1.0, 2.0}) {
    const Take t = take(model, f, epsilon(model, e), Integrator::tr_bdf2, 100, 2, 1e-8);
    const VecX& q = t.q.back();
    double tip = 0;
    int count = 0;
    for (int i = 0; i < model.n_vertices(); ++i)
      if (model.mesh().vertices[i][0] > 0.4 - 1e-9) tip += q[3 * i], ++count;
    EXPECT_NEAR(tip / count, e * exact, 0.02 * e * exact) << e;
  }
}

// Gravity at an angle to the spin axis: a static solve without the scaled gravity would show.
TEST(AdjustedInertia, FastSpinsAndLargeEpsilonConverge) {
  test::BeamOptions o = options();
  o.parameters.youngs_modulus = 8e6;
  o.parameters.stiffness_damping = 0.002;
  const Model model(beam_spec(o));
  // 2 |1 - epsilon| W h = 2 * 4 * 20 / 60 > 2: without the non-symmetric share the iteration cannot converge.
  for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    const Take t = take(model, spinning(20), epsilon(model, 5), integrator, 40, 1, 1e-8, kFrame, true);
    EXPECT_EQ(t.retries, 0);
    EXPECT_GT(t.krylov, 0);
    EXPECT_LT(t.newton, 40 * 2 * 8);
    EXPECT_TRUE(t.u.back().allFinite());
  }
}

TEST(AdjustedInertia, EpsilonIsPerVertexAndKeyed) {
  test::BeamOptions o = options(MaterialModel::linear);
  const Model model(beam_spec(o));
  const Take one = take(model, yanked(), {}, Integrator::tr_bdf2, 20);
  // Keys that are 0 throughout: nothing moves beyond p. From 0 to 1 before anything happens: as if there were none.
  Adjustment off;
  off.inertia.keys = {{0, 0}};
  EXPECT_LT(take(model, yanked(), off, Integrator::tr_bdf2, 20).largest_dynamic(), 1e-6 * one.largest_dynamic());
  Adjustment late = off;
  late.inertia.keys = {{-0.2, 0}, {0, 1}};
  EXPECT_LT(difference(take(model, yanked(), late, Integrator::tr_bdf2, 20), one), 1e-7 * one.largest_dynamic());
  // A vertex map of 1 left and 2 right lies between the two constant ones, vertex by vertex of the tip.
  Adjustment half = epsilon(model, 1);
  for (int i = 0; i < model.n_vertices(); ++i) half.epsilon[i] = model.mesh().vertices[i][0] > 0.2 ? 2 : 1;
  const double a = take(model, yanked(), half, Integrator::tr_bdf2, 20).amplitude;
  EXPECT_GT(a, 1.2 * one.amplitude);
  EXPECT_LT(a, 2 * one.amplitude);
}

// Factors over time: held at a constant they equal the model scaled by that constant.
TEST(AdjustedInertia, KeyedFactorsEqualAScaledModel) {
  for (MaterialModel material : {MaterialModel::linear, MaterialModel::stable_neo_hookean}) {
    test::BeamOptions o = options(material);
    o.parameters.stiffness_damping = 0.004;
    const Model base(beam_spec(o));
    ModelSpec spec = beam_spec(o);
    for (MaterialParameters& m : spec.per_tet) m.youngs_modulus *= 1.5, m.stiffness_damping *= 0.7;
    spec.gravity *= 2;
    const Model scaled(spec);
    Adjustment keys;
    keys.stiffness.keys = {{0, 1.5}}, keys.damping.keys = {{0, 0.7}}, keys.gravity.keys = {{0, 2}};
    for (double e : {1.0, 2.0}) {
      keys.epsilon = VecX::Constant(base.n_vertices(), e);
      const Take a = take(scaled, yanked(), epsilon(scaled, e), Integrator::tr_bdf2, 16, 2, 1e-10);
      const Take b = take(base, yanked(), keys, Integrator::tr_bdf2, 16, 2, 1e-10);
      EXPECT_LT(difference(a, b), 1e-7 * a.largest_dynamic());
    }
  }
}

TEST(AdjustedInertia, SameBitsForAnyThreadCount) {
  const Model model(beam_spec({.nx = 12, .ny = 4, .nz = 4, .gravity = Vec3(0, 0, -9.81)}));
  Take reference;
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    const Take t = take(model, spinning(10), epsilon(model, 3), Integrator::tr_bdf2, 6, 1, 1e-6);
    if (threads == 1) reference = t;
    EXPECT_TRUE(t.u.back() == reference.u.back());
  }
  set_thread_count(0);
}

}  // namespace supple
