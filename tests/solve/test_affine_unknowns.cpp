// Free vertices as unknowns, against dense algebra: a chain of three points, the first driven.
#include "supple/solve/affine_unknowns.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

void put(BlockMatrix& A, int i, int j, double value) {
  double* b = A.block(A.pattern->find(i, j));
  for (int c = 0; c < 9; c += 4) b[c] = value;
}

class AffineUnknownsOfAChain : public ::testing::Test {
 protected:
  AffineUnknownsOfAChain() {
    PatternBuilder builder(3);
    builder.couple(0, 1), builder.couple(1, 2);
    K_ = BlockMatrix(builder.build());
    put(K_, 0, 0, 5), put(K_, 1, 0, -3), put(K_, 1, 1, 7), put(K_, 2, 1, -2), put(K_, 2, 2, 4);
    z_.u = VecX::LinSpaced(9, 0, 0.8);
  }
  VecX direction(AffineUnknowns& unknowns, const BlockMatrix* roving) {
    unknowns.begin(0, 0, false);
    unknowns.take(z_, K_, roving);
    VecX d;
    double share = 0;
    NewtonReport report;
    EXPECT_TRUE(unknowns.direction(z_, b_, {.exactness = 1e-10, .to_do = 1e-10}, share, d, report));
    EXPECT_EQ(share, 0);
    EXPECT_LT((unknowns.multiply(d) - b_).norm(), 1e-8 * b_.norm());
    return d;
  }
  // The two free points are alike on all three axes: [a c; c e] x = b.
  void expect_solves(const VecX& d, double a, double c, double e) const {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(a * d[axis] + c * d[3 + axis], b_[axis], 1e-8);
      EXPECT_NEAR(c * d[axis] + e * d[3 + axis], b_[3 + axis], 1e-8);
    }
  }

  const AffineMap map_ = AffineMap::without(3, {0});
  BlockMatrix K_;
  Iterate z_;
  const VecX b_ = VecX::LinSpaced(6, 1, 2);
};

TEST_F(AffineUnknownsOfAChain, a_direction_solves_the_system_of_what_is_free) {
  AffineUnknowns unknowns(map_, "auto", VecX());
  unknowns.couple(K_.pattern, false, false);
  expect_solves(direction(unknowns, nullptr), 7, -2, 4);
}

TEST_F(AffineUnknownsOfAChain, couplings_come_and_go) {
  AffineUnknowns unknowns(map_, "auto", VecX());
  unknowns.couple(K_.pattern, false, true);
  for (const double more : {3.0, 0.0, 1.0}) {
    PatternBuilder builder(3);
    if (more > 0) builder.couple(2, 2);
    BlockMatrix roving(builder.build());
    roving.set_zero();
    if (more > 0) put(roving, 2, 2, more);
    unknowns.couple_roving(roving.pattern);
    expect_solves(direction(unknowns, &roving), 7, -2, 4 + more);
  }
}

TEST_F(AffineUnknownsOfAChain, what_is_prescribed_is_imposed_and_goes_along) {
  AffineUnknowns unknowns(map_, "auto", VecX());
  VecX driven = VecX::Zero(9);
  driven.head<3>() = Vec3(1, 2, 3);
  const Place there = unknowns.impose({z_.u}, {driven});
  EXPECT_EQ(there.u.head<3>(), Vec3(1, 2, 3));
  EXPECT_EQ(there.u.tail<6>(), z_.u.tail<6>());

  z_.progress = 0;
  const VecX jump = there.u - z_.u, d = VecX::Ones(6);
  const Way way = unknowns.way(z_, d, &jump, &there);
  const Iterate half = unknowns.along(z_, way, 0.5);
  EXPECT_EQ(half.progress, 0.5);
  EXPECT_LT((half.u.head<3>() - 0.5 * (z_.u + there.u).head<3>()).norm(), 1e-15);
  EXPECT_LT((half.u.tail<6>() - z_.u.tail<6>() - 0.5 * d).norm(), 1e-15);
}

}  // namespace
}  // namespace supple
