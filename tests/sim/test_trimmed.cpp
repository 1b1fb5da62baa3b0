// Bodies whose driven tets are left out of the system move as they do with them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/sim/parts.h"
#include "supple/sim/rest_shape.h"
#include "tests/support/beam.h"

namespace supple {
namespace {

constexpr double kRounding = 1e-10;

// A beam of which everything but the middle of its right half is driven, so most tets have no free vertex.
ModelSpec mostly_driven(const test::BeamOptions& o) {
  ModelSpec spec = test::beam_spec(o);
  spec.driven = test::vertices_where(spec.mesh, [&](const Vec3& x) {
    return x[0] < 0.6 * o.size[0] - 1e-9 || x[0] > 0.95 * o.size[0] || x[1] < 1e-9;
  });
  return spec;
}

test::BeamOptions options_of(MaterialModel material = MaterialModel::stable_neo_hookean) {
  test::BeamOptions o{.nx = 10, .ny = 3, .nz = 2, .material = material, .gravity = {0.5, -9.81, 0}};
  o.parameters.youngs_modulus = 2e4;
  o.parameters.stiffness_damping = 0.004;
  return o;
}

ModelSpec trimmed(ModelSpec spec) {
  spec.trimmed = true;
  return spec;
}

void add_springs(ModelSpec& spec) {
  std::vector<char> driven(spec.mesh.vertices.size(), 0);
  for (int v : spec.driven) driven[v] = 1;
  int next = 0;
  for (const Tet& tet : spec.mesh.tets) {
    if (driven[tet[0]] || ++next % 3 != 0) continue;
    spec.springs.push_back({tet, Eigen::Vector4d(0.7, 0.1, 0.1, 0.1)});
    spec.spring_strengths.push_back(5.0 + next);
  }
}

// The driven vertices bent and shaken; what is left out is strained as well.
std::shared_ptr<const Track> bent(const Model& model) {
  return test::moved(model, [](const Vec3& x, double t, int d) {
    const double w = 2 * std::numbers::pi * 2;
    const double f = d == 0 ? std::sin(w * t) : d == 1 ? w * std::cos(w * t) : -w * w * std::sin(w * t);
    return Vec3((d == 0 ? x : Vec3(0, 0, 0)) + f * Vec3(0.02 * x[0], 0.2 * x[0] * x[0], 0.01));
  });
}

Drive drive_of(const Model& model) {
  Drive drive = rest_drive(model);
  drive.vertices = bent(model);
  return drive;
}

double apart(const VecX& a, const VecX& b) { return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff(); }

TEST(Trimmed, most_tets_are_left_out) {
  const ModelSpec spec = mostly_driven(options_of());
  const size_t whole = Model(spec).elements()->list().size(), rest = Model(trimmed(spec)).elements()->list().size();
  EXPECT_EQ(whole, spec.mesh.tets.size());
  EXPECT_LT(rest, whole / 2);
  std::vector<char> driven(spec.mesh.vertices.size(), 0);
  for (int v : spec.driven) driven[v] = 1;
  size_t expected = 0;
  for (const Tet& t : spec.mesh.tets) expected += !(driven[t[0]] && driven[t[1]] && driven[t[2]] && driven[t[3]]);
  EXPECT_EQ(rest, expected);
}

class TrimmedRuns : public ::testing::TestWithParam<std::tuple<Integrator, MaterialModel>> {};

TEST_P(TrimmedRuns, steps_are_the_same) {
  const auto [integrator, material] = GetParam();
  ModelSpec spec = mostly_driven(options_of(material));
  spec.mass_damping = 0.3;
  add_springs(spec);
  ASSERT_GT(spec.springs.size(), 4u);
  const Model whole(spec), rest(trimmed(spec));
  const StepperOptions options{.integrator = integrator, .tolerance = 1e-12, .linear_solver = "eigen"};
  const auto run = [&](const Model& model) -> State {
    Stepper stepper(model, drive_of(model), options);
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    return test::run(stepper, stepper.start(0, zero, zero), 0.25, 12);
  };
  const State a = run(rest), b = run(whole);
  EXPECT_LT(apart(a.u, b.u), kRounding);
  EXPECT_LT(apart(a.v, b.v), kRounding);
  // The springs and the flesh have moved of their own.
  const VecX at_rest = StaticSolver(whole, drive_of(whole), "eigen", 1e-9).solve(0.25, VecX()).u;
  EXPECT_GT(apart(b.u, at_rest), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(all, TrimmedRuns,
                         ::testing::Combine(::testing::Values(Integrator::tr_bdf2, Integrator::backward_euler),
                                            ::testing::Values(MaterialModel::stable_neo_hookean,
                                                              MaterialModel::corotational, MaterialModel::linear,
                                                              MaterialModel::invertible_stvk)));

TEST(Trimmed, other_dampings_and_masses_are_the_same) {
  for (ElementDamping damping : {ElementDamping::full, ElementDamping::rest}) {
    test::BeamOptions o = options_of();
    o.damping = damping;
    o.mass = MassKind::consistent;
    const ModelSpec spec = mostly_driven(o);
    const auto run = [&](const Model& model) -> State {
      Stepper stepper(model, drive_of(model), {.tolerance = 1e-12, .linear_solver = "eigen"});
      const VecX zero = VecX::Zero(3 * model.n_vertices());
      return test::run(stepper, stepper.start(0, zero, zero), 0.25, 12);
    };
    EXPECT_LT(apart(run(Model(trimmed(spec))).u, run(Model(spec)).u), kRounding);
  }
}

TEST(Trimmed, equilibria_modes_and_rest_shapes_are_the_same) {
  ModelSpec spec = mostly_driven(options_of());
  add_springs(spec);
  const Model whole(spec), rest(trimmed(spec));
  const VecX a = StaticSolver(rest, drive_of(rest), "eigen", 1e-12).solve(0.1, VecX()).u;
  const VecX b = StaticSolver(whole, drive_of(whole), "eigen", 1e-12).solve(0.1, VecX()).u;
  EXPECT_LT(apart(a, b), kRounding);
  EXPECT_LT(apart(gravity_sag(rest, "eigen", 1e-12).u, gravity_sag(whole, "eigen", 1e-12).u), kRounding);

  const Modes ma = natural_modes(rest, 4), mb = natural_modes(whole, 4);
  ASSERT_TRUE(ma.ok && mb.ok);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(ma.frequencies_hz[i], mb.frequencies_hz[i], 1e-9 * mb.frequencies_hz[i]);
    const double sign = ma.shapes.col(i).dot(mb.shapes.col(i)) > 0 ? 1 : -1;
    EXPECT_LT(apart(sign * ma.shapes.col(i), mb.shapes.col(i)), 1e-6);
  }
  EXPECT_NEAR(lowest_frequency(rest), lowest_frequency(whole), 1e-9 * lowest_frequency(whole));

  ModelSpec hung = mostly_driven(options_of());
  const RestShape ra = solve_rest_shape(trimmed(hung), 1e-10, "eigen"), rb = solve_rest_shape(hung, 1e-10, "eigen");
  EXPECT_LT(apart(flatten(ra.vertices), flatten(rb.vertices)), kRounding);
}

TEST(Trimmed, parts_are_the_same) {
  // Free at both ends of the beam, driven in between.
  ModelSpec spec = test::beam_spec(options_of());
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return std::abs(x[0] - 0.2) < 0.13; });
  const Parts a = analyse_parts(Model(trimmed(spec))), b = analyse_parts(Model(spec));
  ASSERT_EQ(a.list.size(), 2u);
  ASSERT_EQ(b.list.size(), 2u);
  EXPECT_EQ(a.of_tet, b.of_tet);
  EXPECT_EQ(a.of_vertex, b.of_vertex);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(a.list[k].tets, b.list[k].tets);
    EXPECT_NEAR(a.list[k].frequency_hz, b.list[k].frequency_hz, 1e-6 * b.list[k].frequency_hz);
    EXPECT_NEAR(a.list[k].sag_m, b.list[k].sag_m, 1e-6 * b.list[k].sag_m);
  }
  const Model whole(spec), rest(trimmed(spec));
  const double fa = natural_modes(held_around(rest, a.list[1].vertices), 1).frequencies_hz[0];
  const double fb = natural_modes(held_around(whole, b.list[1].vertices), 1).frequencies_hz[0];
  EXPECT_NEAR(fa, fb, 1e-9 * fb);
}

