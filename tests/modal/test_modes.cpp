// Modes of ten-node tets and what corrects them.
#include <gtest/gtest.h>

#include "solids.h"
#include "supple/base/error.h"

namespace supple {
namespace {

using namespace test;

const MaterialParameters kRubber = {.youngs_modulus = 8e5, .poisson_ratio = 0.3, .density = 1000};

TEST(Modes, a_beam_bends_at_the_frequency_of_beam_theory) {
  // f = (1.8751)^2 / (2 pi L^2) sqrt(E I / (rho A)); a slender beam, weaker across z.
  const double L = 0.5, b = 0.04, h = 0.02;
  const double expected = std::pow(1.87510407, 2) / (2 * kPi * L * L) * std::sqrt(8e5 * h * h / 12 / 1000);
  for (const bool quadratic : {true, false}) {
    SolidSpec spec = beam(12, 1, 1, Vec3(L, b, h), kRubber);
    spec.quadratic = quadratic;
    const Solid solid = make_solid(spec);
    ModalAnalysis analysis(solid, Vec3::Zero());
    const double f = std::sqrt(analysis.modes(2).squares[0]) / (2 * kPi);
    if (quadratic) {
      EXPECT_NEAR(f / expected, 1, 0.02);
    } else {
      EXPECT_GT(f / expected, 1.5);  // four nodes cannot bend: why ten are the default
    }
  }
}

TEST(Modes, all_shapes_are_orthonormal_in_mass_and_diagonal_in_stiffness) {
  const Solid solid = make_solid(belly(4));
  ModalAnalysis analysis(solid, Vec3(0, 0, -0.1));
  const ModalBasis all = analysis.modes(8), some = analysis.corrected(all, {2, 0, 5});
  EXPECT_EQ(some.n_modes, 3);
  const Eigen::Index n = some.squares.size();
  ASSERT_EQ(n, 15);
  const MatX m = some.shapes.transpose() * multiply(solid.all.mass, some.shapes);
  const MatX k = some.shapes.transpose() * multiply(solid.all.stiffness, some.shapes);
  EXPECT_LT((m - MatX::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((k - MatX(some.squares.asDiagonal())).cwiseAbs().maxCoeff(), 1e-6 * some.squares.maxCoeff());
  EXPECT_NEAR(some.squares[0], all.squares[2], 1e-12 * all.squares[2]);
  // Held is held.
  for (size_t i = 0; i < solid.nodes.size(); ++i)
    if (solid.nodes[i][2] < 1e-9) {
      EXPECT_EQ(some.shapes.middleRows(3 * static_cast<Eigen::Index>(i), 3).cwiseAbs().maxCoeff(), 0);
    }
}

TEST(Modes, with_corrections_any_steady_rigid_acceleration_is_met_exactly) {
  const Solid solid = make_solid(belly(4));
  ModalAnalysis analysis(solid, Vec3(0.02, 0.1, -0.1));
  const ModalBasis few = analysis.corrected(analysis.modes(3), {0, 1}),
                   bare = analysis.corrected(analysis.modes(3), {0, 1}, 10);
  EXPECT_EQ(bare.squares.size(), 2);
  const auto answer = [&](const ModalBasis& b, const VecX& force) {
    return VecX(b.shapes * (b.shapes.transpose() * force).cwiseQuotient(b.squares));
  };
  for (int j = 0; j < 12; ++j) {
    const VecX force = solid.all.mass.multiply(rigid_field(solid.nodes, Vec3(0.02, 0.1, -0.1), j));
    const VecX exact = analysis.statics().col(j);
    EXPECT_LT((answer(few, force) - exact).norm(), 1e-7 * exact.norm()) << j;
    EXPECT_GT((answer(bare, force) - exact).norm(), 1e-2 * exact.norm()) << j;
    // And that is an equilibrium: K u = M a at what is free.
    const VecX left = solid.map.restrict_(solid.all.stiffness.multiply(exact) - force);
    EXPECT_LT(left.norm(), 1e-9 * force.norm());
  }
}

TEST(Modes, the_few_corrections_of_a_pack_hang_and_lean_right) {
  // As packs have them: small ones left out. Gravity from all sides, and slow turning up to speed.
  for (const int n : {3, 5}) {
    const Solid solid = make_solid(belly(n));
    const Vec3 origin(0.02, 0.1, -0.1);
    ModalAnalysis analysis(solid, origin);
    const ModalBasis few = analysis.corrected(analysis.modes(6), {0, 1, 2, 4}, 0.02);
    EXPECT_LT(few.squares.size(), 16);
    const MatX loads = multiply(solid.all.mass, [&] {
      MatX fields(3 * static_cast<Eigen::Index>(solid.nodes.size()), 6);
      for (int j = 0; j < 6; ++j) fields.col(j) = rigid_field(solid.nodes, origin, j);
      return fields;
    }());
    for (int k = 0; k < 20; ++k) {
      const Vec3 down = Vec3(std::sin(2.0 * k), std::cos(3.0 * k), std::sin(5.0 * k + 1)).normalized();
      const VecX force = loads.rightCols(3) * down, exact = analysis.statics().middleCols(3, 3) * down;
      const VecX u = few.shapes * (few.shapes.transpose() * force).cwiseQuotient(few.squares);
      EXPECT_LT((u - exact).norm(), 0.02 * exact.norm());
    }
    for (int j = 0; j < 3; ++j) {
      const VecX exact = analysis.statics().col(j);
      const VecX u = few.shapes * (few.shapes.transpose() * loads.col(j)).cwiseQuotient(few.squares);
      EXPECT_LT((u - exact).norm(), 0.04 * exact.norm());
    }
  }
}

TEST(Modes, springs_hold) {
  SolidSpec spec = beam(4, 1, 1, Vec3(0.2, 0.05, 0.05), kRubber);
  const Solid loose = make_solid(spec);
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (spec.mesh.vertices[v][0] > 0.19) spec.springs.emplace_back(v, 500.0);
  const Solid held = make_solid(spec);
  EXPECT_GT(ModalAnalysis(held, Vec3::Zero()).modes(1).squares[0],
            1.2 * ModalAnalysis(loose, Vec3::Zero()).modes(1).squares[0]);
}

TEST(Modes, flesh_that_nothing_holds_is_refused) {
  SolidSpec spec = beam(2, 1, 1, Vec3(0.2, 0.1, 0.1), kRubber);
  SolidSpec all = spec, none = spec;
  std::fill(all.fixed.begin(), all.fixed.end(), 1);
  std::fill(none.fixed.begin(), none.fixed.end(), 0);
  EXPECT_THROW(make_solid(all), InputError);
  EXPECT_THROW(make_solid(none), InputError);
  EXPECT_NO_THROW(make_solid(spec));
}

}  // namespace
}  // namespace supple
