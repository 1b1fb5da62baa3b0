#include "supple/linalg/block_matrix.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/affine_map.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

#ifndef SUPPLE_SANITIZED  // there it is the end
TEST(PatternBuilder, what_cannot_be_is_told_with_its_place) {
  PatternBuilder builder(2);
  try {
    builder.couple(0, 2);
    ADD_FAILURE();
  } catch (const OwnFault& e) {
    EXPECT_NE(std::string(e.what()).find("expected a row and a column of the matrix (linalg/block_matrix.cpp:"),
              std::string::npos)
        << e.what();
  }
}
#endif

TEST(PatternBuilder, HoldsEachPairOnceAndTheDiagonal) {
  PatternBuilder builder(6);
  const std::array<int, 3> face = {4, 0, 2};
  builder.couple(face);
  builder.couple(face);
  builder.couple(2, 5);
  builder.couple(3, 3);
  const auto p = builder.build();
  EXPECT_EQ(p->n, 6);
  EXPECT_EQ(p->size(), 6 + 4);
  EXPECT_EQ(p->find(4, 2), p->row_start[4] + 1);
  EXPECT_EQ(p->find(4, 1), -1);
  EXPECT_GE(p->find(5, 2), 0);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(p->find(i, i), p->row_start[static_cast<size_t>(i) + 1] - 1);
    for (int k = p->row_start[static_cast<size_t>(i)]; k + 1 < p->row_start[static_cast<size_t>(i) + 1]; ++k)
      EXPECT_LT(p->col[static_cast<size_t>(k)], p->col[static_cast<size_t>(k) + 1]);
  }
}

TEST(PatternBuilder, ManyRepeatedPairsGiveTheSamePattern) {
  // Enough repetitions for the list of pairs to be squeezed several times on the way.
  const Lattice lattice = make_lattice(6, 6, 6);
  PatternBuilder builder(static_cast<int>(lattice.points.size()));
  for (int repeat = 0; repeat < 1500; ++repeat)
    for (const Tet& t : lattice.tets) builder.couple(t);
  const auto often = builder.build(), once = pattern_of(lattice);
  EXPECT_EQ(often->col, once->col);
  EXPECT_EQ(often->row_start, once->row_start);
  EXPECT_EQ(once->size(), static_cast<int>(lattice.points.size() + lattice.edges.size()));
}

TEST(PatternBuilder, EmptyIsFine) {
  const auto p = PatternBuilder(0).build();
  EXPECT_EQ(p->size(), 0);
  EXPECT_EQ(BlockMatrix(p).multiply(VecX()).size(), 0);
}

TEST(BlockMatrix, ProductSumAndDenseAgree) {
  const auto p = pattern_of(make_lattice(3, 2, 2));
  BlockMatrix a = random_spd(p, 1);
  const BlockMatrix b = random_spd(p, 2);
  const VecX x = random_matrix(3 * p->n, 1, 3);
  EXPECT_LT((a.multiply(x) - a.dense() * x).norm(), 1e-12 * (a.dense() * x).norm());
  EXPECT_EQ(a.dense(), a.dense().transpose());
  EXPECT_EQ(a.max_abs_diagonal(), a.dense().diagonal().cwiseAbs().maxCoeff());
  const MatX sum = a.dense() - 2.5 * b.dense();
  a.add(-2.5, b);
  EXPECT_LT((a.dense() - sum).norm(), 1e-12 * sum.norm());
  a.set_zero();
  EXPECT_EQ(a.dense().norm(), 0);
}

// Z as a dense matrix acting on flat vectors.
MatX dense_of(const AffineMap& map) {
  MatX z = MatX::Zero(3 * map.n(), 3 * map.n_free());
  for (int i = 0; i < map.n(); ++i)
    for (const auto& [f, w] : map.row(i)) z.block<3, 3>(3 * i, 3 * f) += w * Mat3::Identity();
  return z;
}

AffineMap random_map(int n, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::vector<std::pair<int, double>>> rows(static_cast<size_t>(n));
  std::vector<int> eliminated;
  int n_free = 0;
  for (int i = 0; i < n; ++i) {
    const double kind = uniform(rng);
    if (kind < -0.6) continue;  // driven
    if (kind < 0)
      eliminated.push_back(i);
    else
      rows[static_cast<size_t>(i)] = {{n_free++, 1.0}};
  }
  for (int i : eliminated) {
    std::set<int> used;
    for (int e = 0; e < 4; ++e) used.insert(static_cast<int>(rng() % static_cast<unsigned>(n_free)));
    for (int f : used) rows[static_cast<size_t>(i)].push_back({f, uniform(rng)});
  }
  return AffineMap(rows, n_free);
}