// What is averaged around vertices reaches over from tets that are driven: they stay.
TEST(Trimmed, anti_locking_leaves_nothing_out) {
  ModelSpec spec = mostly_driven(options_of(MaterialModel::corotational));
  spec.anti_locking = true;
  const Model whole(spec), rest(trimmed(spec));
  EXPECT_EQ(rest.elements()->list().size(), spec.mesh.tets.size());
  EXPECT_EQ(gravity_sag(rest).u, gravity_sag(whole).u);
}

TEST(Trimmed, all_driven_leaves_nothing_and_follows) {
  ModelSpec spec = test::beam_spec(options_of());
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3&) { return true; });
  const Model model(trimmed(spec));
  EXPECT_TRUE(model.elements()->list().empty());
  Stepper stepper(model, drive_of(model), {});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  const State end = test::run(stepper, stepper.start(0, zero, zero), 0.1, 3);
  const VecX there = bent(model)->at(0.1) - flatten(spec.mesh.vertices);
  EXPECT_LT((end.u - there).cwiseAbs().maxCoeff(), 1e-12);
}

// A tet of driven vertices that its drive turns inside out harms nobody.
TEST(Trimmed, driven_tets_may_be_inside_out) {
  ModelSpec spec = mostly_driven(options_of());
  for (MaterialParameters& p : spec.per_tet) p.stiffness_damping = 0.01;
  const Model model(trimmed(spec));
  const auto folded = test::moved(model, [](const Vec3& x, double t, int d) {
    const double fold = x[0] < 0.1 ? -40 * t * x[0] : 0;
    return Vec3((d == 0                 ? Vec3(x[0] + fold, x[1], x[2])
                 : d == 1 && x[0] < 0.1 ? Vec3(-40 * x[0], 0, 0)
                                        : Vec3(0, 0, 0)));
  });
  Drive drive = rest_drive(model), still = drive;
  drive.vertices = folded;
  const auto run = [&](const Drive& by) -> VecX {
    Stepper stepper(model, by, {.tolerance = 1e-12, .linear_solver = "eigen"});
    const VecX zero = VecX::Zero(3 * model.n_vertices());
    return test::run(stepper, stepper.start(0, zero, zero), 0.2, 8).u;
  };
  const VecX a = run(drive), b = run(still);
  std::vector<char> driven(spec.mesh.vertices.size(), 0);
  for (int v : spec.driven) driven[v] = 1;
  double most = 0;
  for (int v = 0; v < model.n_vertices(); ++v)
    if (!driven[v]) most = std::max(most, (a.segment<3>(3 * v) - b.segment<3>(3 * v)).norm());
  EXPECT_LT(most, 1e-9);
  EXPECT_GT(b.norm(), 1e-3);
}

}  // namespace
}  // namespace supple
