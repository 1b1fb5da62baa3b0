// The linear run against the body stepped as it is, and against what must not matter.
#include "supple/tune/linear_forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/sim/stepper.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

constexpr double kShake = 2 * std::numbers::pi * 2.3;  // [1/s]

ModelSpec soft_beam(MaterialModel material = MaterialModel::linear) {
  test::BeamOptions o;
  o.material = material;
  o.parameters = {.youngs_modulus = 3e4, .poisson_ratio = 0.4, .density = 1000, .stiffness_damping = 0.01};
  o.nx = 6;
  return test::beam_spec(o);
}

Vec3 shaken(double t, int d) {
  const double s = std::sin(kShake * t), c = std::cos(kShake * t), w = kShake;
  const Vec3 way(0, 0.002, 0.001);
  return way * (d == 0 ? s : d == 1 ? w * c : -w * w * s);
}

// All vertices moved as one, scaled and mirrored.
std::unique_ptr<Track> all_moved(const Model& model, double scale = 1, bool mirrored = false) {
  const Points rest = model.mesh().vertices;
  return make_function_track(static_cast<int>(rest.size()), [=](double t, int d) {
    VecX x(3 * static_cast<Eigen::Index>(rest.size()));
    for (size_t v = 0; v < rest.size(); ++v) {
      Vec3 at = (d == 0 ? rest[v] : Vec3(Vec3::Zero())) + shaken(t, d);
      at *= scale;
      if (mirrored) at.x() = -at.x();
      x.segment<3>(static_cast<Eigen::Index>(3 * v)) = at;
    }
    return x;
  });
}

VertexBlend all_vertices(const Model& m) {
  std::vector<int> all;
  for (int v = 0; v < m.n_vertices(); ++v) all.push_back(v);
  return at_vertices(all);
}

// A linear body that feels all of its inertia is the body itself, step by step.
TEST(LinearForecast, is_the_linear_body_stepped) {
  const Model model(soft_beam());
  const auto along = all_moved(model);
  for (const Integrator integrator : {Integrator::tr_bdf2, Integrator::backward_euler}) {
    LinearForecast forecast(model, MatX::Ones(model.n_vertices(), 1), all_vertices(model));
    const ForecastShot shot{.drawn = *along, .frames = 24, .fps = 24, .substeps = 3, .integrator = integrator};
    const std::vector<MatX> d = forecast.departures(shot);
    ASSERT_EQ(d.size(), 25u);

    const auto track = test::moved(model, [&](const Vec3& rest, double t, int k) -> Vec3 {
      return shaken(t, k) + (k == 0 ? rest : Vec3(Vec3::Zero()));
    });
    Stepper stepper(model, {.vertices = track}, {.integrator = integrator, .tolerance = 1e-10});
    VecX velocity(3 * model.n_vertices());
    for (int v = 0; v < model.n_vertices(); ++v) velocity.segment<3>(3 * v) = shaken(0, 1);
    State s = stepper.start(0, VecX::Zero(3 * model.n_vertices()), velocity);
    double largest = 0, apart = 0;
    int step = 0;
    test::run(stepper, s, 1, 72, [&](const State& now) {
      if (++step % 3 != 0) return;
      for (int v = 0; v < model.n_vertices(); ++v) {
        const Vec3 departure = now.u.segment<3>(3 * v) - shaken(now.t, 0);
        largest = std::max(largest, departure.norm());
        apart = std::max(apart, (departure - d[static_cast<size_t>(step / 3)].col(0).segment<3>(3 * v)).norm());
      }
    });
    EXPECT_GT(largest, 5e-4);
    EXPECT_LT(apart, 1e-4 * largest) << name_of(integrator);
  }
}

TEST(LinearForecast, one_column_a_choice_and_all_of_them_add_up) {
  const Model model(soft_beam());
  const auto along = all_moved(model);
  MatX inertia = MatX::Zero(model.n_vertices(), 3);
  for (int v = 0; v < model.n_vertices(); ++v) inertia(v, model.mesh().vertices[v][0] > 0.2) = 1;
  inertia.col(2) = 0.3 * inertia.col(0) + 2 * inertia.col(1);
  LinearForecast forecast(model, inertia, all_vertices(model));
  const std::vector<MatX> d = forecast.departures({.drawn = *along, .frames = 12});
  for (const MatX& at : d) EXPECT_LT((at.col(2) - 0.3 * at.col(0) - 2 * at.col(1)).norm(), 1e-10 * (at.norm() + 1e-6));
}

