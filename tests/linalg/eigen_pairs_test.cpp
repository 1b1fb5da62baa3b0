#include "supple/linalg/eigen_pairs.h"

#include <gtest/gtest.h>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
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

// The dense eigenvalues, once a problem.
VecX dense_values(const BlockMatrix& k, const BlockMatrix& m) { return symmetric_eigen(k.dense(), m.dense()).values; }

void compare(const BlockMatrix& k, const BlockMatrix& m, const VecX& dense, const EigenPairs& pairs, int wanted) {
  ASSERT_TRUE(pairs.ok) << pairs.message;
  ASSERT_EQ(pairs.values.size(), wanted);
  // Zero modes have no size of their own.
  const double scale = std::max(dense[wanted - 1], 1e-4 * dense.maxCoeff());
  for (int i = 0; i < wanted; ++i) EXPECT_NEAR(pairs.values[i], dense[i], 1e-9 * scale) << i;
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
  const VecX dense = dense_values(k, m);
  for (const char* name : {"mumps", "eigen"})
    for (int wanted : {1, 2, 5, 12, 40}) {
      auto solver = make_solver(name);
      compare(k, m, dense, lowest_eigenpairs(k, m, wanted, *solver), wanted);
    }
}

TEST(EigenPairs, SixZeroModesWithANegativeShift) {
  const Lattice lattice = make_lattice(6, 5, 4);
  const auto p = pattern_of(lattice);
  const BlockMatrix k = truss(lattice, p), m = consistent_mass(lattice, p);
  const VecX dense = dense_values(k, m);
  auto solver = make_solver("mumps");
  for (int wanted : {6, 8, 14}) {
    const EigenPairs pairs = lowest_eigenpairs(k, m, wanted, *solver, -0.01);
    compare(k, m, dense, pairs, wanted);
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
  const VecX dense = dense_values(k, m);
  auto solver = make_solver("eigen");
  for (int wanted : {1, 3, 4, 12, 13, 25}) {
    const EigenPairs pairs = lowest_eigenpairs(k, m, wanted, *solver, -0.05);
    compare(k, m, dense, pairs, wanted);
  }
}

TEST(EigenPairs, CopiesBeyondTheBlockAreLookedFor) {
  // Two levels far below the rest, nine copies each: the first pass converges on six copies of either before rounding
  // could bring in the others.
  const int n = 100;
  const auto p = PatternBuilder(n).build();
  BlockMatrix k(p), m(p);
  ground(m, 1.0);
  for (int i = 0; i < n; ++i) add_block(k, i, i, (i < 3 ? 1.0 : i < 6 ? 1.1 : 1e5 + 37.0 * i) * Mat3::Identity());
  auto solver = make_solver("eigen");
  const EigenPairs pairs = lowest_eigenpairs(k, m, 12, *solver);
  ASSERT_TRUE(pairs.ok) << pairs.message;
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(pairs.values[i], i < 9 ? 1.0 : 1.1, 1e-9) << i;
}

TEST(EigenPairs, TinyProblemsGiveWhatThereIs) {
  const Lattice lattice = make_lattice(1, 1, 1);
  const auto p = pattern_of(lattice);
  BlockMatrix k = truss(lattice, p);
  ground(k, 0.5);
  const BlockMatrix m = consistent_mass(lattice, p);
  const VecX dense = dense_values(k, m);
  auto solver = make_solver("eigen");
  compare(k, m, dense, lowest_eigenpairs(k, m, 100, *solver), 24);
  compare(k, m, dense, lowest_eigenpairs(k, m, 4, *solver), 4);
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
