#include "supple/constraint/constraints.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/linalg/solver.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

class Random {
 public:
  explicit Random(unsigned seed) : rng_(seed) {}
  double uniform(double low = 0, double high = 1) { return std::uniform_real_distribution<double>(low, high)(rng_); }
  int below(size_t n) { return static_cast<int>(rng_() % n); }
  // A point inside a tet, away from its faces.
  PointTie inside(const Tet& tet) {
    Eigen::Vector4d w;
    for (int c = 0; c < 4; ++c) w[c] = 0.1 + uniform();
    return {tet, w / w.sum()};
  }
  VecX vector(Eigen::Index n) {
    VecX v(n);
    for (double& x : v) x = uniform(-1, 1);
    return v;
  }

 private:
  std::mt19937 rng_;
};

struct Problem {
  Lattice lattice;
  BlockMatrix a;
  VecX f;
  std::vector<int> driven;
  std::vector<PointTie> ties;
  VecX driven_positions, targets;

  Problem(int nx, int ny, int nz, unsigned seed) : lattice(make_lattice(nx, ny, nz)) {
    a = truss(lattice, pattern_of(lattice));
    ground(a, 0.2);
    f = Random(seed).vector(3 * n());
    driven_positions.resize(0);
  }
  int n() const { return static_cast<int>(lattice.points.size()); }
  Constraints constraints() const { return Constraints(n(), lattice.points, driven, ties); }
  // Drives the vertices and, when u is given, puts every tied point where u puts it.
  void aim(const VecX& u) {
    driven_positions.resize(3 * static_cast<Eigen::Index>(driven.size()));
    for (size_t i = 0; i < driven.size(); ++i)
      driven_positions.segment<3>(3 * static_cast<Eigen::Index>(i)) =
          lattice.points[static_cast<size_t>(driven[i])] + u.segment<3>(3 * driven[i]);
    targets = VecX::Zero(3 * static_cast<Eigen::Index>(ties.size()));
    for (size_t t = 0; t < ties.size(); ++t)
      for (size_t c = 0; c < 4; ++c) {
        const int v = ties[t].vertices[c];
        targets.segment<3>(3 * static_cast<Eigen::Index>(t)) +=
            ties[t].weights[static_cast<Eigen::Index>(c)] *
            (lattice.points[static_cast<size_t>(v)] + u.segment<3>(3 * v));
      }
  }
  // min 1/2 u A u - f u over the u that fit the driven vertices exactly and the ties by least squares: dense, through
  // an orthonormal basis of what is left free.
  VecX dense_answer() const {
    const Eigen::Index rows = 3 * static_cast<Eigen::Index>(driven.size());
    MatX d = MatX::Zero(rows, 3 * n());
    VecX h(rows);
    for (size_t i = 0; i < driven.size(); ++i) {
      const auto r = 3 * static_cast<Eigen::Index>(i);
      d.block<3, 3>(r, 3 * driven[i]).setIdentity();
      h.segment<3>(r) = driven_positions.segment<3>(r) - lattice.points[static_cast<size_t>(driven[i])];
    }
    MatX c = MatX::Zero(3 * static_cast<Eigen::Index>(ties.size()), 3 * n());
    VecX g = targets;
    for (size_t t = 0; t < ties.size(); ++t)
      for (size_t k = 0; k < 4; ++k) {
        const auto r = 3 * static_cast<Eigen::Index>(t);
        const double w = ties[t].weights[static_cast<Eigen::Index>(k)];
        c.block<3, 3>(r, 3 * ties[t].vertices[k]) += w * Mat3::Identity();
        g.segment<3>(r) -= w * lattice.points[static_cast<size_t>(ties[t].vertices[k])];
      }
    auto null_space = [](const MatX& m) -> MatX {
      if (m.rows() == 0) return MatX::Identity(m.cols(), m.cols());
      const SymmetricEigen squared = symmetric_eigen(m.transpose() * m);
      return squared.vectors.leftCols((squared.values.array() < 1e-12).count());
    };
    VecX u = d.transpose() * h;
    MatX basis = null_space(d);
    const MatX cb = c * basis;
    if (c.rows() > 0) u += basis * least_squares(cb, VecX(g - c * u));
    basis = basis * null_space(cb);
    const MatX reduced = basis.transpose() * a.dense() * basis;
    return u + basis * least_squares(reduced, VecX(basis.transpose() * (f - a.dense() * u)));
  }
  // The same through the constraints, the reduction and a factorization that refuses what is not positive definite.
  VecX reduced_answer(const Constraints& constraints) const {
    const VecX u_d = constraints.prescribe(driven_positions, targets);
    const AffineMap& map = constraints.map();
    const Reduction reduction(map, a.pattern);
    BlockMatrix reduced;
    reduction.apply(a, reduced);
    auto solver = make_solver("eigen");
    solver->analyse(reduced.pattern);
    EXPECT_EQ(solver->factorize(reduced), FactorStatus::ok);
    return map.expand(solver->solve(map.restrict_(f - a.multiply(u_d))), u_d);
  }
};

