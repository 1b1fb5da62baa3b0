// Oscillators on a moving bone: exact steps, transfer, dials, and against the whole body in linear elasticity.
#include <gtest/gtest.h>

#include <memory>

#include "solids.h"

namespace supple {
namespace {

using namespace test;

// q'' + 2 d q' + k q = f0 + (f1 - f0) t / h by many small steps of Runge-Kutta.
std::array<double, 2> integrated(double k, double d, double h, double q, double v, double f0, double f1) {
  const int n = 20000;
  const double dt = h / n;
  const auto rate = [&](double t, double x, double y) {
    return std::array<double, 2>{y, f0 + (f1 - f0) * t / h - 2 * d * y - k * x};
  };
  for (int i = 0; i < n; ++i) {
    const double t = i * dt;
    const auto a = rate(t, q, v), b = rate(t + dt / 2, q + dt / 2 * a[0], v + dt / 2 * a[1]);
    const auto c = rate(t + dt / 2, q + dt / 2 * b[0], v + dt / 2 * b[1]),
               e = rate(t + dt, q + dt * c[0], v + dt * c[1]);
    q += dt / 6 * (a[0] + 2 * b[0] + 2 * c[0] + e[0]);
    v += dt / 6 * (a[1] + 2 * b[1] + 2 * c[1] + e[1]);
  }
  return {q, v};
}

TEST(Oscillators, a_step_is_exact_for_any_damping_and_length) {
  const double k = std::pow(2 * kPi * 3, 2), w = std::sqrt(k);
  for (const double d : {0.0, 0.1 * w, 0.999999 * w, w, 1.00001 * w, 4 * w})
    for (const double h : {1e-5, 1e-3, 1.0 / 60, 0.3}) {
      const OscillatorStep s = oscillator_step(k, d, h);
      const auto exact = integrated(k, d, h, 0.3, -2, 40, 90);
      const double q = s.a * 0.3 + s.b * -2 + s.q0 * 40 + s.q1 * 90, v = s.c * 0.3 + s.d * -2 + s.v0 * 40 + s.v1 * 90;
      EXPECT_NEAR(q, exact[0], 1e-9) << d / w << " " << h;
      EXPECT_NEAR(v, exact[1], 1e-7) << d / w << " " << h;
    }
}

// The whole body by small steps of the trapezoidal rule, in the bone's frame: what modes stand for.
class WholeBody {
 public:
  WholeBody(const Solid& solid, double stiffness_damping, double step)
      : solid_(solid),
        damping_(stiffness_damping),
        step_(step),
        stiffness_(free_part(solid, solid.all.stiffness)),
        mass_(free_part(solid, solid.all.mass)),
        solver_(make_solver("auto")) {
    mass_.pattern = stiffness_.pattern;
    BlockMatrix a = mass_;
    a.add(step * step / 4 + step / 2 * damping_, stiffness_);
    solver_->analyse(a.pattern);
    EXPECT_EQ(solver_->factorize(a), FactorStatus::ok);
    u_ = v_ = VecX::Zero(3 * solid.n_free());
  }
  // Load on all nodes at the new time.
  void advance(const VecX& load) {
    const VecX f = solid_.map.restrict_(load);
    if (acceleration_.size() == 0) acceleration_ = VecX::Zero(u_.size());
    const VecX u1 = u_ + step_ * v_ + step_ * step_ / 4 * acceleration_, v1 = v_ + step_ / 2 * acceleration_;
    acceleration_ = solver_->solve(VecX(f - stiffness_.multiply(u1 + damping_ * v1)));
    u_ = u1 + step_ * step_ / 4 * acceleration_;
    v_ = v1 + step_ / 2 * acceleration_;
  }
  VecX u() const { return solid_.map.expand(u_); }
  VecX v() const { return solid_.map.expand(v_); }

