// Flesh about a drawn shape, stepped through time: what must hold however the shape was drawn.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/anim/track_views.h"
#include "supple/inertia/simulation.h"
#include "tests/support/beam.h"

namespace supple::drawn_reference_test {

namespace {

constexpr double kFrame = 1.0 / 24;
constexpr int kSubsteps = 3;
const Vec3 kCentre(0, 0.06, 0.04);

// A body of some 2.5 Hz, damped, under gravity.
Model soft_beam(double damping = 0.02, MaterialModel material = MaterialModel::stable_neo_hookean) {
  test::BeamOptions o{.nx = 4, .ny = 1, .nz = 1, .material = material};
  o.parameters = {.youngs_modulus = 1.2e5, .poisson_ratio = 0.4, .density = 1000, .stiffness_damping = damping};
  o.gravity = {0, 0, -9.81};
  return Model(test::beam_spec(o));
}
constexpr double kThickness = 0.08;

// Where the whole beam is drawn at t: x of rest to x(t).
using Drawing = std::function<Vec3(const Vec3& rest, double t)>;

std::shared_ptr<const Track> drawn(const Model& model, const Drawing& f, std::vector<double> cuts = {}) {
  class Drawn : public Track {
   public:
    Drawn(Points rest, Drawing f, std::vector<double> cuts)
        : rest_(std::move(rest)), f_(std::move(f)), cuts_(std::move(cuts)) {}
    int n_points() const override { return static_cast<int>(rest_.size()); }
    double duration() const override { return 1e9; }
    std::vector<double> cuts() const override { return cuts_; }
    VecX at(double t, int derivative) const override {
      const double e = 1e-4;
      VecX x(3 * static_cast<Eigen::Index>(rest_.size()));
      for (size_t i = 0; i < rest_.size(); ++i) {
        const auto place = [&](double s) { return f_(rest_[i], s); };
        // Differences stay on one side of every cut.
        double middle = t;
        for (double cut : cuts_)
          if (std::abs(t - cut) <= e) middle = t < cut - 1e-9 ? cut - 2 * e : cut + e;
        const Vec3 slope = (place(middle + e) - place(middle - e)) / (2 * e);
        x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
            derivative == 0   ? place(t)
            : derivative == 1 ? slope
                              : Vec3((place(middle + e) - 2 * place(middle) + place(middle - e)) / (e * e));
      }
      return x;
    }

   private:
    Points rest_;
    Drawing f_;
    std::vector<double> cuts_;
  };
  return std::make_shared<Drawn>(model.mesh().vertices, f, std::move(cuts));
}

SimulationSpec about(const Model& model, std::shared_ptr<const Track> shape, double epsilon, double seconds,
                     Integrator integrator = Integrator::tr_bdf2) {
  SimulationSpec spec;
  spec.drive.vertices = some_points(shape, model.spec().driven);
  spec.drive.shape = std::move(shape);
  spec.adjustment.epsilon = VecX::Constant(model.n_vertices(), epsilon);
  spec.stepper = {.integrator = integrator, .tolerance = 1e-9};
  spec.frame = kFrame, spec.substeps = kSubsteps, spec.t_end = seconds;
  return spec;
}

// Departures, step by step.
std::vector<VecX> departures(const Model& model, const SimulationSpec& spec, const VecX& first = {}) {
  Simulation s(model, spec);
  s.start(true);
  if (first.size() > 0) s.start_at(spec.t_start, s.p() + first, s.state().v);
  std::vector<VecX> d;
  const long steps = std::lround((spec.t_end - spec.t_start) / s.step_length());
  for (long k = 0; k < steps; ++k) {
    s.step();
    d.push_back(s.state().u - s.p());
  }
  return d;
}

double largest(const std::vector<VecX>& d) {
  double most = 0;
  for (const VecX& x : d) most = std::max(most, largest_move(x));
  return most;
}

// A fist's fold: the far half is drawn back through the near one and turned inside out, and all of it turns.
Drawing folding(double pace = 3) {
  return [=](const Vec3& x, double t) {
    const double s = 0.5 - 0.5 * std::cos(pace * t);
    Vec3 y = x;
    if (x.x() > 0.2) y.x() = 0.2 + (x.x() - 0.2) * (1 - 1.8 * s);
    y.z() += 0.15 * s * x.x();
    return Vec3(Eigen::AngleAxisd(0.7 * std::sin(pace * t), Vec3(0.2, 1, 0.4).normalized()) * (y - kCentre) + kCentre +
                Vec3(0.3 * std::sin(2 * pace * t), 0, 0.1 * t));
  };
}

Drawing shaken(double size = 0.02, double hz = 1.5) {
  return [=](const Vec3& x, double t) { return Vec3(x + size * std::sin(2 * M_PI * hz * t) * Vec3(0, 0.6, 1)); };
}

Drawing spun(double rate) {
  return [=](const Vec3& x, double t) {
    const double angle = rate * (t < 0.5 ? t * t : t - 0.25);
    return Vec3(Eigen::AngleAxisd(angle, Vec3(0.1, 0.2, 1).normalized()) * (x - kCentre) + kCentre);
  };
}

TEST(DrawnReference, AmountZeroIsStillThoughTetsAreFolded) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) {
    const Model model = soft_beam();
    const auto d = departures(model, about(model, drawn(model, folding()), 0, 1, integrator));
    EXPECT_LT(largest(d), 1e-9);
  }
}

