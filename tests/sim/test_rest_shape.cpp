#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/inertia/simulation.h"
#include "supple/sim/parts.h"
#include "supple/sim/rest_shape.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

constexpr double kG = 9.81;

double farthest(const VecX& d) {
  double worst = 0;
  for (Eigen::Index i = 0; i < d.size(); i += 3) worst = std::max(worst, d.segment<3>(i).norm());
  return worst;
}

ModelSpec with(const ModelSpec& spec, const RestShape& rest) {
  ModelSpec out = spec;
  out.mesh.vertices = rest.vertices;
  if (rest.gravity_scale.size() > 0) out.gravity_scale = rest.gravity_scale;
  return out;
}

// How far the body hangs from the given shape when let down from its rest shape, by size.
double sag_miss(const ModelSpec& spec, const RestShape& rest) {
  const Model given(spec), model(with(spec, rest));
  StaticSolver solver(model, rest_drive(given), "auto", 1e-9);
  const StaticSolver::Result r = solver.solve(0, VecX());
  EXPECT_TRUE(r.converged);
  return farthest(flatten(rest.vertices) + r.u - flatten(spec.mesh.vertices)) / given.size();
}

double moved(const ModelSpec& spec, const RestShape& rest) {
  return farthest(flatten(rest.vertices) - flatten(spec.mesh.vertices)) / longest_side(spec.mesh.vertices);
}

// A bar that hangs from its upper face.
ModelSpec hanging_bar(MaterialModel material, const MaterialParameters& p, int n = 8) {
  ModelSpec spec;
  spec.mesh = make_box(2, n, 2, {0.1, 0.4, 0.1});
  spec.material = material;
  spec.per_tet.assign(spec.mesh.tets.size(), p);
  spec.gravity = {0, -kG, 0};
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[1] > 0.4 - 1e-9; });
  return spec;
}

// Mean height in the rest shape of the vertices at a given height. (Weight is not the same on all vertices of a
// section.)
double height_of(const RestShape& rest, const ModelSpec& spec, double y) {
  double sum = 0;
  const std::vector<int> there =
      test::vertices_where(spec.mesh, [=](const Vec3& x) { return std::abs(x[1] - y) < 1e-9; });
  for (int v : there) sum += rest.vertices[v][1];
  return sum / static_cast<double>(there.size());
}

// A ball of flesh around a driven core: a box bent into a ball.
ModelSpec ball(double youngs_modulus, MaterialModel material = MaterialModel::stable_neo_hookean, int n = 6) {
  ModelSpec spec;
  spec.mesh = make_box(n, n, n, {2, 2, 2}, {-1, -1, -1});
  for (Vec3& x : spec.mesh.vertices)
    if (x.norm() > 0) x *= 0.15 * x.cwiseAbs().maxCoeff() / x.norm();
  spec.material = material;
  spec.per_tet.assign(spec.mesh.tets.size(), {.youngs_modulus = youngs_modulus, .poisson_ratio = 0.45});
  spec.gravity = {0, -kG, 0};
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x.norm() < 0.07; });
  return spec;
}

TEST(RestShape, hangs_in_the_given_shape_whatever_the_material) {
  for (const std::string& name : material_names()) {
    const MaterialModel material = material_from_name(name);
    const std::vector<ModelSpec> bodies = {hanging_bar(material, {.youngs_modulus = 3e4, .poisson_ratio = 0.4}),
                                           ball(1.5e4, material),
                                           test::beam_spec({.material = material,
                                                            .parameters = {.youngs_modulus = 2e5, .poisson_ratio = 0.4},
                                                            .gravity = {0, -kG, 0}})};
    for (const ModelSpec& spec : bodies) {
      const RestShape rest = solve_rest_shape(spec);
      EXPECT_TRUE(rest.warnings.empty()) << name << ": " << rest.warnings[0];
      EXPECT_EQ(rest.gravity_scale.size(), 0) << name;
      EXPECT_GT(moved(spec, rest), 0.02) << name;
      EXPECT_LT(rest.error, 1e-4) << name;
      EXPECT_LT(sag_miss(spec, rest), 1e-4) << name;
      for (int v : spec.driven) EXPECT_EQ(rest.vertices[v], spec.mesh.vertices[v]);
    }
  }
}

