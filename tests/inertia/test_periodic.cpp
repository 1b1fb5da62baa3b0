// The periodic response against the long run, and starts without a pop.
#include "supple/inertia/periodic.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "supple/anim/loop_track.h"
#include "supple/anim/track_views.h"
#include "supple/base/error.h"
#include "supple/inertia/settle.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

using Motion = std::function<Vec3(const Vec3&, double)>;
constexpr double kFilmFrame = 1.0 / 24;
constexpr double kTurn = 2 * M_PI;

std::vector<VecX> clip(const Model& model, const Motion& f, int n, double first_frame = 0) {
  std::vector<VecX> samples;
  for (int k = 0; k < n; ++k) {
    Points x;
    for (int v : model.spec().driven) x.push_back(f(model.mesh().vertices[v], (first_frame + k) * kFilmFrame));
    samples.push_back(flatten(x));
  }
  return samples;
}

// A soft beam with a long half-life beside its period.
Model beam(MaterialModel material, double damping, const Vec3& gravity = Vec3::Zero()) {
  test::BeamOptions o{.nx = 4, .ny = 1, .nz = 1, .material = material};
  o.parameters.youngs_modulus = 6e4;
  o.parameters.stiffness_damping = damping;
  o.gravity = gravity;
  return Model(test::beam_spec(o));
}

SimulationSpec spec_of(std::shared_ptr<const Track> track, int frames, int substeps = 2) {
  return {.drive = {.vertices = std::move(track)},
          .adjustment = {},
          .stepper = {.tolerance = 1e-9},
          .frame = kFilmFrame,
          .substeps = substeps,
          .t_end = frames * kFilmFrame};
}

Vec3 shaken(const Vec3& x, double t) {
  return x + Vec3(0, 0.02 * std::sin(kTurn * t + 0.3), 0.01 * std::cos(2 * kTurn * t));
}
const Mat3 kLap = Eigen::AngleAxisd(0.8, Vec3::UnitY()).toRotationMatrix();
// Around a circle of some metres, shaken on the way.
Vec3 on_a_lap(const Vec3& x, double t) {
  return Eigen::AngleAxisd(0.8 * t, Vec3::UnitY()) * (shaken(x, t) + Vec3(2, 0, 0)) + t * Vec3(0, 0.3, 0);
}

struct Loop {
  std::shared_ptr<const Track> track;
  RigidMotion carry;
  int frames;
};
Loop loop_of(const Model& model, const Motion& f, int n = 25) {
  const auto samples = clip(model, f, n);
  const Seam seam = find_seam(samples, kFilmFrame);
  EXPECT_EQ(seam.kind, Seam::Kind::closed) << describe(seam);
  return {make_looped_track(samples, kFilmFrame, seam.carry), seam.carry, n - 1};
}

void run_period(Simulation& s, int frames) {
  for (int i = 0; i < frames * s.spec().substeps; ++i) s.step();
}

VecX carried_back(const Simulation& s, const RigidMotion& carry, int n) {
  return carried(s.state(), s.model().mesh().vertices, power(carry, -n)).u;
}

double rms(const VecX& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size() / 3)); }

}  // namespace

// What a hundred and twenty periods come to by themselves is found in a few.
TEST(Periodic, IsTheSteadyStateOfTheLongRun) {
  for (MaterialModel material : {MaterialModel::linear, MaterialModel::stable_neo_hookean}) {
    const Model model = beam(material, 4e-3);
    const Loop loop = loop_of(model, shaken);
    Simulation long_run(model, spec_of(loop.track, loop.frames));
    long_run.start(false);
    for (int c = 0; c < 119; ++c) run_period(long_run, loop.frames);
    const VecX before = long_run.state().u - long_run.p();
    run_period(long_run, loop.frames);
    const VecX steady = long_run.state().u - long_run.p();
    ASSERT_LT(rms(steady - before), 1e-4 * rms(steady));  // it has come to an end

    Simulation s(model, spec_of(loop.track, loop.frames));
    const PeriodicResponse r = find_periodic(s, {.frames = loop.frames, .carry = loop.carry});
    EXPECT_TRUE(r.closed);
    EXPECT_LE(r.closing_error, 1e-3);
    EXPECT_TRUE(r.fade.empty());
    EXPECT_LT(rms(s.state().u - s.p() - steady), 1e-3 * rms(steady)) << r.periods;
    EXPECT_EQ(s.steps_done(), 0);
    EXPECT_EQ(s.amplitude().time, 0);
    run_period(s, loop.frames);
    EXPECT_LT(rms(s.state().u - s.p() - steady), 1e-3 * rms(steady));

    // Plain repetition does not get there in that time.
    Simulation plain(model, spec_of(loop.track, loop.frames));
    const PeriodicResponse slow =
        find_periodic(plain, {.frames = loop.frames, .carry = loop.carry, .max_periods = r.periods, .mixed = 1});
    EXPECT_FALSE(slow.closed);
    EXPECT_GT(slow.closing_error, 3 * r.closing_error);
  }
}