TEST(DrawnReference, APoseThatIsHeldIsStill) {
  const Model model = soft_beam();
  const Drawing held = [](const Vec3& x, double) { return folding()(x, 1.1); };
  EXPECT_LT(largest(departures(model, about(model, drawn(model, held), 1, 1))), 1e-9);
}

TEST(DrawnReference, EpsilonOneIsPlainStepping) {
  const Model model = soft_beam();
  const SimulationSpec spec = about(model, drawn(model, folding()), 1, 1);
  const auto d = departures(model, spec);
  // The same body without a driver: its forces about the drawn shape, its weight carried, all inertia.
  Stepper plain(model, spec.drive, spec.stepper);
  State s = plain.start(0, spec.drive.shape->at(0) - flatten(model.mesh().vertices), spec.drive.shape->at(0, 1));
  for (const VecX& expected : d) {
    plain.step(s, kFrame / kSubsteps);
    const VecX there = spec.drive.shape->at(s.t) - flatten(model.mesh().vertices);
    EXPECT_LT(largest_move(s.u - there - expected), 1e-7);
  }
  EXPECT_GT(largest(d), 0.01);
}

TEST(DrawnReference, DepartsInProportionToItsInertia) {
  const Model model = soft_beam();
  const auto track = drawn(model, shaken(0.05));
  const auto at = [&](double epsilon) { return largest(departures(model, about(model, track, epsilon, 2))); };
  const double one = at(0.1) / 0.1;
  EXPECT_GT(at(1), 0.3 * kThickness);
  for (double epsilon : {0.3, 1.0}) EXPECT_NEAR(at(epsilon) / epsilon, one, 0.1 * one) << epsilon;
}

TEST(DrawnReference, ALongFastSpinStaysNear) {
  const Model model = soft_beam();
  SimulationSpec spec = about(model, drawn(model, spun(25)), 0.02, 3);
  spec.adjustment.own_epsilon = spec.adjustment.epsilon;
  spec.adjustment.swing_rate = VecX::Constant(model.n_vertices(), 2 * M_PI * 2.6);
  EXPECT_LT(largest(departures(model, spec)), 0.15 * kThickness);
  // Were turning left to the flesh it would be thrown out.
  spec.adjustment.own_epsilon.setOnes();
  spec.adjustment.swing_rate.setConstant(1e6);
  EXPECT_GT(largest(departures(model, spec)), kThickness);
}

TEST(DrawnReference, AMarkedCutChangesNothing) {
  const Model model = soft_beam();
  const double cut = 0.61;  // within a step
  const Drawing leaping = [=](const Vec3& x, double t) {
    return Vec3(shaken()(x, t) + (t >= cut - 1e-9 ? Vec3(5, 0, 2) : Vec3(0, 0, 0)));
  };
  // The same cut without a leap: its steps are the same.
  const auto stays = departures(model, about(model, drawn(model, shaken(), {cut}), 1, 1.5));
  const auto leaps = departures(model, about(model, drawn(model, leaping, {cut}), 1, 1.5));
  ASSERT_EQ(stays.size(), leaps.size());
  for (size_t k = 0; k < stays.size(); ++k) EXPECT_LT(largest_move(stays[k] - leaps[k]), 1e-9) << k;
  const auto whole = departures(model, about(model, drawn(model, shaken()), 1, 1.5));
  for (size_t k = 0; k < stays.size(); ++k) EXPECT_LT(largest_move(stays[k] - whole[k]), 0.02 * largest(whole)) << k;
}

