// Equilibria that are far from where the solver starts.
#include "supple/sim/static_solver.h"

#include <gtest/gtest.h>

#include "tests/support/beam.h"

namespace supple {

// A bar that is far too soft to carry itself: it falls, bends by more than its length and hangs.
TEST(StaticSolver, AVerySoftBarHangs) {
  for (MaterialModel material :
       {MaterialModel::stable_neo_hookean, MaterialModel::invertible_stvk, MaterialModel::corotational}) {
    test::BeamOptions o{.nx = 16, .ny = 2, .nz = 2, .size = {0.4, 0.04, 0.04}, .material = material};
    o.parameters = {.youngs_modulus = 2e4, .poisson_ratio = 0.3, .density = 1000};
    o.gravity = Vec3(-9.8, 0.1, 0);
    const Model model(test::beam_spec(o));
    StaticSolver solver(model, rest_drive(model));
    const auto r = solver.solve(0, VecX());
    EXPECT_TRUE(r.converged) << name_of(material) << ": " << r.trouble;
    EXPECT_LE(r.newton_iterations, 60) << name_of(material);
    EXPECT_GT(r.u.cwiseAbs().maxCoeff(), 0.3);
  }
}

// A stiff bar that turns freely about an edge of its end: nothing but its weight decides where it comes to rest.
TEST(StaticSolver, AHingedBarSwingsDown) {
  test::BeamOptions o{.nx = 8, .ny = 2, .nz = 2, .size = {0.4, 0.05, 0.05}};
  o.parameters = {.youngs_modulus = 1e8, .poisson_ratio = 0.4, .density = 1000};
  o.gravity = Vec3(0, -9.81, 0);
  ModelSpec spec = test::beam_spec(o);
  spec.driven = test::vertices_where(spec.mesh, [](const Vec3& x) { return x[0] < 1e-9 && x[1] < 1e-9; });
  const Model model(std::move(spec));
  StaticSolver solver(model, rest_drive(model));
  const auto r = solver.solve(0, VecX());
  EXPECT_TRUE(r.converged) << r.trouble;
  // Its centre of mass hangs below the edge.
  Vec3 centre = Vec3::Zero();
  for (int v = 0; v < model.n_vertices(); ++v)
    centre +=
        model.mass()->per_vertex()[v] * (model.mesh().vertices[v] + r.u.segment<3>(3 * v)) / model.mass()->total();
  EXPECT_NEAR(centre[0], 0, 1e-4);
  EXPECT_LT(centre[1], -0.19);
}

}  // namespace supple