// Two pieces of which one is too soft: what is known of them changes nothing.
TEST(RestShape, pieces_that_are_known_are_as_those_that_are_found) {
  ModelSpec spec = ball(1e4);
  ModelSpec other = ball(1e-3);
  const int n = spec.mesh.n_vertices();
  for (Vec3 x : other.mesh.vertices) spec.mesh.vertices.push_back(x + Vec3(10, 0, 0));
  for (Tet t : other.mesh.tets) spec.mesh.tets.push_back({t[0] + n, t[1] + n, t[2] + n, t[3] + n});
  spec.per_tet.insert(spec.per_tet.end(), other.per_tet.begin(), other.per_tet.end());
  for (int v : other.driven) spec.driven.push_back(v + n);
  const Parts pieces = split_into_parts(Model(spec));
  ASSERT_EQ(pieces.list.size(), 2u);
  const RestShape found = solve_rest_shape(spec), known = solve_rest_shape(spec, 1e-3, "auto", &pieces);
  EXPECT_EQ(known.vertices, found.vertices);
  EXPECT_EQ(known.gravity_scale, found.gravity_scale);
  EXPECT_FALSE(found.warnings.empty());
  EXPECT_EQ(known.warnings, found.warnings);
}

TEST(RestShape, a_finer_tolerance_is_met) {
  const ModelSpec spec = ball(1e4);
  const RestShape rest = solve_rest_shape(spec, 1e-7);
  EXPECT_LT(rest.error, 1e-7);
  EXPECT_LT(sag_miss(spec, rest), 1e-6);
}

// At Poisson 0 and small strain the lower end is higher by rho g L^2 / (2 E).
TEST(RestShape, a_stiff_bar_is_shorter_by_the_closed_form) {
  for (const MaterialModel material :
       {MaterialModel::linear, MaterialModel::corotational, MaterialModel::stvk, MaterialModel::neo_hookean_log}) {
    const ModelSpec spec = hanging_bar(material, {.youngs_modulus = 1e6, .poisson_ratio = 0.0, .density = 1000}, 16);
    const RestShape rest = solve_rest_shape(spec, 1e-6);
    ASSERT_TRUE(rest.warnings.empty());
    const double lift = 1000 * kG * 0.4 * 0.4 / (2 * 1e6);
    EXPECT_NEAR(height_of(rest, spec, 0), lift, 0.01 * lift) << name_of(material);
  }
}

// A corotational bar at Poisson 0 is a row of springs at any strain: E (dx/dX - 1) = rho g m(X), with m what hangs
// below as rest length. With l the whole rest length and X from the lower end, x' = 1 + k X, so L = l + k l^2 / 2.
TEST(RestShape, a_soft_bar_is_shorter_by_the_closed_form) {
  const double E = 4000, k = 1000 * kG / E, L = 0.4;
  const ModelSpec spec = hanging_bar(MaterialModel::corotational, {.youngs_modulus = E, .poisson_ratio = 0}, 24);
  const RestShape rest = solve_rest_shape(spec, 1e-6);
  ASSERT_TRUE(rest.warnings.empty()) << rest.warnings[0];
  const double l = (std::sqrt(1 + 2 * k * L) - 1) / k;
  ASSERT_LT(l, 0.75 * L);
  for (int j = 0; j <= 24; ++j) {
    const double x = j * L / 24, X = (std::sqrt(1 + 2 * k * x) - 1) / k;
    EXPECT_NEAR(height_of(rest, spec, x), L - l + X, 5e-4 * L);
  }
}

