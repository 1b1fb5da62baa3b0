#include "supple/linalg/solver.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>
#include <numeric>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

class EachSolver : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    solver = make_solver(GetParam());
    solver->set_tolerance(1e-13);
  }
  std::unique_ptr<LinearSolver> solver;
};
INSTANTIATE_TEST_SUITE_P(All, EachSolver, testing::ValuesIn(solver_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(EachSolver, AgreesWithDenseForManyRightHandSides) {
  const auto p = pattern_of(make_lattice(5, 4, 3));
  solver->analyse(p);
  for (unsigned seed = 1; seed < 4; ++seed) {
    const BlockMatrix a = random_spd(p, seed);
    ASSERT_EQ(solver->factorize(a), FactorStatus::ok);
    const MatX b = random_matrix(3 * p->n, 7, seed), exact = a.dense().llt().solve(b);
    MatX x;
    EXPECT_TRUE(solver->solve(b, x).ok);
    EXPECT_LT((x - exact).norm(), 1e-11 * exact.norm());
    EXPECT_LT((solver->solve(VecX(b.col(2))) - exact.col(2)).norm(), 1e-11 * exact.col(2).norm());
  }
  EXPECT_EQ(solver->stats().analyses, 1);
  EXPECT_EQ(solver->stats().factorizations, 3);
  EXPECT_EQ(solver->stats().solves, 6);
  EXPECT_GT(solver->stats().factorize_s, 0);
}

TEST_P(EachSolver, StiffTruss) {
  const Lattice lattice = make_lattice(7, 6, 5);
  const auto p = pattern_of(lattice);
  BlockMatrix a = truss(lattice, p);
  ground(a, 1e-4);
  solver->analyse(p);
  ASSERT_EQ(solver->factorize(a), FactorStatus::ok);
  const VecX exact = random_matrix(3 * p->n, 1, 5), b = a.multiply(exact);
  EXPECT_LT((a.multiply(solver->solve(b)) - b).norm(), 1e-11 * b.norm());
  EXPECT_LT((solver->solve(b) - exact).norm(), 1e-7 * exact.norm());
}

TEST_P(EachSolver, SmallAndUnconnected) {
  for (int n : {0, 1, 2, 5, 40}) {
    const auto p = PatternBuilder(n).build();
    BlockMatrix a(p);
    ground(a, 4.0);
    solver->analyse(p);
    ASSERT_EQ(solver->factorize(a), FactorStatus::ok) << n;
    const MatX b = random_matrix(3 * n, 2, 1);
    MatX x;
    EXPECT_TRUE(solver->solve(b, x).ok);
    ASSERT_EQ(x.rows(), 3 * n);
    EXPECT_LT((4 * x - b).norm(), 1e-13);
  }
}

// Whether the solver says, at the latest while it solves, that the matrix is not positive definite.
bool refuses(LinearSolver& solver, const BlockMatrix& a) {
  solver.analyse(a.pattern);
  const FactorStatus status = solver.factorize(a);
  EXPECT_NE(status, FactorStatus::failed);
  if (solver.direct() || status != FactorStatus::ok) return status == FactorStatus::not_positive_definite;
  MatX x;
  return !solver.solve(random_matrix(3 * a.n(), 1, 1), x).ok;
}

TEST_P(EachSolver, IndefiniteIsReported) {
  const Lattice lattice = make_lattice(6, 5, 4);
  const auto p = pattern_of(lattice);
  BlockMatrix a = truss(lattice, p);
  ground(a, 1e-2);
  EXPECT_FALSE(refuses(*solver, a));
  // One eigenvalue just below zero, with a diagonal that shows nothing.
  const VecX spectrum = symmetric_eigen(a.dense()).values;
  BlockMatrix slightly = a, wholly = a;
  ground(slightly, -spectrum[0] - 0.5 * (spectrum[6] - spectrum[5]));
  EXPECT_TRUE(refuses(*solver, slightly));
  for (double& v : wholly.values) v = -v;
  EXPECT_TRUE(refuses(*solver, wholly));
  // One negative entry at the first, a middle and the last vertex.
  for (int vertex : {0, p->n / 2, p->n - 1}) {
    BlockMatrix one = a;
    add_block(one, vertex, vertex, Vec3(0, -20, 0).asDiagonal());
    EXPECT_TRUE(refuses(*solver, one)) << vertex;
  }
  // The same object serves a good matrix afterwards.
  EXPECT_FALSE(refuses(*solver, a));
}

TEST_P(EachSolver, SingularIsReported) {
  const Lattice lattice = make_lattice(3, 3, 3);
  const auto p = pattern_of(lattice);
  BlockMatrix a = truss(lattice, p);
  ground(a, 0.1);
  for (int vertex : {0, 20, p->n - 1}) {
    BlockMatrix hole = a;  // nothing holds this vertex
    for (int j = 0; j < p->n; ++j) {
      const int k = p->find(std::max(vertex, j), std::min(vertex, j));
      if (k >= 0) std::fill_n(hole.block(k), 9, 0.0);
    }
    EXPECT_TRUE(refuses(*solver, hole)) << vertex;
  }
  BlockMatrix zero(p);
  EXPECT_TRUE(refuses(*solver, zero));
}

TEST_P(EachSolver, NotFiniteIsAFailure) {
  const auto p = pattern_of(make_lattice(2, 2, 2));
  solver->analyse(p);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    BlockMatrix a = random_spd(p, 1);
    a.values[9 * 7 + 4] = bad;
    EXPECT_EQ(solver->factorize(a), FactorStatus::failed);
    EXPECT_FALSE(solver->message().empty());
  }
  EXPECT_EQ(solver->factorize(random_spd(p, 1)), FactorStatus::ok);
}

TEST_P(EachSolver, SameBitsForAnyThreadCount) {
  const Lattice lattice = make_lattice(13, 12, 11);
  const auto p = pattern_of(lattice);
  BlockMatrix a = truss(lattice, p);
  ground(a, 0.01);
  const MatX b = random_matrix(3 * p->n, 2, 1);
  solver->set_tolerance(1e-8);
  MatX x[2];
  for (int threads : {1, 2}) {
    set_thread_count(threads);
    solver->analyse(p);
    ASSERT_EQ(solver->factorize(a), FactorStatus::ok);
    EXPECT_TRUE(solver->solve(b, x[threads - 1]).ok);
  }
  set_thread_count(0);
  EXPECT_EQ(x[0], x[1]);
}

TEST_P(EachSolver, TwoObjectsDoNotDisturbEachOther) {
  const auto p = pattern_of(make_lattice(3, 3, 2)), q = pattern_of(make_lattice(2, 2, 2));
  const BlockMatrix a = random_spd(p, 1), b = random_spd(q, 2);
  auto other = make_solver(GetParam());
  solver->analyse(p);
  other->analyse(q);
  ASSERT_EQ(solver->factorize(a), FactorStatus::ok);
  ASSERT_EQ(other->factorize(b), FactorStatus::ok);
  const VecX x = random_matrix(3 * p->n, 1, 1), y = random_matrix(3 * q->n, 1, 1);
  EXPECT_LT((solver->solve(a.multiply(x)) - x).norm(), 1e-9);
  EXPECT_LT((other->solve(b.multiply(y)) - y).norm(), 1e-9);
  other.reset();
  EXPECT_LT((solver->solve(a.multiply(x)) - x).norm(), 1e-9);
}

TEST(ConjugateGradients, ReportsResidualAndIterations) {
  const Lattice lattice = make_lattice(8, 8, 8);
  const auto p = pattern_of(lattice);
  BlockMatrix a = truss(lattice, p);
  ground(a, 1e-3);
  auto cg = make_solver("cg");
  cg->set_tolerance(1e-6);
  cg->analyse(p);
  ASSERT_EQ(cg->factorize(a), FactorStatus::ok);
  const MatX b = random_matrix(3 * p->n, 1, 3);
  MatX x;
  const SolveReport report = cg->solve(b, x);
  EXPECT_TRUE(report.ok);
  EXPECT_LE(report.residual, 1e-6);
  EXPECT_NEAR((a.multiply(x.col(0)) - b.col(0)).norm() / b.norm(), report.residual, 1e-9);
  EXPECT_GT(report.iterations, 3);
  EXPECT_LT(report.iterations, 100);  // the incomplete factor works: without it several hundred
  EXPECT_EQ(cg->stats().iterations, report.iterations);
}

TEST(MakeSolver, AutoIsDirectAndUnknownNamesAreNamed) {
  for (int n : {0, 10, 1000, 1000000}) EXPECT_TRUE(make_solver("auto", n)->direct());
  try {
    make_solver("pardiso");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("pardiso"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("mumps"), std::string::npos);
  }
}

// Number of blocks of the Cholesky factor for an order of elimination, by plain symbolic elimination.
size_t fill(const BlockPattern& p, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k])] = static_cast<int>(k);
  std::vector<std::set<int>> later(order.size());
  for (int i = 0; i < p.n; ++i)
    for (int k = p.row_start[static_cast<size_t>(i)]; k + 1 < p.row_start[static_cast<size_t>(i) + 1]; ++k) {
      const auto [a, b] =
          std::minmax(place[static_cast<size_t>(i)], place[static_cast<size_t>(p.col[static_cast<size_t>(k)])]);
      later[static_cast<size_t>(a)].insert(b);
    }
  size_t total = 0;
  for (auto& row : later) {
    total += row.size();
    if (row.empty()) continue;
    const int parent = *row.begin();
    later[static_cast<size_t>(parent)].insert(std::next(row.begin()), row.end());
  }
  return total;
}

TEST(NestedDissection, IsAPermutationThatReducesFill) {
  const auto p = pattern_of(make_lattice(9, 9, 9));
  const auto order = nested_dissection(*p);
  std::vector<int> sorted = order, natural(order.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(natural.begin(), natural.end(), 0);
  EXPECT_EQ(sorted, natural);
  EXPECT_LT(3 * fill(*p, order), 2 * fill(*p, natural));
  EXPECT_EQ(order, nested_dissection(*p));
}

TEST(NestedDissection, LoneVerticesAndSeveralPieces) {
  // Lone vertices between the vertices of many small separate tets.
  PatternBuilder builder(200);
  for (int t = 0; t < 30; ++t) builder.couple(std::array<int, 4>{6 * t, 6 * t + 1, 6 * t + 3, 6 * t + 4});
  const auto p = builder.build();
  auto order = nested_dissection(*p);
  EXPECT_LE(fill(*p, order), size_t{30 * 6});
  std::sort(order.begin(), order.end());
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace supple