// A lap of a circle, with gravity along its axis and adjusted inertia: closed as seen from the body.
TEST(Periodic, TravelsAndTurns) {
  const Model model = beam(MaterialModel::stable_neo_hookean, 8e-3, {0, -9.81, 0});
  const Loop loop = loop_of(model, on_a_lap);
  EXPECT_LT((loop.carry.R - kLap).norm(), 1e-12);
  for (double epsilon : {1.0, 2.0}) {
    SimulationSpec spec = spec_of(loop.track, loop.frames);
    spec.adjustment.epsilon = VecX::Constant(model.n_vertices(), epsilon);
    Simulation s(model, spec);
    const PeriodicResponse r = find_periodic(s, {.frames = loop.frames, .carry = loop.carry});
    ASSERT_TRUE(r.closed) << epsilon << " " << r.periods << " " << r.closing_error;
    const VecX u0 = s.state().u, q0 = s.q(), p0 = s.p();
    run_period(s, loop.frames);
    EXPECT_LT(rms(s.q() - q0), 1e-3 * s.amplitude().time_mean()) << epsilon;
    EXPECT_LT(rms(carried_back(s, loop.carry, 1) - u0), 1e-3 * s.amplitude().time_mean());
    EXPECT_GT(rms(s.p() - p0), 0.5);  // it did go somewhere
  }
}

// Without damping and in too few periods nothing closes: the fade does, in place and in speed.
TEST(Periodic, FadesWhereNothingCloses) {
  const Model model = beam(MaterialModel::stable_neo_hookean, 0, {0, -9.81, 0});
  const Loop loop = loop_of(model, on_a_lap);
  Simulation s(model, spec_of(loop.track, loop.frames));
  const PeriodicResponse r = find_periodic(s, {.frames = loop.frames, .carry = loop.carry, .max_periods = 2});
  ASSERT_FALSE(r.closed);
  EXPECT_GT(r.closing_error, 0.1);
  ASSERT_EQ(r.fade.q.size(), 7u);
  std::vector<VecX> shown = {r.fade.shown(s, 0)}, own = {s.state().u};
  for (int f = 1; f <= loop.frames; ++f) {
    run_period(s, 1);
    shown.push_back(r.fade.shown(s, f));
    own.push_back(s.state().u);
  }
  const VecX at_rest = flatten(model.mesh().vertices);
  const auto next = [&](const VecX& u) { return VecX(carried(loop.carry, VecX(at_rest + u)) - at_rest); };
  const double apart = (own.back() - next(own[0])).cwiseAbs().maxCoeff();
  EXPECT_GT(apart, 1e-3);
  EXPECT_LT((shown.back() - next(shown[0])).cwiseAbs().maxCoeff(), 1e-6 * apart);
  for (int f = 0; f <= loop.frames - 6; ++f) EXPECT_EQ(shown[static_cast<size_t>(f)], own[static_cast<size_t>(f)]);
  // The second difference over the seam is no larger than those of the motion itself.
  const auto bend = [](const VecX& a, const VecX& b, const VecX& c) { return (a - 2 * b + c).cwiseAbs().maxCoeff(); };
  double usual = 0;
  for (size_t f = 1; f + 1 < own.size(); ++f) usual = std::max(usual, bend(own[f - 1], own[f], own[f + 1]));
  const size_t last = shown.size() - 1;
  EXPECT_LT(bend(shown[last - 1], shown[last], next(shown[1])), 1.2 * usual);
  // What is driven stays driven.
  const int v = model.spec().driven[0];
  EXPECT_LT((shown[last - 1] - own[last - 1]).segment<3>(3 * v).norm(), 1e-12);
}