// The pose changes over the cut: flesh takes its departure along, and the new pose is no kick.
TEST(DrawnReference, ACutToAnotherPoseIsNoKick) {
  const Model model = soft_beam();
  const double cut = 0.5;
  const Drawing changes = [=](const Vec3& x, double t) {
    return t < cut - 1e-9 ? x : Vec3(folding()(x, 1.0) + Vec3(3, 0, 0));
  };
  EXPECT_LT(largest(departures(model, about(model, drawn(model, changes, {cut}), 1, 1.5))), 1e-9);
}

TEST(DrawnReference, OnlyAnotherSagThanTheDrawnOneHangs) {
  const Model model = soft_beam();
  const auto track = drawn(model, [](const Vec3& x, double) { return x; });
  const auto hangs = [&](double sag) {
    SimulationSpec spec = about(model, track, 1, 3);
    spec.drive.carried = model.gravity_force() / sag;  // the model's gravity is what the dial made of it
    const std::vector<VecX> all = departures(model, spec);
    const VecX& d = all.back();
    double z = 0;
    for (Eigen::Index i = 2; i < d.size(); i += 3) z = std::abs(d[i]) > std::abs(z) ? d[i] : z;
    // From the first step on: it does not fall there.
    EXPECT_LT(largest_move(all.front() - d), std::max(0.01 * std::abs(z), 1e-9)) << sag;
    return z;
  };
  EXPECT_LT(std::abs(hangs(1)), 1e-9);
  EXPECT_LT(hangs(1.5), -0.01 * kThickness);
  EXPECT_GT(hangs(0.75), 0.01 * kThickness);
}

// A gradient of shapes that changes does work; none that makes a body swing ever more.
TEST(DrawnReference, PluckedFleshSettlesOnEveryLoop) {
  for (const double damping : {0.01, 0.03}) {
    const Model model = soft_beam(damping);
    VecX first = VecX::Zero(3 * model.n_vertices());
    for (int v = 0; v < model.n_vertices(); ++v) {
      const double x = model.mesh().vertices[static_cast<size_t>(v)].x() / 0.4;
      first.segment<3>(3 * v) = 0.1 * kThickness * x * x * Vec3(0, 0, 1);
    }
    // Loops about the rhythm of the flesh, 2.6 Hz, at it and at twice it.
    for (const double hz : {0.6, 1.3, 2.6, 5.2})
      for (const bool folds : {false, true}) {
        const Drawing motion = folds ? folding(2 * M_PI * hz) : shaken(0.03, hz);
        const Drawing periodic = [=](const Vec3& x, double t) {
          return Vec3(motion(x, t) - (folds ? Vec3(0, 0, 0.1 * t) : Vec3(0, 0, 0)));
        };
        const auto d = departures(model, about(model, drawn(model, periodic), 0, 4), first);
        const auto period = static_cast<size_t>(std::ceil(kSubsteps / kFrame / std::min(hz, 1.0)));
        double before = largest({d.begin(), d.begin() + static_cast<long>(period)});
        for (size_t k = period; k + period <= d.size() && before > 1e-6; k += period) {
          const double now = largest({d.begin() + static_cast<long>(k), d.begin() + static_cast<long>(k + period)});
          EXPECT_LT(now, before) << hz << " Hz, folds " << folds << ", step " << k;
          before = now;
        }
        EXPECT_LT(before, 0.3 * 0.1 * kThickness) << hz << " Hz, folds " << folds;
      }
  }
}

// The root of a character may be scaled or mirrored.
TEST(DrawnReference, TheScaleOfTheRootDoesNotMatter) {
  test::BeamOptions o;
  o.parameters = {.youngs_modulus = 1.2e5, .poisson_ratio = 0.4, .density = 1000, .stiffness_damping = 0.02};
  const Model model(test::beam_spec(o));
  const auto d = departures(model, about(model, drawn(model, spun(3)), 0.3, 1));
  EXPECT_GT(largest(d), 0.02 * kThickness);
  for (const double scale : {100.0, -1.0}) {
    const Drawing scaled = [=](const Vec3& x, double t) { return Vec3(scale * spun(3)(x, t)); };
    const auto there = departures(model, about(model, drawn(model, scaled), 0.3, 1));
    for (size_t k = 0; k < d.size(); ++k)
      EXPECT_LT(largest_move(there[k] - scale * d[k]), 1e-4 * std::abs(scale) * largest(d)) << scale << ", " << k;
  }
}

}  // namespace
}  // namespace supple::drawn_reference_test
