// Equilibria are not unique: p is followed along one branch, and over a jump to another.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "supple/inertia/simulation.h"
#include "tests/support/beam.h"

namespace supple {

namespace {

// An arch along x, both ends driven: pushed together, then turned downwards until it snaps through.
constexpr double kLength = 0.4, kRise = 0.06;

ModelSpec arch_spec() {
  test::BeamOptions o{.nx = 20, .ny = 1, .nz = 2, .size = Vec3(kLength, 0.01, 0.04)};
  o.parameters.stiffness_damping = 0.004;
  ModelSpec spec = test::beam_spec(o);
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9 || x[0] > kLength - 1e-9; });
  for (Vec3& x : spec.mesh.vertices) x[1] += 4 * kRise * x[0] * (kLength - x[0]) / (kLength * kLength);
  return spec;
}

std::shared_ptr<const Track> turned_ends(const Model& model) {
  return test::moved(model, [](const Vec3& x, double t, int d) {
    auto place = [&](double time) {
      auto eased = [](double s) { return s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 + s * (6 * s - 15)); };
      const double turn = eased((time - 0.2) / 0.5), squeeze = 0.01 * eased((time - 0.05) / 0.15);
      const bool left = x[0] < kLength / 2;
      const Vec3 pivot(left ? 0 : kLength, 0.005, 0.02);
      return Vec3(pivot + Eigen::AngleAxisd((left ? -1 : 1) * 1.4 * turn, Vec3::UnitZ()) * (x - pivot) +
                  Vec3(left ? squeeze : -squeeze, 0, 0));
    };
    const double e = 1e-4;
    if (d == 0) return place(t);
    if (d == 1) return Vec3((place(t + e) - place(t - e)) / (2 * e));
    return Vec3((place(t + e) - 2 * place(t) + place(t - e)) / (e * e));
  });
}

double middle_height(const Model& model, const VecX& u) {
  double y = 0, n = 0;
  for (int i = 0; i < model.n_vertices(); ++i)
    if (std::abs(model.mesh().vertices[i][0] - kLength / 2) < 1e-6)
      y += model.mesh().vertices[i][1] + u[3 * i + 1], n += 1;
  return y / n;
}

}  // namespace

TEST(BranchJumps, SnappingArchStaysFiniteAndIsFlagged) {
  const Model model(arch_spec());
  for (double epsilon : {0.0, 1.0, 2.0}) {
    Adjustment adjustment;
    adjustment.epsilon = VecX::Constant(model.n_vertices(), epsilon);
    Simulation s(model, {.drive = {.vertices = turned_ends(model)},
                         .adjustment = adjustment,
                         .frame = 1.0 / 48,
                         .substeps = 2,
                         .t_end = 1});
    s.start(false);
    const double before = middle_height(model, s.p());
    double largest_step = 0, worst = 0;
    VecX last = s.p();
    for (int i = 0; i < 96; ++i) {
      s.step();
      ASSERT_TRUE(s.state().u.allFinite());
      largest_step = std::max(largest_step, (s.p() - last).cwiseAbs().maxCoeff());
      worst = std::max(worst, (s.state().u - s.p()).cwiseAbs().maxCoeff());
      last = s.p();
    }
    const double after = middle_height(model, s.p());
    EXPECT_GT(before, 0.02);
    EXPECT_LT(after, 0);  // it did snap through
    ASSERT_GE(s.track().jumps().size(), 1u);
    const BranchJump& jump = s.track().jumps()[0];
    EXPECT_GT(jump.t, 0.05);
    EXPECT_LT(jump.t, 0.75);
    EXPECT_GT(jump.distance, 0.01);
    EXPECT_NEAR(model.mesh().vertices[jump.vertex][0], kLength / 2, 0.1);
    // Bridged over 0.1 s or more: no step of p is more than a share of the whole jump.
    EXPECT_LT(largest_step, 0.35 * jump.distance);
    EXPECT_LT(worst, epsilon == 0 ? 0.06 : 0.3);
  }
}

// A drive that merely turns and bends fast is no jump.
TEST(BranchJumps, FastSmoothDrivesAreNotFlagged) {
  test::BeamOptions o;
  o.gravity = {0, -9.81, 0};
  o.parameters.youngs_modulus = 2e5;
  const Model model(test::beam_spec(o));
  const auto track = test::moved(model, [](const Vec3& x, double t, int) {
    const double a = 1.5 * std::sin(2 * M_PI * 1.5 * t);
    return Vec3(Eigen::AngleAxisd(a, Vec3(0.3, 0.2, 1).normalized()) * x + Vec3(0.3 * std::sin(9 * t), 0, 0));
  });
  StaticTrack p(model, {.vertices = track}, {.knot_spacing = 1.0 / 24});
  for (int i = 0; i < 48; ++i) p.at(i / 24.0);
  EXPECT_TRUE(p.jumps().empty());
  EXPECT_EQ(p.unconverged(), 0);
}

}  // namespace supple
