#include "supple/linalg/anderson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/linalg/dense.h"

namespace supple {
namespace {

// x = A x + b in five unknowns, A with eigenvalues from -2 to 0.9: plain iteration diverges.
struct Linear {
  MatX A;
  VecX b, solution;
  Linear() {
    MatX B(5, 5);
    for (int i = 0; i < 25; ++i) B(i / 5, i % 5) = std::sin(1.7 * i + 0.3);
    const MatX Q = symmetric_eigen(B + B.transpose()).vectors;
    VecX values(5);
    values << -2, -0.5, 0.1, 0.4, 0.9;
    A = Q * values.asDiagonal() * Q.transpose();
    b = VecX::LinSpaced(5, 1, 2);
    solution = least_squares(MatX::Identity(5, 5) - A, b);
  }
  VecX step(const VecX& x) const { return A * x + b - x; }
};

TEST(Anderson, solves_linear_equations_in_as_many_steps_as_unknowns) {
  const Linear p;
  Anderson anderson(5);
  VecX x = VecX::Zero(5), plain = x;
  for (int i = 0; i < 6; ++i) {
    x = anderson.next(x, p.step(x));
    plain += p.step(plain);
  }
  EXPECT_LT((x - p.solution).norm(), 1e-8 * p.solution.norm());
  EXPECT_GT((plain - p.solution).norm(), 0.5 * p.solution.norm());
}

TEST(Anderson, the_first_step_and_one_after_forgetting_are_plain) {
  const Linear p;
  Anderson anderson(3);
  const VecX x = VecX::Ones(5), f = p.step(x);
  EXPECT_EQ(anderson.next(x, f), x + f);
  EXPECT_NE(anderson.next(VecX(x + f), p.step(x + f)), VecX(x + f + p.step(x + f)));
  anderson.forget();
  EXPECT_EQ(anderson.next(x, f), x + f);
}

TEST(Anderson, a_step_that_does_not_change_is_taken_as_it_is) {
  Anderson anderson(3);
  VecX x = VecX::Zero(3);
  const VecX f = VecX::Ones(3);
  for (int i = 1; i <= 5; ++i) {
    x = anderson.next(x, f);
    EXPECT_EQ(x, i * f);
  }
}

}  // namespace
}  // namespace supple
