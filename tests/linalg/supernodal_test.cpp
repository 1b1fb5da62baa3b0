#include "supple/linalg/supernodal.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <numeric>

#include "supple/base/parallel.h"
#include "supple/linalg/tree_tasks.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

struct Case {
  const char* name;
  std::shared_ptr<const BlockPattern> pattern;
};

std::shared_ptr<const BlockPattern> random_pattern(int n, int pairs, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<int> vertex(0, n - 1);
  PatternBuilder builder(n);
  for (int i = 0; i < pairs; ++i) {
    const int a = vertex(rng), b = vertex(rng);
    if (a != b) builder.couple(a, b);
  }
  return builder.build();
}

std::vector<Case> cases() {
  std::vector<Case> all = {{"none", PatternBuilder(0).build()},           {"one", PatternBuilder(1).build()},
                           {"loose", PatternBuilder(77).build()},         {"sparse", random_pattern(200, 150, 1)},
                           {"denser", random_pattern(150, 900, 2)},       {"full", random_pattern(60, 20000, 3)},
                           {"lattice", pattern_of(make_lattice(6, 5, 5))}};
  PatternBuilder star(120), chain(90), pieces(160);
  for (int i = 0; i < 120; ++i)
    if (i != 50) star.couple(50, i);
  for (int i = 1; i < 90; ++i) chain.couple(i, i - 1);
  for (int i = 0; i < 160; ++i)
    for (int j = i + 1; j < 160; j += 13) pieces.couple(i, i / 20 * 20 + j % 20);
  all.push_back({"star", star.build()});
  all.push_back({"chain", chain.build()});
  all.push_back({"pieces", pieces.build()});
  return all;
}

template <typename T>
void expect_dense_solution(const Case& c, const DenseKernels<T>& kernels, double tolerance) {
  SupernodalFactor<T> factor(SymbolicFactor::analyse(*c.pattern), kernels);
  for (unsigned seed = 1; seed < 3; ++seed) {
    const BlockMatrix a = random_spd(c.pattern, seed);
    ASSERT_EQ(factor.factorize(a), FactorStatus::ok) << c.name;
    const Eigen::LLT<MatX> dense(a.dense());
    for (int columns : {1, 2, 3, 8, 11, 17}) {
      const MatX b = random_matrix(3 * c.pattern->n, columns, seed), exact = dense.solve(b);
      MatX x = b;
      factor.solve(x);
      EXPECT_LE((x - exact).norm(), tolerance * exact.norm()) << c.name << ' ' << columns << ' ' << kernels.name;
    }
  }
}

TEST(Supernodal, AgreesWithDenseOnEveryInstructionSet) {
  const auto doubles = dense_kernel_sets<double>();
  const auto floats = dense_kernel_sets<float>();
  for (const Case& c : cases()) {
    for (int i = 0; i < doubles.count; ++i) expect_dense_solution(c, *doubles.set[i], 1e-13);
    for (int i = 0; i < floats.count; ++i) expect_dense_solution(c, *floats.set[i], 3e-6);
  }
}

// A truss large enough for several tasks, and for fronts of several cache blocks.
struct Truss {
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix matrix;
  Truss(int nx, int ny, int nz, double g) {
    const Lattice lattice = make_lattice(nx, ny, nz);
    pattern = pattern_of(lattice);
    matrix = truss(lattice, pattern);
    ground(matrix, g);
  }
};

template <typename T>
void expect_same_bits() {
  const Truss t(16, 15, 14, 0.01);
  const auto symbolic = SymbolicFactor::analyse(*t.pattern);
  EXPECT_GT(std::count_if(symbolic->tasks.begin(), symbolic->tasks.end(), [](const TreeTask& s) { return s.wide; }), 3);
  const MatX b = random_matrix(3 * t.pattern->n, 11, 1);
  MatX first;
  for (int threads : {1, 2, 4, 2, 1}) {
    set_thread_count(threads);
    SupernodalFactor<T> factor(symbolic);
    ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
    for (int repeat = 0; repeat < 2; ++repeat) {
      MatX x = b;
      factor.solve(x);
      VecX single = b.col(0);
      factor.solve(single);
      MatX both(x.rows(), x.cols() + 1);
      both << x, single;
      if (first.size() == 0) first = both;
      EXPECT_LT((t.matrix.multiply(single) - b.col(0)).norm(), (sizeof(T) == 8 ? 1e-12 : 1e-3) * b.col(0).norm());
      EXPECT_EQ(both, first) << threads;
      ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);  // again, in place
    }
  }
  set_thread_count(0);
}
TEST(Supernodal, SameBitsForAnyThreadCount) { expect_same_bits<double>(); }
TEST(Supernodal, SameBitsForAnyThreadCountFloat) { expect_same_bits<float>(); }