 private:
  const Solid& solid_;
  double damping_, step_;
  BlockMatrix stiffness_, mass_;
  std::unique_ptr<LinearSolver> solver_;
  VecX u_, v_, acceleration_;
};

// Displacements of the whole body, every `every` steps; the forces of the frame written out node by node.
std::vector<VecX> whole_response(const Solid& solid, const Vec3& origin, const BoneMotion& m, double stiffness_damping,
                                 int every) {
  WholeBody body(solid, stiffness_damping, m.step);
  std::vector<VecX> out = {body.u()};
  const auto n = static_cast<Eigen::Index>(solid.nodes.size());
  for (size_t t = 1; t < m.size(); ++t) {
    VecX field(3 * n);
    const VecX speed = body.v();
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vec3 r = solid.nodes[i] - origin, &o = m.turning[t];
      field.segment<3>(3 * i) = -(m.acceleration[t] + m.turning_rate[t].cross(r) + o.cross(o.cross(r)) +
                                  2 * o.cross(Vec3(speed.segment<3>(3 * i))));
    }
    body.advance(solid.all.mass.multiply(field));
    if (t % static_cast<size_t>(every) == 0) out.push_back(body.u());
  }
  return out;
}

TEST(Oscillators, the_error_against_the_whole_body_falls_with_modes) {
  const Solid solid = make_solid(belly(4));
  const Vec3 origin(0, 0.05, -0.15);
  ModalAnalysis analysis(solid, origin);
  const ModalBasis all = analysis.modes(20);
  const double damping = 2 * std::log(2.0) / (0.2 * all.squares[0]), step = 1.0 / 960;
  for (const Moves& moves : {yank(), spin()}) {
    const BoneMotion motion = sampled(moves, step, 1200);
    const std::vector<VecX> whole = whole_response(solid, origin, motion, damping, 24);
    double last = 1e9;
    for (const int k : {2, 6, 20}) {
      std::vector<int> kept;
      for (int i = 0; i < k; ++i) kept.push_back(i);
      for (const bool corrected : {false, true}) {
        const ModalBasis basis = analysis.corrected(all, kept, corrected ? 0 : 1e9);
        const MatX q =
            respond(make_oscillators(solid, basis, {.origin = origin}, damping, 0), motion, {.settled = false});
        double error = 0, size = 0;
        for (size_t f = 0; f < whole.size(); ++f) {
          const VecX u = basis.shapes * q.row(static_cast<Eigen::Index>(24 * f)).transpose();
          error += (u - whole[f]).squaredNorm(), size += whole[f].squaredNorm();
        }
        error = std::sqrt(error / size);
        if (corrected) {
          EXPECT_LT(error, last) << k;
          last = error;
          if (k == 20) {
            EXPECT_LT(error, 0.02);
          }
          RecordProperty("corrected_" + std::to_string(k), std::to_string(error));
        } else if (k == 20) {
          EXPECT_LT(error, 0.12);  // and without corrections far more is missing
        }
      }
    }
  }
}

TEST(Oscillators, turning_rate_and_acceleration_come_out_of_poses) {
  // A bone on a wheel: known twist in its own axes.
  const double rate = 3, radius = 0.7;
  const Moves wheel = {
      .place = [&](double t) { return Vec3(radius * std::cos(rate * t), 0, -radius * std::sin(rate * t)); },
      .axes = [&](double t) { return turn(Vec3::UnitY(), rate * t); }};
  const BoneMotion m = sampled(wheel, 1.0 / 480, 200);
  EXPECT_LT((m.turning[100] - Vec3(0, rate, 0)).norm(), 1e-6);
  EXPECT_LT(m.turning_rate[100].norm(), 1e-5);
  EXPECT_LT((m.acceleration[100] - Vec3(-rate * rate * radius, 0, 0)).norm(), 1e-5);
}

struct Ring {
  double frequency = 0, half_life = 0, peak = 0;
};
// From zero crossings and peaks of what is left after the motion.
Ring ring_of(const VecX& q, double step, double from) {
  Ring r;
  r.peak = q.cwiseAbs().maxCoeff();
  std::vector<double> crossings, tops, heights;
  for (auto i = static_cast<Eigen::Index>(from / step); i + 2 < q.size(); ++i) {
    if (q[i] < 0 && q[i + 1] >= 0) crossings.push_back((i + q[i] / (q[i] - q[i + 1])) * step);
    if (q[i + 1] > q[i] && q[i + 1] >= q[i + 2]) {
      const double c = (q[i] - 2 * q[i + 1] + q[i + 2]) / 2, b = (q[i + 2] - q[i]) / 2;
      tops.push_back((i + 1 - b / (2 * c)) * step), heights.push_back(q[i + 1] - b * b / (4 * c));
    }
  }
  const size_t n = crossings.size() - 1;
  r.frequency = static_cast<double>(n) / (crossings[n] - crossings[0]);
  r.half_life = std::log(2.0) * (tops[4] - tops[0]) / std::log(heights[0] / heights[4]);
  return r;
}

TEST(Oscillators, each_dial_does_what_it_says_and_nothing_else) {
  const Solid solid = make_solid(belly(3));
  ModalAnalysis analysis(solid, Vec3::Zero());
  const ModalBasis basis = analysis.corrected(analysis.modes(4), {0}, 1e9);
  const double damping = 2 * std::log(2.0) / (0.4 * basis.squares[0]);
  const Oscillators o = make_oscillators(solid, basis, {}, damping, 0);
  const double step = 1.0 / 2000;
  // From one sample to the next it is under way.
  const BoneMotion hop =
      sampled({.place = [](double t) { return Vec3(Vec3(0.2, 0.2, 0) * std::max(0.0, t - 0.01)); }}, step, 4000);
  const Vec3 gravity(0, -9.81, 0);
  const auto run = [&](const LiveDials& dials) {
    return VecX(respond(o, hop, {.dials = dials, .gravity = gravity}).col(0));
  };
  const auto hung = [&](const LiveDials& dials) { return run(dials)[0]; };
  const auto departure = [&](const LiveDials& dials) { return VecX((run(dials).array() - hung(dials)).matrix()); };
  const Ring base = ring_of(departure({}), step, 0.05);
  const double expected = std::sqrt(basis.squares[0] - std::pow(o.decay[0], 2)) / (2 * kPi);
  EXPECT_NEAR(base.frequency / expected, 1, 1e-4);
  EXPECT_NEAR(base.half_life / 0.4, 1, 1e-4);
  const auto undamped = [](const Ring& r) { return std::hypot(r.frequency, std::log(2.0) / r.half_life / (2 * kPi)); };
  const Ring fast = ring_of(departure({.frequency = 2}), step, 0.05);
  EXPECT_NEAR(undamped(fast) / undamped(base), 2, 0.002);
  EXPECT_NEAR(fast.half_life / base.half_life, 1, 1e-3);
  EXPECT_NEAR(fast.peak / base.peak, 1, 0.08);  // damping takes some of the first swing, more of a slow one
  EXPECT_NEAR(hung({.frequency = 2}) / hung({}), 1, 1e-9);
  const Ring more = ring_of(departure({.amplitude = 3}), step, 0.05);
  EXPECT_NEAR(more.peak / base.peak, 3, 1e-6);
  EXPECT_NEAR(more.frequency / base.frequency, 1, 1e-9);
  EXPECT_NEAR(hung({.amplitude = 3}) / hung({}), 1, 1e-9);
  EXPECT_NEAR(hung({.sag = 2}) / hung({}), 2, 1e-9);
  EXPECT_LT((departure({.sag = 2}) - departure({})).cwiseAbs().maxCoeff(), 1e-9 * base.peak);
  const Ring longer = ring_of(departure({.half_life = 2}), step, 0.05);
  EXPECT_NEAR(longer.half_life / base.half_life, 2, 2e-3);
  EXPECT_NEAR(undamped(longer) / undamped(base), 1, 1e-3);
  // A long push instead of a jolt: the lean stays while the speed changes.
  const BoneMotion push = sampled({.place = [](double t) { return Vec3(0, 0.5 * 3 * t * t, 0); }}, step, 12000, true);
  const auto lean = [&](const LiveDials& dials) { return respond(o, push, {.dials = dials})(11000, 0); };
  EXPECT_NEAR(lean({.frequency = 2, .sustained = true}) / lean({}), 1, 1e-3);
  EXPECT_NEAR(lean({.frequency = 2}) / lean({}), 0.5, 1e-3);
}

TEST(Oscillators, flesh_lags_behind_its_bone) {
  const Solid solid = make_solid(belly(3));
  ModalAnalysis analysis(solid, Vec3::Zero());
  const ModalBasis basis = analysis.corrected(analysis.modes(6), {0, 1, 2, 3, 4, 5});
  const Oscillators o = make_oscillators(solid, basis, {}, 0.005, 0);
  const BoneMotion m = sampled({.place = [](double t) { return Vec3(3 * t * t, 0, 0); }}, 1.0 / 480, 480);
  const VecX u = basis.shapes * respond(o, m, {.settled = false}).row(400).transpose();
  double mean = 0;
  for (Eigen::Index i = 0; i < u.size(); i += 3) mean += u[i];
  EXPECT_LT(mean, 0);
}

}  // namespace
}  // namespace supple