TEST(AffineMap, ExpandRestrictGather) {
  const AffineMap map = random_map(40, 7);
  const MatX z = dense_of(map);
  ASSERT_FALSE(map.is_selection());
  const VecX y = random_matrix(3 * map.n_free(), 1, 1), r = random_matrix(3 * map.n(), 1, 2);
  const VecX u = map.expand(y);
  EXPECT_LT((u - z * y).norm(), 1e-13);
  EXPECT_LT((map.expand(y, r) - z * y - r).norm(), 1e-13);
  EXPECT_LT((map.restrict_(r) - z.transpose() * r).norm(), 1e-13);
  EXPECT_EQ(map.gather(u), y);
}

TEST(AffineMap, Without) {
  const AffineMap map = AffineMap::without(6, {4, 1, 1});
  EXPECT_TRUE(map.is_selection());
  EXPECT_EQ(map.n_free(), 4);
  EXPECT_EQ(map.free_index(0), 0);
  EXPECT_EQ(map.free_index(1), -1);
  EXPECT_EQ(map.free_index(5), 3);
  EXPECT_TRUE(map.row(4).empty());
}

TEST(Reduction, MatchesTheDenseProduct) {
  const auto p = pattern_of(make_lattice(3, 3, 2));
  const BlockMatrix a = random_spd(p, 4);
  for (unsigned seed = 0; seed < 6; ++seed) {
    const AffineMap map = seed == 0 ? AffineMap::without(p->n, {0, 3, 17, p->n - 1}) : random_map(p->n, seed);
    const Reduction reduction(map, p);
    BlockMatrix reduced;
    reduction.apply(a, reduced);
    const MatX z = dense_of(map), exact = z.transpose() * a.dense() * z;
    EXPECT_LT((reduced.dense() - exact).norm(), 1e-13 * exact.norm()) << seed;
    EXPECT_EQ(reduced.pattern, reduction.pattern());
    const Reduction products(map, p, Reduction::Way::two_products);
    products.apply(a, reduced);
    EXPECT_LT((reduced.dense() - exact).norm(), 1e-13 * exact.norm()) << seed;
    products.apply(a, reduced);  // nothing is left over from the last time
    EXPECT_LT((reduced.dense() - exact).norm(), 1e-13 * exact.norm()) << seed;
  }
}

TEST(Reduction, WeldsAndReversedOrder) {
  // Vertices that share one unknown, and unknowns numbered backwards: selections that are no plain copy.
  const auto p = pattern_of(make_lattice(2, 2, 1));
  const BlockMatrix a = random_spd(p, 5);
  for (int fold : {1, 2}) {
    std::vector<std::vector<std::pair<int, double>>> rows;
    const int n_free = (p->n + fold - 1) / fold;
    for (int i = 0; i < p->n; ++i) rows.push_back({{n_free - 1 - i / fold, 1.0}});
    const AffineMap map(rows, n_free);
    EXPECT_TRUE(map.is_selection());
    BlockMatrix reduced;
    Reduction(map, p).apply(a, reduced);
    const MatX z = dense_of(map), exact = z.transpose() * a.dense() * z;
    EXPECT_LT((reduced.dense() - exact).norm(), 1e-13 * exact.norm());
  }
}

TEST(Reduction, SameBitsForAnyThreadCount) {
  const auto p = pattern_of(make_lattice(12, 12, 8));
  BlockMatrix a(p);
  const MatX random = random_matrix(static_cast<Eigen::Index>(a.values.size()), 1, 9);
  std::copy_n(random.data(), a.values.size(), a.values.begin());
  const AffineMap map = random_map(p->n, 3);
  const Reduction reduction(map, p, Reduction::Way::contributions), products(map, p, Reduction::Way::two_products);
  const VecX r = random_matrix(3 * p->n, 1, 2);
  set_thread_count(1);
  BlockMatrix one, two, one_product, two_product;
  reduction.apply(a, one);
  products.apply(a, one_product);
  const VecX restricted = map.restrict_(r), expanded = map.expand(restricted);
  set_thread_count(2);
  reduction.apply(a, two);
  products.apply(a, two_product);
  EXPECT_EQ(one.values, two.values);
  EXPECT_EQ(one_product.values, two_product.values);
  EXPECT_EQ(restricted, map.restrict_(r));
  EXPECT_EQ(expanded, map.expand(restricted));
  set_thread_count(0);
}

}  // namespace
}  // namespace supple