namespace {

// A slab on a plate, soft and less soft along its length: it swings in many places, each at its own rate.
Model patchy_slab(double half_life) {
  test::BeamOptions o{.nx = 16, .ny = 2, .nz = 2, .size = Vec3(1.2, 0.15, 0.15)};
  const double slowest = kTurn * 2;
  o.parameters = {.youngs_modulus = 4e3, .poisson_ratio = 0.4, .density = 1000};
  o.parameters.stiffness_damping = 2 * std::log(2) / half_life / (slowest * slowest);
  ModelSpec spec = test::beam_spec(o);
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x.y() < 1e-9; });
  for (size_t t = 0; t < spec.mesh.tets.size(); ++t) {
    const double x = spec.mesh.vertices[spec.mesh.tets[t][0]].x();
    spec.per_tet[t].youngs_modulus *= std::array{1.0, 3.3, 1.5, 4.5, 2.2, 1.2, 1.2}[static_cast<size_t>(x / 0.2)];
  }
  return Model(spec);
}
// All its vertices as drawn: shaken, and rocked.
std::shared_ptr<const Track> drawn_slab(const Model& model, int n) {
  std::vector<VecX> samples;
  for (int k = 0; k < n; ++k) {
    const double s = kTurn * k / (n - 1);
    Points x = model.mesh().vertices;
    for (Vec3& y : x)
      y = Eigen::AngleAxisd(0.2 * std::sin(s), Vec3::UnitZ()) *
          (y + Vec3(0.03 * std::sin(s + 0.3), 0.02 * std::cos(2 * s), 0.03 * std::cos(s + 2 * y.x())));
    samples.push_back(flatten(x));
  }
  return make_looped_track(samples, kFilmFrame, {});
}
SimulationSpec about_drawn(const Model& model, std::shared_ptr<const Track> shape, int frames) {
  SimulationSpec spec = spec_of(some_points(shape, model.spec().driven), frames);
  spec.drive.shape = std::move(shape);
  spec.stepper.tolerance = 1e-7;
  return spec;
}

}  // namespace

// Weights of every place and rates beside differences: short periods, long half-lives and many places at once.
TEST(Periodic, ManyPlacesAtOnce) {
  const Model model = patchy_slab(0.6);
  const int frames = 17;
  const auto error_after = [&](int mixed) {
    Simulation s(model, about_drawn(model, drawn_slab(model, frames + 1), frames));
    return find_periodic(s, {.frames = frames, .max_periods = 5, .mixed = mixed}).closing_error;
  };
  const double plain = error_after(1), mixed = error_after(3);
  EXPECT_LT(mixed, 0.25 * plain) << mixed << " " << plain;
}

// The period that closes is the one that is recorded: its steps are handed out, and it goes on from there.
TEST(Periodic, RemembersWhatItRan) {
  const Model model = patchy_slab(0.15);
  const int frames = 24;
  const SimulationSpec spec = about_drawn(model, drawn_slab(model, frames + 1), frames);
  Simulation s(model, spec);
  const PeriodicResponse r = find_periodic(s, {.frames = frames, .max_periods = 4});
  ASSERT_TRUE(r.closed);
  EXPECT_TRUE(r.fade.empty());
  EXPECT_LE(r.periods, 3);
  const long solved = s.steps_taken();
  EXPECT_EQ(solved, r.periods * frames * spec.substeps);
  const VecX first = s.q();
  // Once more, solved for from the same start.
  Simulation again(model, spec);
  again.start(true);
  again.start_with(r.start);
  double largest = 0;
  for (int k = 0; k < frames * spec.substeps; ++k) {
    s.step(), again.step();
    largest = std::max(largest, s.q().cwiseAbs().maxCoeff());
    EXPECT_LT((s.q() - again.q()).cwiseAbs().maxCoeff(), 1e-5 * model.size()) << k;
  }
  EXPECT_EQ(s.steps_taken(), solved);
  EXPECT_EQ(s.steps_done(), again.steps_done());
  EXPECT_NEAR(s.amplitude().time_mean(), again.amplitude().time_mean(), 1e-3 * again.amplitude().time_mean());
  EXPECT_LT(rms(s.q() - first), 1e-3 * s.amplitude().time_mean());
  // Beyond the period it is solved for as ever; a mark within it leads back there.
  const Simulation::Mark end = s.mark();
  s.step();
  EXPECT_EQ(s.steps_taken(), solved + 1);
  s.rewind(end);
  EXPECT_EQ(s.steps_done(), frames * spec.substeps);
  EXPECT_LT(largest, 0.2);
}

// A remembered period that does not close: its own last frames, moved, lead to its first, in place and in pace.
TEST(Periodic, WhatItRememberedFades) {
  const Model model = patchy_slab(0.6);
  const int frames = 17;
  Simulation s(model, about_drawn(model, drawn_slab(model, frames + 1), frames));
  const PeriodicResponse r = find_periodic(s, {.frames = frames, .max_periods = 2});
  ASSERT_FALSE(r.closed);
  ASSERT_FALSE(r.fade.empty());
  std::vector<VecX> shown, own;
  for (int f = 0; f <= frames; ++f) {
    const VecX p = s.p();
    shown.push_back(r.fade.shown(s, f) - p);
    own.push_back(s.state().u - p);
    if (f < frames) run_period(s, 1);
  }
  const auto most = [](const VecX& x) { return x.cwiseAbs().maxCoeff(); };
  const double apart = most(own.back() - own[0]);
  EXPECT_GT(apart, 1e-4);
  EXPECT_LT(most(shown.back() - shown[0]), 1e-9 * apart + 1e-12);
  const auto bend = [](const VecX& a, const VecX& b, const VecX& c) { return VecX(a - 2 * b + c); };
  double usual = 0;
  for (size_t f = 1; f + 1 < own.size(); ++f) usual = std::max(usual, most(bend(own[f - 1], own[f], own[f + 1])));
  const size_t last = shown.size() - 1;
  EXPECT_LT(most(bend(shown[last - 1], shown[last], shown[1])), 1.2 * usual);
}