double largest_weight(const AffineMap& map) {
  double largest = 0;
  for (int i = 0; i < map.n(); ++i)
    for (const auto& entry : map.row(i)) largest = std::max(largest, std::abs(entry.second));
  return largest;
}

TEST(Constraints, NoTiesIsASelection) {
  Problem p(2, 2, 2, 1);
  p.driven = {3, 0, 9};
  p.aim(Random(2).vector(3 * p.n()));
  const Constraints c = p.constraints();
  EXPECT_TRUE(c.map().is_selection());
  EXPECT_EQ(c.map().n_free(), p.n() - 3);
  double worst = -1;
  const VecX u_d = c.prescribe(p.driven_positions, p.targets, &worst);
  EXPECT_EQ(worst, 0);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(u_d.segment<3>(3 * p.driven[i]), VecX(p.driven_positions.segment<3>(3 * static_cast<Eigen::Index>(i)) -
                                                    p.lattice.points[static_cast<size_t>(p.driven[i])]));
  EXPECT_LT((p.reduced_answer(c) - p.dense_answer()).norm(), 1e-10);
}

TEST(Constraints, ScatteredTiesMatchDense) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Problem p(3, 3, 2, seed);
    Random random(seed);
    // Few enough ties to be independent or nearly so; chains of tets share vertices.
    for (int t = 0; t < 9; ++t)
      p.ties.push_back(random.inside(p.lattice.tets[static_cast<size_t>(random.below(p.lattice.tets.size()))]));
    if (seed % 2) p.driven = {0, 5, 17, 30};
    p.aim(random.vector(3 * p.n()));
    const Constraints c = p.constraints();
    double worst = 1;
    c.prescribe(p.driven_positions, p.targets, &worst);
    EXPECT_LT(worst, 1e-12);
    const VecX u = p.reduced_answer(c), exact = p.dense_answer();
    EXPECT_LT((u - exact).norm(), 1e-9 * exact.norm()) << seed;
    EXPECT_LT(c.tie_residual(u, p.targets), 1e-11);
    EXPECT_EQ(c.rank() + c.n_redundant(), 9);
    EXPECT_LE(largest_weight(c.map()), 30);
    EXPECT_EQ(c.map().gather(u),
              c.map().gather(c.map().expand(c.map().gather(u), c.prescribe(p.driven_positions, p.targets))));
  }
}

TEST(Constraints, SingleTieEliminatesOneVertexWithBoundedWeights) {
  Problem p(1, 1, 1, 1);
  p.ties = {{p.lattice.tets[0], Eigen::Vector4d(0.001, 0.019, 0.18, 0.8)}};
  p.aim(Random(1).vector(3 * p.n()));
  const Constraints c = p.constraints();
  EXPECT_EQ(c.rank(), 1);
  EXPECT_EQ(c.map().n_free(), p.n() - 1);
  EXPECT_EQ(largest_weight(c.map()), 1);  // the heaviest vertex is the one that follows
  EXPECT_TRUE(c.map().free_index(p.lattice.tets[0][3]) < 0);
}

TEST(Constraints, ManyPointsInATetAreRedundant) {
  for (bool consistent : {true, false}) {
    Problem p(2, 2, 1, 3);
    Random random(5);
    for (int t = 0; t < 7; ++t) p.ties.push_back(random.inside(p.lattice.tets[4]));
    p.ties.push_back(random.inside(p.lattice.tets[9]));
    const VecX wanted = random.vector(3 * p.n());
    p.aim(wanted);
    if (!consistent) p.targets += 0.1 * random.vector(p.targets.size());
    const Constraints c = p.constraints();
    EXPECT_EQ(c.rank(), 5);
    EXPECT_EQ(c.n_redundant(), 3);
    double worst = 0;
    const VecX u_d = c.prescribe(p.driven_positions, p.targets, &worst);
    const VecX u = p.reduced_answer(c), exact = p.dense_answer();
    EXPECT_LT((u - exact).norm(), 1e-9 * exact.norm());
    EXPECT_NEAR(c.tie_residual(u, p.targets), worst, 1e-10);
    if (consistent) {
      EXPECT_LT(worst, 1e-12);
      for (int v : p.lattice.tets[4]) EXPECT_LT((u_d - wanted).segment<3>(3 * v).norm(), 1e-10);
    } else {
      EXPECT_GT(worst, 0.01);
    }
  }
}

