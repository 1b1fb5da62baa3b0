// The linear system of rig space against dense algebra: the matrix of a bar carried to its interior and its parameters,
// one of which moves nothing.
#include "supple/rigspace/rig_system.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supple/solve/newton_rules.h"
#include "tests/rigspace/simple_rigs.h"

namespace supple {
namespace {

using test::TwistRig;

struct Begun : RigSystem {
  Begun(const RigBody& body, const BlockMatrix& K, const char* solver) : RigSystem(body, solver) {
    couple(K.pattern);
    begin(1, 2);
  }
};

class RigSystemOfABar : public ::testing::Test {
 protected:
  RigSystemOfABar() : body_(bar_.spec, std::make_shared<TwistRig>(bar_.surface)) {
    const auto elastic = body_.model().make_elastic();
    PatternBuilder builder(body_.n_vertices());
    elastic->couple(builder);
    K_ = BlockMatrix(builder.build());
    elastic->add({rest_, rest_, rest_}, {.matrix = &K_});
    lift_diagonal(K_, 0.05 * K_.max_abs_diagonal());  // no motion is free of force
    J_ = body_.rigged_jacobian(VecX::LinSpaced(7, 0.1, 0.7), 0, test::all_parameters(*body_.rig()));
    for (int a = 0; a < TwistRig::nothing; ++a) J_.col(a).normalize();
    dead_.assign(7, 0);
    dead_[TwistRig::nothing] = 1;
    C_ = MatX::Zero(7, 7);
    C_.topLeftCorner<3, 3>() << 2, -1, 0.5, -1, 1, 0.3, 0.5, 0.3, -0.5;
    C_ *= 0.01 * K_.max_abs_diagonal();
    b_ = VecX::LinSpaced(inside_ + 7, -1, 2).array().sin();
    b_[inside_ + TwistRig::nothing] = 0;
  }

  // All of the system, for a matrix over all vertices.
  MatX dense(const MatX& K) const {
    MatX T = MatX::Zero(K.rows(), inside_ + 7);
    for (int v = 0; v < body_.n_vertices(); ++v)
      if (const int f = body_.interior().free_index(v); f >= 0) T.block<3, 3>(3 * v, 3 * f).setIdentity();
    for (size_t k = 0; k < body_.rigged().size(); ++k)
      T.block<3, 7>(3 * body_.rigged()[k], inside_) = J_.middleRows<3>(3 * static_cast<Eigen::Index>(k));
    MatX H = T.transpose() * K * T;
    H.bottomRightCorner<7, 7>() += C_;
    H(inside_ + TwistRig::nothing, inside_ + TwistRig::nothing) = 1;
    return H;
  }
  // The direction for b, which must be that of the whole.
  VecX solved(RigSystem& system, const BlockMatrix* roving = nullptr) {
    const MatX H = dense(roving ? MatX(K_.dense() + roving->dense()) : K_.dense());
    system.take(K_, roving, rest_, J_, dead_, C_);
    VecX d;
    double share = 0;
    EXPECT_TRUE(system.direction(b_, {.exactness = 1e-10}, share, d, report_));
    EXPECT_EQ(share, 0);
    EXPECT_LT((d - H.ldlt().solve(b_)).norm(), 1e-7 * d.norm());
    EXPECT_LT((system.multiply(d) - H * d).norm(), 1e-12 * (H * d).norm());
    return d;
  }
  // Contact between two vertices, much stiffer than the bar.
  BlockMatrix stiff_pair(int i, int j) const {
    PatternBuilder builder(body_.n_vertices());
    builder.couple(i, j);
    BlockMatrix A(builder.build());
    const double stiff = 50 * K_.max_abs_diagonal();
    for (int c = 0; c < 9; c += 4) {
      for (int v : {i, j}) A.block(A.pattern->find(v, v))[c] = stiff;
      A.block(A.pattern->find(std::max(i, j), std::min(i, j)))[c] = -stiff;
    }
    return A;
  }

  const test::RiggedBeam bar_ = test::rigged_beam({.nx = 4, .ny = 3, .nz = 3});
  const RigBody body_;
  const Eigen::Index inside_ = 3 * body_.n_interior();
  const VecX rest_ = VecX::Zero(3 * body_.n_vertices());
  BlockMatrix K_;
  MatX J_, C_;
  std::vector<char> dead_;
  VecX b_;
  NewtonReport report_;
};

TEST_F(RigSystemOfABar, directions_and_products_are_those_of_the_whole_matrix) {
  for (const char* solver : {"supernodal", "multilevel"}) {
    Begun system(body_, K_, solver);
    const VecX d = solved(system);
    const VecX rows = b_.tail<7>() - C_ * d.tail<7>();
    EXPECT_LT((system.parameter_rows(d) - rows).norm(), 1e-8 * b_.norm());
  }
}

TEST_F(RigSystemOfABar, what_is_kept_serves_matrices_near_it_and_can_be_restored) {
  Begun system(body_, K_, "supernodal"), other(body_, K_, "supernodal");
  solved(system);
  other.restore(system.kept());
  lift_diagonal(K_, 0.02 * K_.max_abs_diagonal());
  const VecX d = solved(system);
  EXPECT_GT(report_.krylov, 0);
  EXPECT_EQ(solved(other), d);
  EXPECT_EQ(report_.factorizations, 1);
  system.begin(1, 3);  // another step
  solved(system);
  EXPECT_EQ(report_.factorizations, 2);
}

// On rigged vertices it is in the small block alone; where the interior feels it, there is a new factor.
TEST_F(RigSystemOfABar, contact_comes_and_goes) {
  Begun system(body_, K_, "supernodal");
  solved(system);
  int inner = 0;
  while (body_.interior().free_index(inner) < 0) ++inner;
  for (const int vertex : {body_.rigged()[7], inner}) {
    const BlockMatrix roving = stiff_pair(body_.rigged()[2], vertex);
    system.couple_roving(roving.pattern);
    solved(system, &roving);
    EXPECT_EQ(report_.factorizations, vertex == inner ? 2 : 1);
    EXPECT_LE(report_.krylov, vertex == inner ? 30 : 2);
  }
  solved(system);
}

TEST_F(RigSystemOfABar, an_indefinite_matrix_takes_on_some_of_its_projection) {
  Begun system(body_, K_, "supernodal");
  C_.setZero();  // which may be left out
  BlockMatrix K = K_;
  lift_diagonal(K, -0.5 * K.max_abs_diagonal());
  const MatX bad = K.dense();
  system.take(K, nullptr, rest_, J_, dead_, C_);
  VecX d;
  double share = 0;
  ASSERT_TRUE(system.direction(b_, {.exactness = 1e-10, .project = [&] { K.values = K_.values; }}, share, d, report_));
  EXPECT_GT(share, 0);
  EXPECT_EQ(report_.projected, 1);
  EXPECT_GT(b_.dot(d), 0);
  EXPECT_LT((dense(bad + share * (K_.dense() - bad)) * d - b_).norm(), 1e-7 * b_.norm());
  EXPECT_LT((system.multiply(d) - dense(bad) * d).norm(), 1e-9 * (dense(bad) * d).norm());
}

}  // namespace
}  // namespace supple
