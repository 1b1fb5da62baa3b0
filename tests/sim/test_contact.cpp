// Bodies in contact, stepped through time.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "supple/base/parallel.h"
#include "supple/contact/contact_bodies.h"
#include "supple/contact/crossings.h"
#include "supple/sim/stepper.h"

namespace supple {
namespace {

Points places(const Model& model, const VecX& u, const VecX& obstacles) {
  return model.contact()->places(u, obstacles);
}
bool crosses(const Model& model, const VecX& u, const VecX& obstacles) {
  return !find_crossings_brute(model.contact()->shape(), places(model, u, obstacles)).empty();
}

// A ball of tets: a cube of n^3 cells drawn out onto a sphere.
TetMesh make_ball(int n, double radius, const Vec3& centre) {
  TetMesh mesh = make_box(n, n, n, Vec3::Constant(2), Vec3::Constant(-1));
  for (Vec3& x : mesh.vertices)
    x = centre + (x.norm() > 0 ? Vec3(radius * x.cwiseAbs().maxCoeff() / x.norm() * x) : Vec3::Zero());
  return mesh;
}

// Adds a body to a model to be.
std::vector<int> add(ModelSpec& spec, const TetMesh& body, const MaterialParameters& material,
                     const std::string& name) {
  const int shift = spec.mesh.n_vertices();
  spec.mesh.vertices.insert(spec.mesh.vertices.end(), body.vertices.begin(), body.vertices.end());
  std::vector<Tet> tets;
  for (const Tet& t : body.tets) tets.push_back({t[0] + shift, t[1] + shift, t[2] + shift, t[3] + shift});
  spec.mesh.tets.insert(spec.mesh.tets.end(), tets.begin(), tets.end());
  spec.per_tet.insert(spec.per_tet.end(), tets.size(), material);
  add_boundary(spec.contact, tets, name);
  std::vector<int> vertices;
  for (int v = shift; v < spec.mesh.n_vertices(); ++v) vertices.push_back(v);
  return vertices;
}

VecX velocity_of(const Model& model, const std::vector<int>& vertices, const Vec3& v) {
  VecX all = VecX::Zero(3 * model.n_vertices());
  for (int i : vertices) all.segment<3>(3 * i) = v;
  return all;
}

Vec3 mean(const VecX& x, const std::vector<int>& vertices) {
  Vec3 sum = Vec3::Zero();
  for (int i : vertices) sum += x.segment<3>(3 * i);
  return sum / static_cast<double>(vertices.size());
}

constexpr MaterialParameters kSoft = {
    .youngs_modulus = 5e4, .poisson_ratio = 0.4, .density = 1000, .stiffness_damping = 0.005};

TEST(Contact, a_stack_comes_to_rest_without_touching) {
  ModelSpec spec;
  spec.contact.thickness = 2e-3;
  MaterialParameters m = kSoft;
  m.stiffness_damping = 0.03;
  add(spec, make_box(4, 2, 4, Vec3(0.2, 0.1, 0.2), Vec3(-0.1, 0.01, -0.1)), m, "low");
  add(spec, make_box(4, 2, 4, Vec3(0.2, 0.1, 0.2), Vec3(-0.09, 0.13, -0.11)), m, "middle");
  add(spec, make_box(4, 2, 4, Vec3(0.2, 0.1, 0.2), Vec3(-0.105, 0.26, -0.09)), m, "high");
  spec.contact.planes = {{Vec3::UnitY(), 0}};
  spec.contact.friction = 0.5;
  const Model model(spec);
  Stepper stepper(model, {}, {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  double peak = 0;
  StepReport r;
  for (int i = 0; i < 240; ++i) {
    r = stepper.step(s, 1.0 / 48);
    peak = std::max(peak, stepper.kinetic_energy(s));
    ASSERT_FALSE(crosses(model, s.u, VecX())) << i;
  }
  EXPECT_LT(stepper.kinetic_energy(s), 1e-6 * peak);
  EXPECT_GT(r.contact.least_gap, 0.1);
  EXPECT_LT(r.contact.least_gap, 1);
}

class Slope : public testing::TestWithParam<Integrator> {};
TEST_P(Slope, friction_holds_or_slides_as_it_should) {
  for (double mu : {0.5, 0.2}) {
    ModelSpec spec;
    spec.contact.thickness = 1e-3;
    MaterialParameters m = kSoft;
    m.youngs_modulus = 1e7;
    const auto block = add(spec, make_box(4, 1, 4, Vec3(0.2, 0.04, 0.2), Vec3(-0.1, 6e-4, -0.1)), m, "block");
    const double angle = 20 * std::numbers::pi / 180;
    spec.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    spec.contact.planes = {{Vec3::UnitY(), 0}};
    spec.contact.friction = mu;
    const Model model(spec);
    Stepper stepper(model, {}, {.integrator = GetParam()});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    State s = stepper.start(0, zero, zero);
    Vec3 before = Vec3::Zero();
    double v_before = 0;
    for (int i = 0; i < 120; ++i) {
      stepper.step(s, 1.0 / 96);
      if (i == 59) before = mean(s.u, block), v_before = mean(s.v, block)[0];
    }
    const double creep = (mean(s.u, block) - before)[0] / (60.0 / 96);
    const double acceleration = (mean(s.v, block)[0] - v_before) / (60.0 / 96);
    if (mu == 0.5) {
      EXPECT_LT(std::abs(creep), 1e-3);
    } else {
      EXPECT_NEAR(acceleration, 9.81 * (std::sin(angle) - mu * std::cos(angle)), 0.05 * 1.511);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Integrators, Slope, testing::Values(Integrator::backward_euler, Integrator::tr_bdf2));

// Balls at 20 m/s, 24 steps a second: each step is several times the ball.
void throw_balls(int count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int n = 0; n < count; ++n) {
    ModelSpec spec;
    spec.contact.thickness = 2e-3;
    spec.gravity.setZero();
    MaterialParameters m = kSoft;
    m.youngs_modulus = 2e5;
    add(spec, make_box(10, 1, 10, Vec3(0.6, 0.01, 0.6), Vec3(-0.3, -0.005, -0.3)), m, "sheet");
    for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
      const Vec3& x = spec.mesh.vertices[v];
      if (std::abs(x[0]) > 0.299 || std::abs(x[2]) > 0.299) spec.driven.push_back(v);
    }
    const Vec3 aim(0.1 * unit(random), 0, 0.1 * unit(random));
    Vec3 way(0.5 * unit(random), -1, 0.5 * unit(random));
    way.normalize();
    const auto ball = add(spec, make_ball(4, 0.06, aim - (0.08 + 0.3 * (1 + unit(random))) * way), m, "ball");
    const Model model(spec);
    Drive drive;
    VecX held(3 * static_cast<Eigen::Index>(spec.driven.size()));
    for (size_t i = 0; i < spec.driven.size(); ++i)
      held.segment<3>(3 * static_cast<Eigen::Index>(i)) = spec.mesh.vertices[spec.driven[i]];
    drive.vertices = make_sampled_track({held, held}, 1.0);
    Stepper stepper(model, drive, {});
    State s = stepper.start(0, VecX::Zero(3 * model.n_vertices()), velocity_of(model, ball, 20 * way));
    for (int i = 0; i < 12; ++i) {
      stepper.step(s, 1.0 / 24);
      ASSERT_FALSE(crosses(model, s.u, VecX())) << n << " " << i;
    }
    const Vec3 at = mean(s.u + flatten(model.mesh().vertices), ball);
    EXPECT_GT(at[1], -0.35) << n;
  }
}

TEST(Contact, a_fast_ball_does_not_pass_through_a_thin_sheet) { throw_balls(4); }
TEST(SlowContact, no_fast_ball_passes_through_a_thin_sheet) { throw_balls(100); }

TEST(Contact, a_squeezed_ball_recovers) {
  ModelSpec spec;
  spec.contact.thickness = 2e-3;
  spec.gravity.setZero();
  const auto ball = add(spec, make_ball(4, 0.1, Vec3::Zero()), kSoft, "ball");
  TriMesh plates;
  for (double y : {-0.11, 0.11}) {
    const int first = plates.n_vertices();
    for (int c = 0; c < 4; ++c) plates.vertices.emplace_back(c % 2 ? 0.5 : -0.5, y, c / 2 ? 0.5 : -0.5);
    if (y < 0)
      plates.triangles.push_back({first, first + 2, first + 1}),
          plates.triangles.push_back({first + 1, first + 2, first + 3});
    else
      plates.triangles.push_back({first, first + 1, first + 2}),
          plates.triangles.push_back({first + 1, first + 3, first + 2});
  }
  add_obstacle(spec.contact, plates, "plates");
  const Model model(spec);
  Drive drive;
  // Together to a tenth of the ball in a second, and apart again.
  drive.obstacles = make_function_track(8, [&](double t, int derivative) -> VecX {
    if (derivative > 0) return {};
    const double s = t < 1 ? t : std::max(0.0, 2 - t), gap = 0.11 - 0.1 * s;
    VecX x(24);
    for (int c = 0; c < 8; ++c) {
      x.segment<3>(3 * c) = plates.vertices[c];
      x[3 * c + 1] = c < 4 ? -gap : gap;
    }
    return x;
  });
  Stepper stepper(model, drive, {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  double thinnest = 1;
  for (int i = 0; i < 24 * 6; ++i) {
    const StepReport r = stepper.step(s, 1.0 / 24);
    ASSERT_FALSE(crosses(model, s.u, drive.obstacles->at(s.t))) << i;
    double low = 1, high = -1;
    for (int v : ball) {
      const double y = model.mesh().vertices[v][1] + s.u[3 * v + 1];
      low = std::min(low, y), high = std::max(high, y);
    }
    thinnest = std::min(thinnest, high - low);
  }
  EXPECT_LT(thinnest, 0.021);
  // Its own shape again, wherever it is.
  double worst = 0;
  for (int v : ball)
    worst = std::max(worst, std::abs((model.mesh().vertices[v] + s.u.segment<3>(3 * v) -
                                      mean(s.u + flatten(model.mesh().vertices), ball))
                                         .norm() -
                                     model.mesh().vertices[v].norm()));
  EXPECT_LT(worst, 0.002);
}

Drive driven_by(const Model& model, std::function<Vec3(int vertex, const Vec3& rest, double t)> f) {
  std::vector<int> list = model.spec().driven;
  const Points rest = model.mesh().vertices;
  return {.vertices = make_function_track(static_cast<int>(list.size()), [=](double t, int derivative) -> VecX {
            if (derivative > 0) return {};
            VecX x(3 * static_cast<Eigen::Index>(list.size()));
            for (size_t i = 0; i < list.size(); ++i)
              x.segment<3>(3 * static_cast<Eigen::Index>(i)) = f(list[i], rest[list[i]], t);
            return x;
          })};
}

TEST(Contact, two_bars_twist_around_each_other) {
  ModelSpec spec;
  spec.contact.thickness = 2e-3;
  spec.gravity.setZero();
  add(spec, make_box(12, 2, 2, Vec3(0.6, 0.08, 0.08), Vec3(-0.3, 0.01, -0.04)), kSoft, "one");
  add(spec, make_box(12, 2, 2, Vec3(0.6, 0.08, 0.08), Vec3(-0.3, -0.09, -0.04)), kSoft, "other");
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (std::abs(spec.mesh.vertices[v][0]) > 0.299) spec.driven.push_back(v);
  const Model model(spec);
  // Both ends turn against each other around the axis between the bars: three quarters of a turn in two seconds.
  const Drive drive = driven_by(model, [](int, const Vec3& x, double t) -> Vec3 {
    const double angle = 0.75 * std::numbers::pi * std::min(t, 2.0) / 2 * (x[0] > 0 ? 1 : -1);
    return {x[0], std::cos(angle) * x[1] - std::sin(angle) * x[2], std::sin(angle) * x[1] + std::cos(angle) * x[2]};
  });
  Stepper stepper(model, drive, {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  int pairs = 0;
  for (int i = 0; i < 60; ++i) {
    const StepReport r = stepper.step(s, 1.0 / 24);
    pairs = r.contact.pairs;
    ASSERT_FALSE(crosses(model, s.u, VecX())) << i;
  }
  EXPECT_GT(pairs, 20);
}

// Two hands with bones driven straight through each other and back.
TEST(Contact, driven_parts_that_cross_squeeze_what_is_between_and_let_go) {
  ModelSpec spec;
  spec.contact.thickness = 2e-3;
  spec.gravity.setZero();
  add(spec, make_box(2, 2, 2, Vec3(0.1, 0.1, 0.1), Vec3(-0.15, 0, 0)), kSoft, "left");
  add(spec, make_box(2, 2, 2, Vec3(0.1, 0.1, 0.1), Vec3(0.05, 0.003, 0.004)), kSoft, "right");
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    const Vec3& x = spec.mesh.vertices[v];
    // The inside of each, and its far face.
    if (std::abs(x[0]) > 0.149 ||
        (std::abs(std::abs(x[0]) - 0.1) < 0.03 && std::abs(x[1] - 0.05) < 0.03 && std::abs(x[2] - 0.05) < 0.03))
      spec.driven.push_back(v);
  }
  const Model model(spec);
  const Drive drive = driven_by(model, [&](int, const Vec3& x, double t) -> Vec3 {
    const double way = 0.16 * 0.5 * (1 - std::cos(std::numbers::pi * std::min(t, 2.0)));
    return x + Vec3(x[0] < 0 ? way : -way, 0, 0);
  });
  Stepper stepper(model, drive, {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  int tangled = 0, last_tangled = 0;
  double farthest = 0;
  for (int i = 0; i < 24 * 4; ++i) {
    const StepReport r = stepper.step(s, 1.0 / 24);
    tangled = std::max(tangled, r.contact.tangled), last_tangled = r.contact.tangled;
    farthest = std::max(farthest, s.u.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(tangled, 0);
  EXPECT_EQ(last_tangled, 0);
  EXPECT_LT(farthest, 0.3);
  EXPECT_LT(s.u.cwiseAbs().maxCoeff(), 0.01);
}

class Bounce : public testing::TestWithParam<Integrator> {};
// An undamped ball dropped on a floor: no bounce may be higher than the drop, whatever the step.
TEST_P(Bounce, gains_no_energy) {
  for (double h : {1.0 / 24, 1.0 / 96, 1.0 / 400}) {
    ModelSpec spec;
    spec.contact.thickness = 2e-3;
    MaterialParameters m = kSoft;
    m.stiffness_damping = 0;
    m.youngs_modulus = 2e5;
    const auto ball = add(spec, make_ball(3, 0.1, Vec3(0, 0.3, 0)), m, "ball");
    spec.contact.planes = {{Vec3::UnitY(), 0}};
    const Model model(spec);
    Stepper stepper(model, {}, {.integrator = GetParam()});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    State s = stepper.start(0, zero, zero);
    const double mass = model.mass()->total();
    auto energy = [&] {
      return stepper.kinetic_energy(s) + stepper.elastic_energy(s) +
             mass * 9.81 * (0.3 + model.mass()->multiply(s.u).dot(velocity_of(model, ball, Vec3::UnitY())) / mass);
    };
    const double at_first = energy();
    double most = 0, last = 0;
    bool touched = false;
    for (int i = 0; i < static_cast<int>(1.5 / h); ++i) {
      const StepReport r = stepper.step(s, h);
      touched = touched || r.contact.pairs > 0;
      last = energy();
      most = std::max(most, last);
    }
    EXPECT_TRUE(touched);
    // Gravity is integrated exactly by tr-bdf2; backward Euler loses. The barrier holds a little while it pushes.
    EXPECT_LT(most, 1.001 * at_first) << h;
  }
}
INSTANTIATE_TEST_SUITE_P(Integrators, Bounce, testing::Values(Integrator::backward_euler, Integrator::tr_bdf2));

TEST(Contact, same_bits_for_any_number_of_threads) {
  auto run = [](int threads) {
    set_thread_count(threads);
    ModelSpec spec;
    spec.contact.thickness = 2e-3;
    spec.contact.friction = 0.3;
    add(spec, make_ball(4, 0.1, Vec3(0, 0.11, 0)), kSoft, "low");
    add(spec, make_ball(4, 0.1, Vec3(0.01, 0.33, 0.005)), kSoft, "high");
    spec.contact.planes = {{Vec3::UnitY(), 0}};
    const Model model(spec);
    Stepper stepper(model, {}, {});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    State s = stepper.start(0, zero, zero);
    for (int i = 0; i < 12; ++i) stepper.step(s, 1.0 / 24);
    return s.u;
  };
  const VecX one = run(1), two = run(2);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

// A ball thrown at a soft block that stands on a driven face. Amplitude scales what the block does, not what the ball
// does to be stopped.
TEST(Contact, amplitude_scales_what_a_hit_does) {
  auto dent = [](double amplitude, double h, double& away) {
    ModelSpec spec;
    spec.contact.thickness = 2e-3;
    spec.contact.amplitude = amplitude;
    spec.gravity.setZero();
    MaterialParameters m = kSoft;
    m.stiffness_damping = 0.01;
    add(spec, make_box(4, 4, 4, Vec3(0.3, 0.3, 0.3), Vec3(-0.15, -0.3, -0.15)), m, "block");
    for (int v = 0; v < spec.mesh.n_vertices(); ++v)
      if (spec.mesh.vertices[v][1] < -0.299) spec.driven.push_back(v);
    const auto ball = add(spec, make_ball(4, 0.06, Vec3(0.01, 0.1, 0.02)), m, "ball");
    spec.n_bystanders = static_cast<int>(ball.size());
    const Model model(spec);
    const Drive drive = driven_by(model, [](int, const Vec3& x, double) { return x; });
    Stepper stepper(model, drive, {});
    State s = stepper.start(0, VecX::Zero(3 * model.n_vertices()), velocity_of(model, ball, Vec3(0, -3, 0)));
    double deepest = 0;
    for (int i = 0; i < static_cast<int>(0.4 / h); ++i) {
      stepper.step(s, h);
      for (int v = 0; v < model.n_own(); ++v) deepest = std::max(deepest, -s.u[3 * v + 1]);
    }
    away = mean(s.v, ball)[1];
    return deepest;
  };
  double away = 0;
  for (double h : {1.0 / 96, 1.0 / 400}) {
    const double half = dent(0.5, h, away);
    const double one = dent(1, h, away);
    const double twice = dent(2, h, away);
    EXPECT_LT(half, 0.85 * one);
    EXPECT_GT(twice, 1.2 * one);
  }
}

}  // namespace
}  // namespace supple
