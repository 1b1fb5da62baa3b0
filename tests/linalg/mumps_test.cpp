#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "supple/base/parallel.h"
#include "supple/linalg/block_matrix.h"
#include "supple/linalg/solver.h"

namespace supple {
namespace {

std::ptrdiff_t threads_there() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// That it is loaded late, and that its BLAS then starts no threads of its own, whatever the machine has.
TEST(Mumps, starts_no_threads_and_leaves_the_environment_as_it_was) {
  set_thread_count(1);
  setenv("OPENBLAS_NUM_THREADS", "3", 1);
  const std::ptrdiff_t before = threads_there();
  const auto solver = make_solver("mumps");
  PatternBuilder builder(2);
  builder.couple(0, 1);
  const auto pattern = builder.build();
  BlockMatrix matrix(pattern);
  for (int i = 0; i < 2; ++i) {
    double* block = matrix.block(pattern->find(i, i));
    for (int c = 0; c < 3; ++c) block[4 * c] = 2;
  }
  solver->analyse(pattern);
  ASSERT_EQ(solver->factorize(matrix), FactorStatus::ok);
  EXPECT_NEAR(solver->solve(VecX::Ones(6))[5], 0.5, 1e-12);
  EXPECT_LE(threads_there(), before);
  EXPECT_STREQ(std::getenv("OPENBLAS_NUM_THREADS"), "3");
  unsetenv("OPENBLAS_NUM_THREADS");
  set_thread_count(0);
}

}  // namespace
}  // namespace supple
