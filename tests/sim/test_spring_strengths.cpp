#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/base/error.h"
#include "supple/sim/parts.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

// A beam held at one end, with springs at some vertices further on.
ModelSpec sprung_beam(double gravity = -9.81) {
  ModelSpec spec = test::beam_spec({.gravity = {0, gravity, 0}});
  for (int v = 0; v < spec.mesh.n_vertices(); v += 7)
    if (spec.mesh.vertices[v][0] > 1e-9) spec.springs.push_back(test::at_vertex(spec.mesh, v));
  return spec;
}

std::vector<double> rising(size_t n) {
  std::vector<double> k;
  for (size_t i = 0; i < n; ++i) k.push_back(50.0 * static_cast<double>(1 + i * i));
  return k;
}

TEST(SpringStrengths, equal_ones_are_the_common_stiffness_to_the_bit) {
  ModelSpec common = sprung_beam(), each = common;
  common.spring_stiffness = 300;
  each.spring_strengths.assign(each.springs.size(), 300);
  const Model a(common), b(each);
  EXPECT_EQ(gravity_sag(a).u, gravity_sag(b).u);
  EXPECT_EQ(natural_modes(a, 3).frequencies_hz, natural_modes(b, 3).frequencies_hz);
  Stepper first(a, rest_drive(a), {}), second(b, rest_drive(b), {});
  const VecX zero = VecX::Zero(3 * a.n_vertices());
  EXPECT_EQ(test::run(first, first.start(0, zero, zero), 0.1, 5).u,
            test::run(second, second.start(0, zero, zero), 0.1, 5).u);
}

// The forces of springs by hand: what they carry and what the driven face carries are together the weight.
TEST(SpringStrengths, each_pulls_with_its_own) {
  ModelSpec spec = sprung_beam();
  spec.spring_strengths = rising(spec.springs.size());
  const Model model(spec);
  const VecX u = gravity_sag(model).u;
  VecX r = -model.gravity_force();
  const VecX zero = VecX::Zero(u.size());
  model.make_elastic()->add({u, zero, zero, 0, 0}, {.residual = &r});
  for (size_t i = 0; i < spec.springs.size(); ++i)
    for (int c = 0; c < 4; ++c)
      if (spec.springs[i].weights[c] == 1)
        r.segment<3>(3 * spec.springs[i].vertices[c]) +=
            spec.spring_strengths[i] * u.segment<3>(3 * spec.springs[i].vertices[c]);
  const VecX left = model.constraints().map().restrict_(r);
  EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-5 * model.gravity_force().cwiseAbs().maxCoeff());
}

// A body stiff against its springs, on sliding targets: the mean of the targets by strength.
TEST(SpringStrengths, a_stiff_body_settles_at_the_mean_by_strength) {
  ModelSpec spec = test::beam_spec({.parameters = {.youngs_modulus = 1e9, .poisson_ratio = 0.3}});
  spec.driven.clear();
  const int n = spec.mesh.n_vertices();
  // Four at each end, those at one end three times as strong and pulled along the beam.
  for (int v = 0; v < n; ++v) {
    const double x = spec.mesh.vertices[v][0];
    if (x > 1e-9 && x < 0.4 - 1e-9) continue;
    spec.springs.push_back(test::at_vertex(spec.mesh, v));
    spec.spring_strengths.push_back(x < 0.2 ? 100 : 300);
  }
  const Model model(spec);
  VecX targets = rest_drive(model).springs->at(0);
  for (size_t i = 0; i < spec.springs.size(); ++i)
    if (spec.spring_strengths[i] == 300) targets[3 * static_cast<Eigen::Index>(i)] += 0.02;
  Drive drive;
  drive.springs = make_function_track(static_cast<int>(spec.springs.size()), [=](double, int d) {
    return d == 0 ? targets : VecX(VecX::Zero(targets.size()));
  });
  StaticSolver solver(model, drive, "auto", 1e-9);
  const StaticSolver::Result r = solver.solve(0, VecX());
  ASSERT_TRUE(r.converged);
  for (int v = 0; v < n; ++v) EXPECT_NEAR(r.u[3 * v], 0.02 * 300 / 400, 1e-4);
}

// Modes with strong springs at one end only are those of a beam driven there.
TEST(SpringStrengths, the_strong_hold_and_the_weak_do_not) {
  ModelSpec driven = test::beam_spec({}), sprung = driven;
  sprung.driven.clear();
  for (int v = 0; v < sprung.mesh.n_vertices(); ++v) {
    sprung.springs.push_back(test::at_vertex(sprung.mesh, v));
    sprung.spring_strengths.push_back(sprung.mesh.vertices[v][0] < 1e-9 ? 1e9 : 0);
  }
  const VecX a = natural_modes(Model(driven), 3).frequencies_hz, b = natural_modes(Model(sprung), 3).frequencies_hz;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-3 * a[i]);
}