TEST(RestShape, without_weight_nothing_changes_to_the_bit) {
  ModelSpec spec = ball(1e3);
  spec.gravity.setZero();
  RestShape rest = solve_rest_shape(spec);
  EXPECT_EQ(rest.vertices, spec.mesh.vertices);
  EXPECT_EQ(rest.error, 0);
  EXPECT_EQ(rest.iterations, 0);
  EXPECT_EQ(rest.gravity_scale.size(), 0);
  spec.gravity = {0, -kG, 0};
  spec.gravity_scale = VecX::Zero(spec.mesh.n_vertices());
  rest = solve_rest_shape(spec);
  EXPECT_EQ(rest.vertices, spec.mesh.vertices);
  // All driven.
  spec.gravity_scale.resize(0);
  spec.driven.clear();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) spec.driven.push_back(v);
  EXPECT_EQ(solve_rest_shape(spec).vertices, spec.mesh.vertices);
}

TEST(RestShape, flesh_too_soft_gets_less_gravity_and_a_warning) {
  for (const double E : {1500.0, 100.0}) {
    const ModelSpec spec = ball(E);
    const RestShape rest = solve_rest_shape(spec);
    ASSERT_EQ(rest.warnings.size(), 1u);
    EXPECT_NE(rest.warnings[0].find("too soft"), std::string::npos);
    ASSERT_EQ(rest.gravity_scale.size(), spec.mesh.n_vertices());
    EXPECT_LT(rest.gravity_scale.minCoeff(), 1);
    EXPECT_GT(rest.gravity_scale.minCoeff(), 0);
    EXPECT_LT(rest.error, 1e-3);
    EXPECT_LT(sag_miss(spec, rest), 1e-3);
    // A fair share: about half of what failed would fail no more.
    EXPECT_GT(rest.gravity_scale.minCoeff() * 9.81 * 1000 * 0.15 / E, 0.2);
    const std::vector<double> before = tet_volumes(spec.mesh), after = tet_volumes(with(spec, rest).mesh);
    for (size_t t = 0; t < before.size(); ++t) EXPECT_GT(after[t], 0.1 * before[t]);
  }
  const RestShape none = solve_rest_shape(ball(1e-3));
  EXPECT_EQ(none.gravity_scale.minCoeff(), 0);
  EXPECT_EQ(none.vertices, ball(1e-3).mesh.vertices);
  ASSERT_EQ(none.warnings.size(), 1u);
  EXPECT_NE(none.warnings[0].find("no gravity"), std::string::npos);
}

// The bar of the closed form above, whose uppermost tets stretch to 1 + k l times their length and more: it could hang,
// but from next to nothing.
TEST(RestShape, no_tet_loses_nine_tenths_of_its_volume) {
  const double E = 60, L = 0.4;
  const ModelSpec spec = hanging_bar(MaterialModel::corotational, {.youngs_modulus = E, .poisson_ratio = 0}, 24);
  const RestShape rest = solve_rest_shape(spec);
  ASSERT_EQ(rest.gravity_scale.size(), spec.mesh.n_vertices());
  const double scale = rest.gravity_scale.minCoeff();
  const auto smallest = [&](double share) { return 1 / std::sqrt(1 + 2 * share * 1000 * kG / E * L); };
  EXPECT_LT(smallest(1), 0.1);
  EXPECT_GT(smallest(scale), 0.1);
  EXPECT_LT(smallest(scale), 0.15);
  const std::vector<double> before = tet_volumes(spec.mesh), after = tet_volumes(with(spec, rest).mesh);
  for (size_t t = 0; t < before.size(); ++t) EXPECT_GT(after[t], 0.1 * before[t]);
}

