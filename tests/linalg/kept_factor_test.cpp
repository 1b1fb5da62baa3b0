#include "supple/linalg/kept_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "supple/base/parallel.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

class Kept : public testing::Test {
 protected:
  std::shared_ptr<const BlockPattern> pattern_ = pattern_of(make_lattice(6, 5, 5));
  BlockMatrix a_ = random_spd(pattern_, 1);
  VecX b_ = random_matrix(3 * pattern_->n, 1, 2).col(0);
  KeptFactor kept_{pattern_, make_float_cholesky(pattern_)};

  // As far from a_ as the share says, and definite.
  BlockMatrix other(double share) const {
    BlockMatrix mixed = a_;
    const BlockMatrix far = random_spd(pattern_, 7);
    for (size_t k = 0; k < mixed.values.size(); ++k) mixed.values[k] += share * (20 * far.values[k] - mixed.values[k]);
    return mixed;
  }
  static double misfit(const BlockMatrix& a, const VecX& x, const VecX& b) {
    return (a.dense() * x - b).norm() / b.norm();
  }
};

TEST_F(Kept, ProductsAreThoseOfTheWholeMatrix) {
  const SymmetricProduct product(*pattern_);
  VecX y;
  set_thread_count(1);
  product(a_, b_, y);
  EXPECT_LT((y - a_.dense() * b_).norm(), 1e-13 * y.norm());
  for (int n : {2, 4}) {
    set_thread_count(n);
    VecX z;
    product(a_, b_, z);
    EXPECT_TRUE(z == y);
  }
  set_thread_count(0);
}

TEST_F(Kept, AFactorServesWhileItIsNear) {
  VecX x;
  kept_.begin(1, 2);
  ASSERT_TRUE(kept_.solve(a_, b_, x, 1e-10).ok);
  EXPECT_LT(misfit(a_, x, b_), 2e-10);
  EXPECT_EQ(kept_.stats().factorizations, 1);
  kept_.begin(1, 2);
  const BlockMatrix near = other(1e-4);
  ASSERT_TRUE(kept_.solve(near, b_, x, 1e-10).ok);
  EXPECT_LT(misfit(near, x, b_), 2e-10);
  EXPECT_EQ(kept_.stats().factorizations, 1);
  // Too far: a new one, and the answer all the same.
  kept_.begin(1, 2);
  const BlockMatrix far = other(1);
  ASSERT_TRUE(kept_.solve(far, b_, x, 1e-12).ok);
  EXPECT_LT(misfit(far, x, b_), 1e-11);
  EXPECT_EQ(kept_.stats().factorizations, 2);
  // Another kind of matrix.
  kept_.begin(1, 3);
  ASSERT_TRUE(kept_.solve(far, b_, x, 1e-8).ok);
  EXPECT_EQ(kept_.stats().factorizations, 3);
}

TEST_F(Kept, NotSymmetricWithALittleMore) {
  const MatX more = 0.01 * random_matrix(3 * pattern_->n, 3 * pattern_->n, 5);
  const MatX whole = a_.dense() + more;
  VecX x;
  kept_.begin(0, 0);
  ASSERT_TRUE(kept_
                  .solve(
                      a_, [&](const VecX& y) { return VecX(whole * y); }, b_, x, 1e-9)
                  .ok);
  EXPECT_LT((whole * x - b_).norm(), 2e-9 * b_.norm());
}

TEST_F(Kept, WhatIsNotDefiniteIsRefused) {
  BlockMatrix bad = a_;
  for (double& v : bad.values) v = -v;
  VecX x;
  kept_.begin(0, 0);
  EXPECT_FALSE(kept_.solve(bad, b_, x, 1e-6).ok);
  kept_.begin(0, 0);
  ASSERT_TRUE(kept_.solve(a_, b_, x, 1e-6).ok);
  kept_.begin(0, 0);
  EXPECT_FALSE(kept_.solve(bad, b_, x, 1e-6).ok);  // with the factor of another
  bad.values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(kept_.solve(bad, b_, x, 1e-6).ok);
  kept_.begin(0, 0);
  EXPECT_TRUE(kept_.solve(a_, b_, x, 1e-6).ok);
  EXPECT_TRUE(kept_.solve(a_, VecX::Zero(b_.size()), x, 1e-6).ok);
  EXPECT_EQ(x.norm(), 0);
}

TEST_F(Kept, MarksMakeItAgain) {
  VecX x, y;
  kept_.begin(1, 2);
  ASSERT_TRUE(kept_.solve(a_, b_, x, 1e-6).ok);
  KeptFactor again(pattern_, make_float_cholesky(pattern_));
  again.restore(kept_.mark());
  const BlockMatrix near = other(1e-3);
  for (KeptFactor* k : {&kept_, &again}) {
    k->begin(1, 2);
    ASSERT_TRUE(k->solve(near, b_, k == &kept_ ? x : y, 1e-9).ok);
  }
  EXPECT_TRUE(x == y);
  EXPECT_EQ(again.stats().factorizations, 1);
}

}  // namespace
}  // namespace supple