TEST(SpringStrengths, a_part_alone_keeps_those_of_its_springs) {
  ModelSpec spec = sprung_beam();
  spec.spring_strengths = rising(spec.springs.size());
  const Model model(spec);
  std::vector<int> tip;
  for (int v = 0; v < model.n_vertices(); ++v)
    if (spec.mesh.vertices[v][0] > 0.2) tip.push_back(v);
  std::vector<int> kept;
  const Model alone = held_around(model, tip, &kept);
  ASSERT_EQ(alone.spec().springs.size(), alone.spec().spring_strengths.size());
  ASSERT_LT(alone.spec().springs.size(), spec.springs.size());
  ASSERT_GT(alone.spec().springs.size(), 1u);
  for (size_t i = 0; i < alone.spec().springs.size(); ++i) {
    size_t same = spec.springs.size();
    for (size_t j = 0; j < spec.springs.size(); ++j)
      if (model.rest_point(spec.springs[j]) == alone.rest_point(alone.spec().springs[i])) same = j;
    ASSERT_LT(same, spec.springs.size());
    EXPECT_EQ(alone.spec().spring_strengths[i], spec.spring_strengths[same]);
  }
  // Against the whole with everything else driven.
  ModelSpec rest_held = spec;
  rest_held.driven.clear();
  for (int v = 0; v < model.n_vertices(); ++v)
    if (spec.mesh.vertices[v][0] <= 0.2) rest_held.driven.push_back(v);
  const double f = natural_modes(Model(rest_held), 1).frequencies_hz[0];
  EXPECT_NEAR(natural_modes(alone, 1).frequencies_hz[0], f, 1e-8 * f);
}

TEST(SpringStrengths, all_are_scaled) {
  ModelSpec spec = sprung_beam();
  spec.spring_stiffness = 7;
  spec.spring_strengths = rising(spec.springs.size());
  ModelSpec twice = spec;
  scale_springs(twice, 2);
  EXPECT_EQ(twice.spring_stiffness, 14);
  for (size_t i = 0; i < spec.springs.size(); ++i) EXPECT_EQ(twice.spring_strengths[i], 2 * spec.spring_strengths[i]);
}

TEST(SpringStrengths, what_cannot_be_is_refused) {
  ModelSpec spec = sprung_beam();
  spec.spring_strengths = {1, 2};
  EXPECT_THROW(Model{spec}, InputError);
  spec.spring_strengths = rising(spec.springs.size());
  spec.spring_strengths[1] = -1;
  EXPECT_THROW(Model{spec}, InputError);
  spec.spring_strengths[1] = NAN;
  EXPECT_THROW(Model{spec}, InputError);
  spec.spring_strengths[1] = 1;
  spec.springs[2].vertices[0] = 100000;
  EXPECT_THROW(Model{spec}, InputError);
}

// Vertices and springs carried along together: a rigid motion of both takes the body along and strains nothing once
// things have settled; springs that stay behind hold it back.
TEST(SpringStrengths, vertices_and_springs_are_driven_at_once) {
  ModelSpec spec = sprung_beam(0);
  for (MaterialParameters& p : spec.per_tet) p.stiffness_damping = 0.02;
  spec.spring_strengths.assign(spec.springs.size(), 1e5);
  const Model model(spec);
  const auto shift = [](double t, int derivative) {
    const double w = 2 * std::numbers::pi, s = std::min(t, 1.0);
    if (t >= 1) return derivative == 0 ? 0.3 : 0.0;
    return derivative == 0   ? 0.3 * (s - std::sin(w * s) / w)
           : derivative == 1 ? 0.3 * (1 - std::cos(w * s))
                             : 0.3 * w * std::sin(w * s);
  };
  const auto carried = [&](const VecX& rest) {
    return make_function_track(static_cast<int>(rest.size() / 3), [=](double t, int derivative) {
      VecX x = derivative == 0 ? rest : VecX(VecX::Zero(rest.size()));
      for (Eigen::Index i = 1; i < x.size(); i += 3) x[i] += shift(t, derivative);
      return x;
    });
  };
  const Drive rest = rest_drive(model);
  Drive both;
  both.vertices = carried(rest.vertices->at(0));
  both.springs = carried(rest.springs->at(0));
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  Stepper stepper(model, both, {});
  const State end = test::run(stepper, stepper.start(0, zero, zero), 3, 150);
  for (int v = 0; v < model.n_vertices(); ++v) EXPECT_NEAR(end.u[3 * v + 1], 0.3, 1e-5);
  StaticSolver solver(model, both);
  const StaticSolver::Result there = solver.solve(2, VecX());
  ASSERT_TRUE(there.converged);
  EXPECT_LT((there.u - end.u).cwiseAbs().maxCoeff(), 1e-5);

  Drive behind = both;
  behind.springs = rest.springs;
  Stepper held(model, behind, {});
  const State stretched = test::run(held, held.start(0, zero, zero), 3, 150);
  double least = 1;
  for (int v = 0; v < model.n_vertices(); ++v) least = std::min(least, stretched.u[3 * v + 1]);
  EXPECT_LT(least, 0.05);
  for (int v : spec.driven) EXPECT_NEAR(stretched.u[3 * v + 1], 0.3, 1e-12);
}

}  // namespace
}  // namespace supple
