// Flesh that holds a keyed shape resists being turned inside out, and does not where it is as keyed.
#include "supple/rigspace/rig_held_shape.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

Model one_tet() {
  ModelSpec spec;
  spec.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  spec.mesh.tets = {{0, 1, 2, 3}};
  spec.per_tet = {{.youngs_modulus = 1e3, .poisson_ratio = 0.3}};
  return Model(spec);
}

struct HeldTet {
  Model model = one_tet();
  HeldShape shape{model};
  HeldTet() {
    const VecX keyed = VecX::Zero(12);
    shape.set_shape(shape.strains(keyed), 1, 1);
    shape.keep_volumes_of(keyed);
  }
  double energy(const VecX& u) const {
    double e = 0;
    shape.add({u, u, u, 0, 0}, {.energy = &e});
    return e;
  }
  VecX residual(const VecX& u) const {
    VecX r = VecX::Zero(12);
    shape.add({u, u, u, 0, 0}, {.residual = &r});
    return r;
  }
};

TEST(HeldShape, ResidualIsTheSlopeOfItsEnergyAlsoWhereItResists) {
  const HeldTet tet;
  for (const double height : {0.5, 0.2, -0.4}) {
    VecX u = VecX::Zero(12);
    u << 0.01, 0.02, 0, 0, 0.03, 0.01, -0.02, 0, 0, 0.01, 0, height - 1;
    const VecX r = tet.residual(u);
    for (int i = 0; i < 12; ++i) {
      const double h = 1e-6;
      VecX up = u, down = u;
      up[i] += h, down[i] -= h;
      EXPECT_NEAR(r[i], (tet.energy(up) - tet.energy(down)) / (2 * h), 1e-5 * r.cwiseAbs().maxCoeff()) << height;
    }
  }
}

// St. Venant and Kirchhoff's material alone is at rest again as its own mirror image.
TEST(HeldShape, AMirroredTetIsPushedBack) {
  const HeldTet tet;
  VecX u = VecX::Zero(12);
  EXPECT_LT(tet.residual(u).cwiseAbs().maxCoeff(), 1e-12);
  u[11] = -2;
  EXPECT_LT(tet.residual(u)[11], -100);
}

}  // namespace
}  // namespace supple