TEST(Supernodal, FusedKernelsAgreeBitForBit) {
  const auto sets = dense_kernel_sets<double>();
  const Truss t(9, 9, 8, 0.01);
  const auto symbolic = SymbolicFactor::analyse(*t.pattern);
  const VecX b = random_matrix(3 * t.pattern->n, 1, 1);
  std::vector<VecX> solutions;
  for (int i = 0; i < sets.count; ++i) {
    SupernodalFactor<double> factor(symbolic, *sets.set[i]);
    ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
    VecX x = b;
    factor.solve(x);
    EXPECT_LT((t.matrix.multiply(x) - b).norm(), 1e-12 * b.norm());
    if (std::string(sets.set[i]->name) != "plain") solutions.push_back(x);
  }
  for (const VecX& x : solutions) EXPECT_EQ(x, solutions[0]);
}

TEST(Supernodal, SeveralRightHandSidesEqualSingleOnes) {
  const Truss t(8, 7, 6, 0.01);
  SupernodalFactor<double> factor(SymbolicFactor::analyse(*t.pattern));
  ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
  const MatX b = random_matrix(3 * t.pattern->n, 19, 4);
  MatX x = b;
  factor.solve(x);
  for (int c = 0; c < b.cols(); ++c) {
    VecX one = b.col(c);
    factor.solve(one);
    EXPECT_LT((one - x.col(c)).norm(), 1e-11 * one.norm()) << c;
  }
}

TEST(Supernodal, SmallResidualOfAnIllConditionedMatrix) {
  const Truss t(14, 6, 6, 1e-9);  // nearly free to move: condition about 1e10
  SupernodalFactor<double> factor(SymbolicFactor::analyse(*t.pattern));
  ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
  const VecX b = random_matrix(3 * t.pattern->n, 1, 1);
  VecX x = b;
  factor.solve(x);
  // Backward stable: small against the size of matrix and solution.
  EXPECT_LT((t.matrix.multiply(x) - b).norm(), 1e-14 * t.matrix.max_abs_diagonal() * x.norm());
}

TEST(Supernodal, FloatIsAFactorToRefineWith) {
  const Truss t(10, 9, 8, 1e-3);
  const auto symbolic = SymbolicFactor::analyse(*t.pattern);
  SupernodalFactor<float> half(symbolic);
  SupernodalFactor<double> whole(symbolic);  // one analysis serves both
  ASSERT_EQ(half.factorize(t.matrix), FactorStatus::ok);
  ASSERT_EQ(whole.factorize(t.matrix), FactorStatus::ok);
  EXPECT_LT(static_cast<double>(half.factor_bytes()), 0.6 * static_cast<double>(whole.factor_bytes()));
  const VecX exact = random_matrix(3 * t.pattern->n, 1, 1), b = t.matrix.multiply(exact);
  VecX x = VecX::Zero(b.size());
  double error = 1;
  for (int i = 0; i < 5; ++i) {
    VecX step = b - t.matrix.multiply(x);
    half.solve(step);
    x += step;
    const double now = (x - exact).norm() / exact.norm();
    EXPECT_LT(now, std::max(0.05 * error, 1e-11)) << i;
    error = now;
  }
}

TEST(Supernodal, NotPositiveDefiniteWithThreads) {
  Truss t(12, 11, 10, 0.01);
  const auto symbolic = SymbolicFactor::analyse(*t.pattern);
  SupernodalFactor<double> factor(symbolic);
  SupernodalFactor<float> half(symbolic);
  set_thread_count(4);
  for (int k = 0; k < t.pattern->n; k += 97) {
    BlockMatrix bad = t.matrix;
    add_block(bad, k, k, Vec3(0, 0, -100).asDiagonal());
    EXPECT_EQ(factor.factorize(bad), FactorStatus::not_positive_definite) << k;
    EXPECT_EQ(half.factorize(bad), FactorStatus::not_positive_definite) << k;
  }
  BlockMatrix huge = t.matrix;  // finite, but not as a float
  for (double& v : huge.values) v *= 1e60;
  EXPECT_EQ(half.factorize(huge), FactorStatus::not_positive_definite);
  EXPECT_EQ(factor.factorize(huge), FactorStatus::ok);
  EXPECT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
  set_thread_count(0);
  VecX x = VecX::Ones(3 * t.pattern->n);
  factor.solve(x);
  EXPECT_LT((t.matrix.multiply(x) - VecX::Ones(x.size())).norm(), 1e-10 * x.norm());
}