// A column that would buckle has no such rest shape, though one solves the equations.
TEST(RestShape, the_equilibrium_is_a_stable_one) {
  ModelSpec spec = hanging_bar(MaterialModel::stable_neo_hookean, {.youngs_modulus = 1e4, .poisson_ratio = 0.4});
  for (Vec3& x : spec.mesh.vertices) x[1] = 0.4 - x[1], x[0] = -x[0];
  const RestShape rest = solve_rest_shape(spec);
  ASSERT_EQ(rest.warnings.size(), 1u);
  EXPECT_LT(rest.gravity_scale.minCoeff(), 0.5);
  EXPECT_GT(rest.gravity_scale.minCoeff(), 0.05);
  const Model model(with(spec, rest));
  const VecX u = flatten(spec.mesh.vertices) - flatten(rest.vertices);
  const Modes modes = natural_modes(model, 1, "auto", u);
  ASSERT_TRUE(modes.ok);
  EXPECT_GT(modes.frequencies_hz[0], 0);
}

// A stiff ball and a soft bar in one mesh: only the bar gets less, and the ball is as it is alone.
TEST(RestShape, parts_are_solved_each_on_its_own) {
  const ModelSpec stiff = ball(1.5e4);
  ModelSpec both = stiff;
  const TetMesh bar = make_box(8, 2, 2, {0.4, 0.05, 0.05}, {0, 1, 0});
  const int shift = both.mesh.n_vertices();
  for (int i = 0; i < bar.n_vertices(); ++i) {
    both.mesh.vertices.push_back(bar.vertices[i]);
    if (bar.vertices[i][0] < 1e-9) both.driven.push_back(shift + i);
  }
  for (Tet t : bar.tets) {
    for (int& v : t) v += shift;
    both.mesh.tets.push_back(t);
    both.per_tet.push_back({.youngs_modulus = 2e4, .poisson_ratio = 0.45});
  }
  // A loose tet besides, and a vertex of no tet.
  for (const Vec3& x : {Vec3(2, 0, 0), Vec3(2.1, 0, 0), Vec3(2, 0.1, 0), Vec3(2, 0, 0.1), Vec3(0, 3, 0)})
    both.mesh.vertices.push_back(x);
  const int n = both.mesh.n_vertices();
  both.mesh.tets.push_back({n - 5, n - 4, n - 3, n - 2});
  both.per_tet.push_back(both.per_tet[0]);
  const RestShape alone = solve_rest_shape(stiff, 1e-6), rest = solve_rest_shape(both, 1e-6);
  ASSERT_EQ(rest.warnings.size(), 1u) << rest.warnings.back();
  ASSERT_EQ(rest.gravity_scale.size(), n);
  for (int v = 0; v < shift; ++v) {
    EXPECT_EQ(rest.gravity_scale[v], 1);
    EXPECT_LT((rest.vertices[v] - alone.vertices[v]).norm(), 1e-7);
  }
  EXPECT_LT(rest.gravity_scale.segment(shift, bar.n_vertices()).minCoeff(), 1);
  EXPECT_LT(rest.error, 1e-5);
  for (int v = n - 5; v < n; ++v) {
    EXPECT_EQ(rest.vertices[v], both.mesh.vertices[v]);
    EXPECT_EQ(rest.gravity_scale[v], 1);
  }
}

TEST(RestShape, springs_and_ties_keep_their_places) {
  ModelSpec spec = ball(1.2e4);
  for (int t : {5, 200, 700}) spec.springs.push_back({spec.mesh.tets[t], Eigen::Vector4d(0.4, 0.3, 0.2, 0.1)});
  spec.spring_strengths = {10, 100, 1000};
  for (int t : {40, 900}) spec.ties.push_back({spec.mesh.tets[t], Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)});
  const RestShape rest = solve_rest_shape(spec);
  EXPECT_TRUE(rest.warnings.empty()) << rest.warnings[0];
  EXPECT_LT(rest.error, 1e-4);
  EXPECT_LT(sag_miss(spec, rest), 1e-4);
  const Model given(spec), model(with(spec, rest));
  for (const PointTie& tie : spec.ties) EXPECT_LT((given.rest_point(tie) - model.rest_point(tie)).norm(), 1e-9);
  // Slack springs carry nothing, so they change nothing.
  ModelSpec plain = spec;
  plain.springs.clear(), plain.spring_strengths.clear();
  const RestShape without = solve_rest_shape(plain);
  EXPECT_LT(farthest(flatten(rest.vertices) - flatten(without.vertices)), 1e-9);
}

