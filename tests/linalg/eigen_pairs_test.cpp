#include "supple/linalg/eigen_pairs.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "supple/base/parallel.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

BlockMatrix consistent_mass(const Lattice& lattice, const std::shared_ptr<const BlockPattern>& pattern) {
  BlockMatrix m(pattern);
  for (const auto& [i, j] : lattice.edges) {
    add_block(m, i, i, 0.2 * Mat3::Identity());
    add_block(m, j, j, 0.2 * Mat3::Identity());
    add_block(m, i, j, 0.1 * Mat3::Identity());
  }
  return m;
}

// The same operator on x, y, z: the Laplacian of a cube's lattice, whose spectrum has triples of its own.
BlockMatrix laplacian(const Lattice& lattice, const std::shared_ptr<const BlockPattern>& pattern) {
  BlockMatrix k(pattern);
  for (const auto& [i, j] : lattice.edges) {
    const Vec3 d = lattice.points[static_cast<size_t>(i)] - lattice.points[static_cast<size_t>(j)];
    if (d.squaredNorm() > 1.5) continue;
    add_block(k, i, i, Mat3::Identity());
    add_block(k, j, j, Mat3::Identity());
    add_block(k, i, j, -Mat3::Identity());
  }
  return k;
}

void compare_with_dense(const BlockMatrix& k, const BlockMatrix& m, const EigenPairs& pairs, int wanted) {
  ASSERT_TRUE(pairs.ok) << pairs.message;
  ASSERT_EQ(pairs.values.size(), wanted);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> dense(k.dense(), m.dense());
  // Zero modes have no size of their own.
  const double scale = std::max(dense.eigenvalues()[wanted - 1], 1e-4 * dense.eigenvalues().maxCoeff());
  for (int i = 0; i < wanted; ++i) EXPECT_NEAR(pairs.values[i], dense.eigenvalues()[i], 1e-9 * scale) << i;
  const MatX gram = pairs.vectors.transpose() * m.dense() * pairs.vectors;
  EXPECT_LT((gram - MatX::Identity(wanted, wanted)).norm(), 1e-10);
  const MatX residual = k.dense() * pairs.vectors - m.dense() * pairs.vectors * pairs.values.asDiagonal();
  EXPECT_LT(residual.norm(), 1e-6 * scale);
}

TEST(EigenPairs, GroundedBoxAgainstDense) {
  const Lattice lattice = make_lattice(7, 4, 3);
  const auto p = pattern_of(lattice);
  BlockMatrix k = truss(lattice, p);
  ground(k, 0.01);
  const BlockMatrix m = consistent_mass(lattice, p);
  for (const char* name : {"mumps", "eigen"})
    for (int wanted : {1, 2, 5, 12, 40}) {
      auto solver = make_solver(name);
      compare_with_dense(k, m, lowest_eigenpairs(k, m, wanted, *solver), wanted);
    }
}

TEST(EigenPairs, SixZeroModesWithANegativeShift) {
  const Lattice lattice = make_lattice(6, 5, 4);
  const auto p = pattern_of(lattice);
  const BlockMatrix k = truss(lattice, p), m = consistent_mass(lattice, p);
  auto solver = make_solver("mumps");
  for (int wanted : {6, 8, 14}) {
    const EigenPairs pairs = lowest_eigenpairs(k, m, wanted, *solver, -0.01);
    compare_with_dense(k, m, pairs, wanted);
    EXPECT_LT(pairs.values.head(6).cwiseAbs().maxCoeff(), 1e-10);
    if (wanted > 6) {
      EXPECT_GT(pairs.values[6], 1e-4);
    }
  }
}

TEST(EigenPairs, RepeatedEigenvaluesAreAllFound) {
  // Multiplicities 3, 9, 9, 3, 9, ...: more copies than the block has columns.
  const Lattice lattice = make_lattice(5, 5, 5);
  const auto p = pattern_of(lattice);
  BlockMatrix k = laplacian(lattice, p);
  BlockMatrix m(p);
  ground(m, 2.0);
  auto solver = make_solver("eigen");
  for (int wanted : {1, 3, 4, 12, 13, 25}) {
    const EigenPairs pairs = lowest_eigenpairs(k, m, wanted, *solver, -0.05);
    compare_with_dense(k, m, pairs, wanted);
  }
}

TEST(EigenPairs, TinyProblemsGiveWhatThereIs) {
  const Lattice lattice = make_lattice(1, 1, 1);
  const auto p = pattern_of(lattice);
  BlockMatrix k = truss(lattice, p);
  ground(k, 0.5);
  const BlockMatrix m = consistent_mass(lattice, p);
  auto solver = make_solver("eigen");
  compare_with_dense(k, m, lowest_eigenpairs(k, m, 100, *solver), 24);
  compare_with_dense(k, m, lowest_eigenpairs(k, m, 4, *solver), 4);
  EXPECT_TRUE(lowest_eigenpairs(k, m, 0, *solver).ok);
}

TEST(EigenPairs, AnIndefiniteShiftIsExplained) {
  const Lattice lattice = make_lattice(6, 4, 4);
  const auto p = pattern_of(lattice);
  BlockMatrix k = truss(lattice, p);
  const BlockMatrix m = consistent_mass(lattice, p);
  auto solver = make_solver("mumps");
  const EigenPairs pairs = lowest_eigenpairs(k, m, 3, *solver, 1.0);
  EXPECT_FALSE(pairs.ok);
  EXPECT_NE(pairs.message.find("negative shift"), std::string::npos);
}

TEST(EigenPairs, SameBitsForAnyThreadCount) {
  const Lattice lattice = make_lattice(8, 5, 5);
  const auto p = pattern_of(lattice);
  BlockMatrix k = truss(lattice, p);
  ground(k, 0.01);
  const BlockMatrix m = consistent_mass(lattice, p);
  EigenPairs pairs[2];
  for (int threads : {1, 2}) {
    set_thread_count(threads);
    auto solver = make_solver("auto", p->n);
    pairs[threads - 1] = lowest_eigenpairs(k, m, 5, *solver);
  }
  set_thread_count(0);
  EXPECT_EQ(pairs[0].values, pairs[1].values);
  EXPECT_EQ(pairs[0].vectors, pairs[1].vectors);
}

}  // namespace
}  // namespace supple