TEST(Supernodal, MemoryIsKept) {
  const Truss t(10, 8, 8, 0.01);
  set_thread_count(1);
  SupernodalFactor<double> factor(SymbolicFactor::analyse(*t.pattern));
  ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
  VecX x = VecX::Ones(3 * t.pattern->n);
  factor.solve(x);
  const size_t bytes = factor.memory_bytes();
  EXPECT_GE(bytes, factor.factor_bytes());
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(factor.factorize(t.matrix), FactorStatus::ok);
    factor.solve(x);
    EXPECT_EQ(factor.memory_bytes(), bytes);
  }
  set_thread_count(0);
}

// Every front after its children, no two updates that live at the same time in the same place.
TEST(SymbolicFactor, UpdatesThatLiveTogetherAreApart) {
  for (const Case& c :
       {Case{"lattice", pattern_of(make_lattice(16, 15, 14))}, Case{"long", pattern_of(make_lattice(90, 5, 4))},
        Case{"random", random_pattern(2500, 5000, 7)}}) {
    const auto f = SymbolicFactor::analyse(*c.pattern);
    std::vector<int> task_of(f->parent.size(), -1);
    for (size_t t = 0; t < f->tasks.size(); ++t)
      for (int s = f->tasks[t].first; s < f->tasks[t].last; ++s) {
        EXPECT_EQ(task_of[s], -1);
        task_of[s] = static_cast<int>(t);
      }
    for (int s = 0; s < f->n_fronts(); ++s) {
      ASSERT_GE(task_of[s], 0);
      if (f->parent[s] < 0) continue;
      ASSERT_GT(f->parent[s], s);
      EXPECT_EQ(f->in_arena[s], task_of[s] == task_of[f->parent[s]]);
      if (f->in_arena[s]) continue;
      EXPECT_EQ(f->tasks[task_of[s]].parent, task_of[f->parent[s]]);
    }
    for (int width : {8, 16}) {
      const FactorLayout& layout = f->layout(width);
      // Written at s, read at the parent: lines of the arena (from 0) and of the store (from its end).
      std::vector<int> owner(layout.arena_lines + layout.store_lines, -1);
      auto lines = [&](int s, const auto& body) {
        const size_t begin = layout.update[s] + (f->in_arena[s] ? 0 : layout.arena_lines);
        for (size_t i = begin; i < begin + layout.triangle_lines(f->rows(s)); ++i) body(owner.at(i));
      };
      for (int s = 0; s < f->n_fronts(); ++s) {
        lines(s, [&](int& o) { o = s; });
        for (int i = f->child_start[s]; i < f->child_start[s + 1]; ++i)
          lines(f->child[i], [&](int& o) { ASSERT_EQ(o, f->child[i]) << c.name << ' ' << s; });
      }
    }
  }
}

TEST(TreeTasks, OrderAndExceptions) {
  // A comb: every third task is a leaf of the next inner one.
  std::vector<TreeTask> tasks;
  for (int i = 0; i < 60; ++i) {
    const bool inner = i % 3 == 2;
    tasks.push_back(
        {i, i + 1, i >= 57 && inner ? -1 : (inner ? i + 3 : i / 3 * 3 + 2), inner ? (i > 2 ? 3 : 2) : 0, false});
  }
  for (int threads : {1, 2, 4}) {
    set_thread_count(threads);
    std::vector<std::atomic<int>> done(tasks.size());
    run_upwards(tasks, [&](int t) {
      for (size_t c = 0; c < tasks.size(); ++c) EXPECT_TRUE(tasks[c].parent != t || done[c] == 1);
      ++done[t];
    });
    for (auto& d : done) EXPECT_EQ(d, 1);
    run_downwards(tasks, [&](int t) {
      EXPECT_TRUE(tasks[t].parent < 0 || done[tasks[t].parent] == 2);
      ++done[t];
    });
    for (auto& d : done) EXPECT_EQ(d, 2);
    EXPECT_THROW(run_upwards(tasks,
                             [](int t) {
                               if (t == 30) throw std::bad_alloc();
                             }),
                 std::bad_alloc);
    std::atomic<int> sum = 0;
    SharedLoop()(100, [&](int i) { sum += i; });
    EXPECT_EQ(sum, 4950);
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace supple