TEST(RestShape, flesh_that_only_springs_hold_gets_no_gravity) {
  ModelSpec spec = ball(1e4);
  spec.driven.clear();
  for (int t : {5, 200, 700, 900}) spec.springs.push_back({spec.mesh.tets[t], Eigen::Vector4d::Constant(0.25)});
  spec.spring_stiffness = 1000;
  const RestShape rest = solve_rest_shape(spec);
  EXPECT_EQ(rest.vertices, spec.mesh.vertices);
  ASSERT_EQ(rest.warnings.size(), 1u);
  EXPECT_NE(rest.warnings[0].find("springs alone"), std::string::npos);
  ASSERT_EQ(rest.gravity_scale.size(), spec.mesh.n_vertices());
  EXPECT_TRUE(rest.gravity_scale.isZero(0));
  spec.springs.clear();
  const RestShape loose = solve_rest_shape(spec);
  EXPECT_TRUE(loose.warnings.empty());
  EXPECT_EQ(loose.vertices, spec.mesh.vertices);
}

TEST(RestShape, anti_locking_point_masses_and_scaled_gravity) {
  ModelSpec spec = ball(2e4);
  spec.anti_locking = true;
  spec.mass = MassKind::consistent;
  spec.point_masses = {{0, 0.05}, {spec.mesh.n_vertices() - 1, 0.1}};
  spec.gravity_scale = VecX::LinSpaced(spec.mesh.n_vertices(), 0.5, 1.2);
  const RestShape rest = solve_rest_shape(spec);
  EXPECT_TRUE(rest.warnings.empty());
  EXPECT_GT(moved(spec, rest), 0.02);
  EXPECT_LT(sag_miss(spec, rest), 1e-4);
}

TEST(RestShape, the_same_bits_for_any_number_of_threads) {
  const ModelSpec spec = ball(6e3);
  set_thread_count(1);
  const RestShape one = solve_rest_shape(spec);
  set_thread_count(2);
  const RestShape two = solve_rest_shape(spec);
  set_thread_count(0);
  EXPECT_EQ(one.vertices, two.vertices);
  EXPECT_EQ(one.error, two.error);
}

// Held for two seconds from rest it stays where it is; without the rest shape it droops.
TEST(RestShape, held_it_does_not_move) {
  for (const bool sprung : {false, true}) {
    ModelSpec spec = ball(1e4, MaterialModel::stable_neo_hookean, 5);
    for (MaterialParameters& p : spec.per_tet) p.stiffness_damping = 0.005;
    if (sprung) {
      spec.springs.push_back({spec.mesh.tets[7], Eigen::Vector4d::Constant(0.25)});
      spec.spring_strengths = {50};
    }
    const RestShape rest = solve_rest_shape(spec);
    ASSERT_TRUE(rest.warnings.empty());
    const Model given(spec), model(with(spec, rest));
    const VecX x = flatten(spec.mesh.vertices), X = flatten(rest.vertices);
    for (const bool guessed : {false, true}) {
      SimulationSpec s;
      s.drive = rest_drive(given);
      s.t_end = 2;
      if (guessed) s.first_guess = x - X;
      Simulation simulation(model, s);
      simulation.start(false);
      double worst = 0;
      while (simulation.state().t < 2 - 1e-9) {
        simulation.step();
        worst = std::max(worst, farthest(X + simulation.state().u - x));
      }
      EXPECT_LT(worst, 1e-4 * given.size());
    }
    EXPECT_GT(gravity_sag(given).peak_m, 0.05 * given.size());
  }
}

}  // namespace
}  // namespace supple