TEST(Constraints, OneTieTwiceAndInconsistent) {
  Problem p(2, 1, 1, 3);
  const PointTie tie = Random(5).inside(p.lattice.tets[2]);
  p.ties = {tie, tie};
  p.aim(VecX::Zero(3 * p.n()));
  p.targets.segment<3>(3) += Vec3(0.2, 0, 0);
  const Constraints c = p.constraints();
  EXPECT_EQ(c.rank(), 1);
  double worst = 0;
  c.prescribe(p.driven_positions, p.targets, &worst);
  EXPECT_NEAR(worst, 0.1, 1e-12);  // halfway
  EXPECT_LT((p.reduced_answer(c) - p.dense_answer()).norm(), 1e-10);
}

TEST(Constraints, TiesOverDrivenVertices) {
  Problem p(2, 2, 2, 7);
  Random random(3);
  const Tet tet = p.lattice.tets[10];
  p.driven = {tet[0], tet[1], tet[2], tet[3], p.lattice.tets[20][1]};
  std::sort(p.driven.begin(), p.driven.end());
  p.driven.erase(std::unique(p.driven.begin(), p.driven.end()), p.driven.end());
  p.ties.push_back(random.inside(tet));  // wholly on driven vertices
  for (size_t t : {9, 11, 20, 21, 33}) p.ties.push_back(random.inside(p.lattice.tets[t]));
  const VecX wanted = random.vector(3 * p.n());
  p.aim(wanted);
  {
    const Constraints c = p.constraints();
    double worst = 1;
    c.prescribe(p.driven_positions, p.targets, &worst);
    EXPECT_LT(worst, 1e-12);
    const VecX u = p.reduced_answer(c), exact = p.dense_answer();
    EXPECT_LT((u - exact).norm(), 1e-9 * exact.norm());
  }
  // A target that driven vertices contradict: reported, and nothing else is disturbed.
  p.targets.segment<3>(0) += Vec3(0, 0.03, 0);
  const Constraints c = p.constraints();
  double worst = 0;
  c.prescribe(p.driven_positions, p.targets, &worst);
  EXPECT_NEAR(worst, 0.03, 1e-12);
  EXPECT_GE(c.n_redundant(), 1);
}

TEST(Constraints, TinyWeightsDoNotBlowUp) {
  // Three driven vertices carry nearly all of the point: the fourth must not be thrown about to close a gap.
  Problem p(1, 1, 1, 1);
  const Tet tet = p.lattice.tets[0];
  p.driven = {tet[0], tet[1], tet[2]};
  for (double w : {1e-2, 1e-4, 1e-8, 1e-15, 0.0}) {
    p.ties = {{tet, Eigen::Vector4d(0.3, 0.3, 0.4 - w, w)}};
    p.aim(VecX::Zero(3 * p.n()));
    p.targets += Vec3(0, 0, 1e-3);
    const Constraints c = p.constraints();
    double worst = 0;
    const VecX u_d = c.prescribe(p.driven_positions, p.targets, &worst);
    EXPECT_LE(u_d.cwiseAbs().maxCoeff(), 1.0);
    EXPECT_EQ(c.rank(), w >= 1e-3 ? 1 : 0);
    EXPECT_NEAR(worst, w >= 1e-3 ? 0 : 1e-3, 1e-12);
    EXPECT_EQ(c.weak_vertices().empty(), w >= 1e-3 || w <= 1e-14);
  }
}