TEST(LinearForecast, size_and_mirroring_of_the_drawn_body_do_not_matter) {
  const Model model(soft_beam());
  LinearForecast forecast(model, MatX::Ones(model.n_vertices(), 1), all_vertices(model));
  const auto plain = all_moved(model);
  const std::vector<MatX> d = forecast.departures({.drawn = *plain, .frames = 12});
  for (const double scale : {0.01, 100.0})
    for (const bool mirrored : {false, true}) {
      const auto other = all_moved(model, scale, mirrored);
      const std::vector<MatX> e = forecast.departures({.drawn = *other, .frames = 12});
      for (size_t k = 0; k < d.size(); ++k)
        EXPECT_NEAR(e[k].norm() / scale, d[k].norm(), 1e-8 + 1e-6 * d[k].norm()) << scale << mirrored;
    }
}

// A pose that is folded, held: nothing is thrown, whatever the tets look like.
TEST(LinearForecast, a_pose_held_is_still_and_a_cut_changes_nothing) {
  const Model model(soft_beam());
  const Points rest = model.mesh().vertices;
  const auto bent = [&](double shift) {
    VecX x(3 * model.n_vertices());
    for (int v = 0; v < model.n_vertices(); ++v) {
      Vec3 at = rest[v];
      if (at.x() > 0.2) at = Vec3(0.4 - at.x(), at.y(), -0.3 * at.z());
      x.segment<3>(3 * v) = at + Vec3(shift, 0, 0);
    }
    return x;
  };
  LinearForecast forecast(model, MatX::Ones(model.n_vertices(), 1), all_vertices(model));
  std::vector<VecX> held(12, bent(0));
  const auto still = make_sampled_track(held, 1.0 / 24);
  for (const MatX& d : forecast.departures({.drawn = *still, .frames = 11})) EXPECT_LT(d.norm(), 1e-12);
  for (size_t k = 6; k < held.size(); ++k) held[k] = bent(5);
  const auto cut = make_sampled_track(held, 1.0 / 24);
  ASSERT_EQ(cut->cuts().size(), 1u);
  for (const MatX& d : forecast.departures({.drawn = *cut, .frames = 11})) EXPECT_LT(d.norm(), 1e-9);
}

// Put elsewhere and turned, at any frame: the flesh swings on as it would have, turned along.
TEST(LinearForecast, a_turn_takes_the_flesh_along) {
  const Model model(soft_beam());
  const Points rest = model.mesh().vertices;
  const Mat3 quarter = Eigen::AngleAxisd(M_PI / 2, Vec3(0.2, 1, 0).normalized()).toRotationMatrix();
  const auto moved = [&](int at) {
    std::vector<VecX> frames;
    for (int f = 0; f < 40; ++f) {
      VecX x(3 * model.n_vertices());
      for (int v = 0; v < model.n_vertices(); ++v) {
        const Vec3 there = rest[v] + Vec3(0, 0.01 * std::sin(0.2 * f), 0);
        x.segment<3>(3 * v) = f < at ? there : Vec3(quarter * there + Vec3(1, 2, 3));
      }
      frames.push_back(x);
    }
    return make_sampled_track(frames, 1.0 / 30, TrackStart::rest,
                              at < 40 ? std::vector<int>{at - 1} : std::vector<int>());
  };
  const auto lengths = [&](int at) {
    const auto drawn = moved(at);
    LinearForecast forecast(model, MatX::Ones(model.n_vertices(), 1), all_vertices(model));
    std::vector<double> out;
    for (const MatX& d : forecast.departures({.drawn = *drawn, .frames = 39, .fps = 30, .substeps = 2}))
      out.push_back(d.norm());
    return out;
  };
  const std::vector<double> whole = lengths(40);
  const double most = *std::max_element(whole.begin(), whole.end());
  for (int at : {7, 13, 23, 35}) {
    const std::vector<double> cut = lengths(at);
    ASSERT_EQ(cut.size(), whole.size());
    for (size_t f = 0; f < cut.size(); ++f) EXPECT_NEAR(cut[f], whole[f], 0.1 * most) << at << " " << f;
  }
}

TEST(LinearForecast, the_same_bits_for_any_number_of_threads) {
  const Model model(soft_beam());
  const auto along = all_moved(model);
  LinearForecast forecast(model, MatX::Ones(model.n_vertices(), 2), all_vertices(model));
  set_thread_count(1);
  const std::vector<MatX> one = forecast.departures({.drawn = *along, .frames = 4});
  set_thread_count(2);
  const std::vector<MatX> two = forecast.departures({.drawn = *along, .frames = 4});
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace supple