TEST(Periodic, CanBeStopped) {
  const Model model = beam(MaterialModel::linear, 4e-3);
  const Loop loop = loop_of(model, shaken);
  Simulation s(model, spec_of(loop.track, loop.frames));
  int left = 60;
  EXPECT_THROW(
      find_periodic(s, {.frames = loop.frames, .carry = loop.carry}, {.cancelled = [&] { return --left < 0; }}),
      Cancelled);
}

// A clip that begins at full, uniform speed: the flesh is in equilibrium from the first frame to the last.
TEST(MovingStart, OfAUniformMotionHasNoPop) {
  for (double epsilon : {1.0, 1.5}) {
    const Model model = beam(MaterialModel::stable_neo_hookean, 2e-3, {0, -9.81, 0});
    const Motion glide = [](const Vec3& x, double t) { return Vec3(x + t * Vec3(3, 0, 1)); };
    const auto samples = clip(model, glide, 30);
    SimulationSpec spec = spec_of(make_sampled_track(samples, kFilmFrame, TrackStart::moving), 24);
    spec.adjustment.epsilon = VecX::Constant(model.n_vertices(), epsilon);
    Simulation moving(model, spec);
    moving.start(true);
    double pop = 0;
    for (int i = 0; i < 40; ++i) {
      moving.step();
      pop = std::max(pop, (moving.state().u - moving.p()).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(pop, 1e-7);
    if (epsilon != 1) continue;
    spec.drive.vertices = make_sampled_track(samples, kFilmFrame, TrackStart::rest);
    Simulation rest(model, spec);
    rest.start(false);
    for (int i = 0; i < 4; ++i) rest.step();
    EXPECT_GT((rest.state().u - rest.p()).cwiseAbs().maxCoeff(), 1e-2);  // what the other start does
  }
}

// A clip that begins in full spin: as if the motion before it had been known. The flesh starts at p and bulges out from
// there without a jump.
TEST(MovingStart, OfASpinIsSmooth) {
  const Model model = beam(MaterialModel::stable_neo_hookean, 4e-3, {0, -9.81, 0});
  const Motion spin = [](const Vec3& x, double t) { return Vec3(Eigen::AngleAxisd(4 * t, Vec3::UnitY()) * x); };
  const auto first_frames = [&](std::shared_ptr<const Track> track) {
    Simulation s(model, spec_of(std::move(track), 24, 4));
    s.start(true);
    std::vector<VecX> q = {s.q()};
    for (int i = 0; i < 24; ++i) {
      run_period(s, 1);
      q.push_back(s.q());
    }
    return q;
  };
  const auto q = first_frames(make_sampled_track(clip(model, spin, 40), kFilmFrame, TrackStart::moving));
  const auto known = first_frames(test::moved(model, [&](const Vec3& x, double t, int d) {
    const double w = 4 * t;
    const Vec3 y = Eigen::AngleAxisd(w + d * M_PI / 2, Vec3::UnitY()) * Vec3(x[0], 0, x[2]);
    return Vec3(std::pow(4, d) * y + (d == 0 ? Vec3(0, x[1], 0) : Vec3::Zero().eval()));
  }));
  double largest = 0, miss = 0;
  for (size_t f = 0; f < q.size(); ++f) {
    largest = std::max(largest, q[f].cwiseAbs().maxCoeff());
    miss = std::max(miss, (q[f] - known[f]).cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_LT(miss, 0.01 * largest);
  EXPECT_LT(q[0].cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(q[1].cwiseAbs().maxCoeff(), 0.2 * largest);
}

// Settled: with a drive that is held, the stable equilibrium, at rest.
TEST(Settle, IsTheEquilibriumWhereThereIsOne) {
  const Model model = beam(MaterialModel::stable_neo_hookean, 2e-3, {0, -9.81, 0});
  const Motion posed = [](const Vec3& x, double t) {
    return Vec3(Eigen::AngleAxisd(0.5 + t, Vec3::UnitZ()) * x + Vec3(1, 0, 0));
  };
  SimulationSpec spec = spec_of(make_sampled_track(clip(model, posed, 10), kFilmFrame), 9);
  Simulation s(model, spec);
  const Settled settled = settle(s, 0);
  EXPECT_TRUE(settled.still);
  EXPECT_LT(settled.steps, 60);
  s.start(false);
  EXPECT_LT((settled.u - s.p()).cwiseAbs().maxCoeff(), 1e-5 * model.size());
}

}  // namespace supple