TEST(Constraints, NearlyCoincidentTiesStayBounded) {
  for (double gap : {1e-1, 1e-3, 1e-5, 1e-9, 0.0}) {
    Problem p(2, 1, 1, 1);
    Random random(2);
    for (int t = 0; t < 6; ++t) {
      PointTie a = random.inside(p.lattice.tets[static_cast<size_t>(2 * t)]);
      p.ties.push_back(a);
      a.weights += gap * Eigen::Vector4d(1, -1, 0.5, -0.5);
      p.ties.push_back(a);
    }
    p.aim(random.vector(3 * p.n()));
    const Constraints c = p.constraints();
    EXPECT_LE(largest_weight(c.map()), 1e3) << gap;
    const VecX u = p.reduced_answer(c);
    EXPECT_TRUE(u.allFinite());
    EXPECT_LT(c.tie_residual(u, p.targets), 1e-2) << gap;
    EXPECT_LT(u.cwiseAbs().maxCoeff(), 100) << gap;
  }
}

TEST(Constraints, RigidMotionOfTheCloudIsFollowed) {
  // A cloud that turns: every set of ties has a solution, and a body without loads turns with it.
  const Lattice lattice = make_lattice(5, 5, 5);
  Random random(9);
  std::vector<PointTie> ties;
  for (const Tet& tet : lattice.tets) {
    Vec3 centre = Vec3::Zero();
    for (int v : tet) centre += lattice.points[static_cast<size_t>(v)] / 4;
    const double r = (centre - Vec3(2.5, 2.5, 2.5)).norm();
    for (int k = 0; r > 1.2 && r < 1.9 && k < 1 + random.below(3); ++k) ties.push_back(random.inside(tet));
  }
  ASSERT_GT(ties.size(), 100u);
  const int n = static_cast<int>(lattice.points.size());
  const Constraints c(n, lattice.points, {}, ties);
  const Mat3 turn = Eigen::AngleAxisd(1.2, Vec3(1, 2, -1).normalized()).matrix();
  auto moved = [&](const Vec3& x) { return Vec3(turn * x + Vec3(3, -2, 7)); };
  VecX u(3 * n), targets(3 * static_cast<Eigen::Index>(ties.size()));
  for (int i = 0; i < n; ++i)
    u.segment<3>(3 * i) = moved(lattice.points[static_cast<size_t>(i)]) - lattice.points[static_cast<size_t>(i)];
  for (size_t t = 0; t < ties.size(); ++t) {
    Vec3 x = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
      x += ties[t].weights[k] * lattice.points[static_cast<size_t>(ties[t].vertices[static_cast<size_t>(k)])];
    targets.segment<3>(3 * static_cast<Eigen::Index>(t)) = moved(x);
  }
  // The rigid motion is in the set, so imposing the constraints on it changes nothing.
  const VecX imposed = c.map().expand(c.map().gather(u), c.prescribe(VecX(), targets));
  EXPECT_LT((imposed - u).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(c.tie_residual(imposed, targets), 1e-10);
  EXPECT_GT(c.rank(), 50);
  EXPECT_LE(largest_weight(c.map()), 1e3);
}

TEST(Constraints, SameBitsForAnyThreadCount) {
  Problem p(4, 4, 3, 2);
  Random random(4);
  for (int t = 0; t < 120; ++t)
    p.ties.push_back(random.inside(p.lattice.tets[static_cast<size_t>(random.below(p.lattice.tets.size()))]));
  p.aim(random.vector(3 * p.n()));
  VecX answer[2];
  for (int threads : {1, 2}) {
    set_thread_count(threads);
    const Constraints c = p.constraints();
    answer[threads - 1] = c.map().expand(c.map().gather(VecX::Ones(3 * p.n())), c.prescribe(VecX(), p.targets));
  }
  set_thread_count(0);
  EXPECT_EQ(answer[0], answer[1]);
}

TEST(Constraints, BadInputIsNamed) {
  const Points rest(4, Vec3::Zero());
  const PointTie good{{0, 1, 2, 3}, Eigen::Vector4d::Constant(0.25)};
  EXPECT_THROW(Constraints(4, rest, {4}, {}), InputError);
  EXPECT_THROW(Constraints(4, rest, {-1}, {}), InputError);
  EXPECT_THROW(Constraints(4, rest, {1, 1}, {}), InputError);
  PointTie bad = good;
  bad.vertices[2] = 9;
  EXPECT_THROW(Constraints(4, rest, {}, {bad}), InputError);
  bad = good;
  bad.weights[1] = std::nan("");
  EXPECT_THROW(Constraints(4, rest, {}, {bad}), InputError);
  EXPECT_EQ(Constraints(4, rest, {0, 1, 2, 3}, {good}).map().n_free(), 0);
  EXPECT_EQ(Constraints(0, {}, {}, {}).map().n(), 0);
}

}  // namespace
}  // namespace supple
