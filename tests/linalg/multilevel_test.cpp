#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <functional>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/linalg/multilevel_transfer.h"
#include "supple/linalg/preconditioner.h"
#include "tests/linalg/lattice.h"

namespace supple {
namespace {

using namespace test;

struct Body {
  BlockMatrix matrix;
  VecX places;
};

// A beam of linear elasticity, 4 : 1 : 1, in six tets a cell; its end is held unless it is free. Poisson ratio 0.45.
// inertia: the mass a vertex over h^2, beside a stiffness of the order of one.
Body beam(int across, double inertia, bool held = true) {
  const Lattice lattice = make_lattice(4 * across, across, across);
  std::vector<int> number;
  int n = 0;
  for (const Vec3& p : lattice.points) number.push_back(held && p[0] == 0 ? -1 : n++);
  PatternBuilder builder(n);
  std::vector<int> kept;
  for (const Tet& t : lattice.tets) {
    kept.clear();
    for (int v : t)
      if (number[static_cast<size_t>(v)] >= 0) kept.push_back(number[static_cast<size_t>(v)]);
    builder.couple(kept);
  }
  Body body{BlockMatrix(builder.build()), VecX(3 * n)};
  const double mu = 1 / 2.9, lambda = 0.45 / (1.45 * 0.1);
  for (const Tet& t : lattice.tets) {
    auto point = [&](size_t a) { return lattice.points[static_cast<size_t>(t[a])]; };
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = point(static_cast<size_t>(a) + 1) - point(0);
    const Mat3 inverse = edges.inverse();
    const double volume = std::abs(edges.determinant()) / 6;
    Eigen::Matrix<double, 3, 4> g;
    g.rightCols<3>() = inverse.transpose();
    g.col(0) = -g.rightCols<3>().rowwise().sum();
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) {
        const int i = number[static_cast<size_t>(t[static_cast<size_t>(a)])];
        const int j = number[static_cast<size_t>(t[static_cast<size_t>(b)])];
        if (i < 0 || j < 0) continue;
        add_block(body.matrix, i, j,
                  volume * (lambda * g.col(a) * g.col(b).transpose() + mu * g.col(b) * g.col(a).transpose() +
                            mu * g.col(a).dot(g.col(b)) * Mat3::Identity()));
      }
  }
  for (size_t i = 0; i < number.size(); ++i)
    if (number[i] >= 0) body.places.segment<3>(3 * number[i]) = lattice.points[i];
  ground(body.matrix, inertia);
  return body;
}

int iterations(const BlockMatrix& a, const std::function<void(const VecX&, VecX&)>& precondition, VecX& x) {
  VecX b(3 * a.n());
  for (int i = 0; i < 3 * a.n(); ++i) b[i] = 1 + std::sin(3.0 * i) + (i % 3);
  VecX r = b, z(b.size()), p = VecX::Zero(b.size());
  x = p;
  double rho = 1;
  for (int i = 0; i < 3000; ++i) {
    if (r.norm() <= 1e-8 * b.norm()) return i;
    precondition(r, z);
    const double next = r.dot(z);
    p = z + (i == 0 ? 0 : next / rho) * p;
    rho = next;
    const VecX q = a.multiply(p);
    const double alpha = rho / p.dot(q);
    x += alpha * p;
    r -= alpha * q;
  }
  return 3000;
}

int multilevel_iterations(const Body& body, bool with_places = true) {
  const auto p = make_multilevel(body.matrix.pattern, with_places ? body.places : VecX());
  EXPECT_TRUE(p->make(body.matrix));
  VecX x;
  return iterations(
      body.matrix, [&](const VecX& r, VecX& z) { p->apply(r, z); }, x);
}

int jacobi_iterations(const Body& body) {
  std::vector<Mat3> inverse;
  const BlockMatrix& a = body.matrix;
  for (int i = 0; i < a.n(); ++i) inverse.push_back(Eigen::Map<const Mat3>(a.block(a.pattern->find(i, i))).inverse());
  auto apply = [&](const VecX& r, VecX& z) {
    for (int i = 0; i < a.n(); ++i) z.segment<3>(3 * i) = inverse[static_cast<size_t>(i)] * r.segment<3>(3 * i);
  };
  VecX x;
  return iterations(a, apply, x);
}

VecX applied(Preconditioner& p, const VecX& r) {
  VecX z;
  p.apply(r, z);
  return z;
}

// Symmetric and positive to single precision.
void expect_spd(Preconditioner& p, int n) {
  const MatX v = random_matrix(3 * n, 6, 11);
  MatX pv(v.rows(), v.cols());
  for (int c = 0; c < 6; ++c) pv.col(c) = applied(p, v.col(c));
  const MatX products = v.transpose() * pv;
  for (int c = 0; c < 6; ++c) {
    EXPECT_GT(products(c, c), 0);
    for (int d = 0; d < c; ++d)
      EXPECT_NEAR(products(c, d), products(d, c), 2e-5 * std::sqrt(products(c, c) * products(d, d)));
  }
}

TEST(Multilevel, IsSymmetricAndPositive) {
  for (double inertia : {0.0, 0.01})
    for (int across : {3, 7}) {
      const Body body = beam(across, inertia);
      const auto p = make_multilevel(body.matrix.pattern, body.places);
      ASSERT_TRUE(p->make(body.matrix));
      expect_spd(*p, body.matrix.n());
    }
}

// Eigenvalues of the map times A, ascending.
VecX eigenvalues_beside(const BlockMatrix& a, const std::function<VecX(const VecX&)>& map) {
  const int size = 3 * a.n();
  MatX m(size, size);
  for (int c = 0; c < size; ++c) m.col(c) = map(VecX::Unit(size, c));
  EXPECT_LT((m - m.transpose()).norm(), 1e-5 * m.norm());
  const MatX lower = a.dense().llt().matrixL();
  const MatX product = lower.transpose() * (m + m.transpose()) / 2 * lower;
  return symmetric_eigen(product).values;
}

// The whole map: no negative direction hides, and it is near the inverse.
TEST(Multilevel, IsNearTheInverse) {
  const Body body = beam(3, 1e-3);
  const auto p = make_multilevel(body.matrix.pattern, body.places);
  ASSERT_TRUE(p->make(body.matrix));
  const VecX values = eigenvalues_beside(body.matrix, [&](const VecX& r) { return applied(*p, r); });
  EXPECT_GT(values.minCoeff(), 0.1);
  EXPECT_LT(values.maxCoeff(), 1.001);  // smoothing that is a contraction overshoots nowhere
}

// Every vertex coupled to every other, as strongly as to itself but for a little: block Jacobi overshoots many times.
BlockMatrix strongly_coupled(int n) {
  PatternBuilder builder(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) builder.couple(i, j);
  BlockMatrix a(builder.build());
  Mat3 block;
  block << 2, 0.5, 0.1, 0.5, 1, 0.2, 0.1, 0.2, 3;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) add_block(a, i, j, block);
  ground(a, 0.3);
  return a;
}

// Smoothing is a contraction however strong the couplings between chunks are, it knows its residual, and it leaves a
// solution alone.
TEST(Multilevel, SmootherIsAContractionForAnyChunks) {
  using namespace multilevel;
  for (const BlockMatrix& a : {beam(3, 0.1).matrix, strongly_coupled(24)})
    for (int nodes : {1, 5, 60, 1000}) {
      Level<3> level(coarsen(*a.pattern, 100000, 1).graphs[0], nodes);
      float buffer[9];
      for (int i = 0; i < level.n(); ++i) {
        std::copy_n(a.block(a.pattern->find(i, i)), 9, level.diagonal(i));
        for (int k = level.graph().begin(i); k < level.graph().end(i); ++k) {
          const int j = level.graph().at(k);
          const double* from = a.block(a.pattern->find(std::max(i, j), std::min(i, j)));
          if (level.own(k) < 0) continue;
          for (int c = 0; c < 9; ++c)
            level.block(level.own(k))[c] = static_cast<float>(j < i ? from[c] : from[3 * (c % 3) + c / 3]);
          EXPECT_EQ(level.edge_block(k, buffer)[1], static_cast<float>(j < i ? from[1] : from[3]));
        }
      }
      ASSERT_TRUE(level.invert_diagonal());
      ASSERT_TRUE(level.prepare_smoother());
      auto put = [](const VecX& from, Floats& to) {
        for (int i = 0; i < from.size(); ++i)
          to[static_cast<size_t>(4 * (i / 3) + i % 3)] = static_cast<float>(from[i]);
      };
      auto get = [&](const Floats& from) {
        VecX to(3 * level.n());
        for (int i = 0; i < to.size(); ++i) to[i] = double{from[static_cast<size_t>(4 * (i / 3) + i % 3)]};
        return to;
      };
      const VecX values = eigenvalues_beside(a, [&](const VecX& b) {
        put(b, level.b);
        level.smooth_forward();
        EXPECT_LT((get(level.r) - (b - a.multiply(get(level.x)))).norm(), 1e-5 * b.norm());
        level.smooth_backward();
        return get(level.r);
      });
      EXPECT_GT(values.minCoeff(), 0.0);
      EXPECT_LT(values.maxCoeff(), 1.001);
      const VecX solution = random_matrix(3 * level.n(), 1, 8);
      put(a.multiply(solution), level.b);
      put(solution, level.x);
      level.smooth_backward();
      EXPECT_LT((get(level.r) - solution).norm(), 1e-4 * solution.norm());
    }
}

TEST(Multilevel, IterationsHardlyGrowWithSize) {
  const Body small = beam(6, 0), large = beam(10, 0);  // 5k and 24k tets
  const int of_small = multilevel_iterations(small), of_large = multilevel_iterations(large);
  EXPECT_LT(of_small, 40);
  EXPECT_LT(of_large, 40);
  EXPECT_LT(of_large, of_small + 10);
  EXPECT_GT(jacobi_iterations(small), 10 * of_small);
  const int with_mass = multilevel_iterations(beam(10, 1e-2));
  EXPECT_LT(with_mass, of_large);
}

TEST(Multilevel, WorksWithoutPlaces) {
  const Body body = beam(6, 0);
  const int with = multilevel_iterations(body), without = multilevel_iterations(body, false);
  EXPECT_GT(without, with);
  EXPECT_LT(3 * without, jacobi_iterations(body));
}

TEST(Multilevel, SameBitsForAnyThreadCountAndHistory) {
  const Body body = beam(9, 1e-2), other = beam(9, 0.5);
  const VecX r = random_matrix(3 * body.matrix.n(), 1, 3);
  std::vector<VecX> results;
  for (int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const auto p = make_multilevel(body.matrix.pattern, body.places);
    ASSERT_TRUE(p->make(body.matrix));
    results.push_back(applied(*p, r));
    BlockMatrix changed = other.matrix;
    changed.pattern = body.matrix.pattern;
    ASSERT_TRUE(p->make(changed));
    EXPECT_NE(applied(*p, r), results.back());
    ASSERT_TRUE(p->make(body.matrix));
    results.push_back(applied(*p, r));
  }
  set_thread_count(0);
  for (const VecX& z : results) EXPECT_EQ(z, results[0]);
}

// Scales far outside single precision.
TEST(Multilevel, ScalesDoNotMatter) {
  Body body = beam(5, 1e-2);
  const auto p = make_multilevel(body.matrix.pattern, body.places);
  ASSERT_TRUE(p->make(body.matrix));
  const VecX r = random_matrix(3 * body.matrix.n(), 1, 4), z = applied(*p, r);
  EXPECT_EQ(applied(*p, 0x1p-200 * r), 0x1p-200 * z);
  for (double& v : body.matrix.values) v *= 0x1p150;
  ASSERT_TRUE(p->make(body.matrix));
  EXPECT_EQ(applied(*p, r), 0x1p-150 * z);
  EXPECT_EQ(applied(*p, VecX::Zero(r.size())), VecX::Zero(r.size()));
}

TEST(Multilevel, TinyIsSolvedExactly) {
  for (int n : {1, 2, 3}) {
    PatternBuilder builder(n);
    for (int i = 1; i < n; ++i) builder.couple(i, i - 1);
    const auto pattern = builder.build();
    const auto p = make_multilevel(pattern, VecX());
    const BlockMatrix a = random_spd(pattern, 5);
    ASSERT_TRUE(p->make(a));
    const VecX x = random_matrix(3 * n, 1, 6);
    EXPECT_LT((applied(*p, a.multiply(x)) - x).norm(), 1e-5 * x.norm());
  }
  const auto none = make_multilevel(PatternBuilder(0).build(), VecX());
  EXPECT_TRUE(none->make(BlockMatrix(PatternBuilder(0).build())));
  EXPECT_EQ(applied(*none, VecX()).size(), 0);
}

// Beams, pairs and lone vertices side by side: as quick as the beam alone.
TEST(Multilevel, Unconnected) {
  const Body one = beam(5, 0);
  const int n = one.matrix.n(), pairs = 100, lone = 300, total = 2 * n + 2 * pairs + lone;
  const BlockPattern& pattern = *one.matrix.pattern;
  PatternBuilder builder(total);
  for (int i = 0; i < n; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k < pattern.row_start[static_cast<size_t>(i) + 1]; ++k)
      for (int offset : {0, n + lone}) builder.couple(i + offset, pattern.col[static_cast<size_t>(k)] + offset);
  const int first_pair = 2 * n + lone;
  for (int i = 0; i < pairs; ++i) builder.couple(first_pair + 2 * i, first_pair + 2 * i + 1);
  Body all{BlockMatrix(builder.build()), VecX::Zero(3 * total)};
  for (int i = 0; i < n; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k < pattern.row_start[static_cast<size_t>(i) + 1]; ++k)
      for (int offset : {0, n + lone}) {
        const int to = all.matrix.pattern->find(i + offset, pattern.col[static_cast<size_t>(k)] + offset);
        std::copy_n(one.matrix.block(k), 9, all.matrix.block(to));
      }
  for (int offset : {0, n + lone}) all.places.segment(3 * offset, 3 * n) = one.places;
  for (int i = n; i < n + lone; ++i) add_block(all.matrix, i, i, Vec3(1, 2, 1 + i).asDiagonal());
  for (int i = first_pair; i < total; ++i) {
    add_block(all.matrix, i, i, Vec3(2, 3, 4).asDiagonal());
    if (i % 2 != first_pair % 2) add_block(all.matrix, i, i - 1, -Vec3(1.9, 0.1, 3).asDiagonal().toDenseMatrix());
    all.places[3 * i] = i;
  }
  EXPECT_LE(multilevel_iterations(all), multilevel_iterations(one) + 5);
  EXPECT_LT(multilevel_iterations(all, false), 200);
  const auto p = make_multilevel(all.matrix.pattern, all.places);
  ASSERT_TRUE(p->make(all.matrix));
  expect_spd(*p, total);
}

// Motions of the coarsest nodes as one rigid body move every vertex as that body.
TEST(Multilevel, TentativeProlongatorsReproduceRigidMotions) {
  using namespace multilevel;
  const Body body = beam(8, 0);
  Hierarchy h = coarsen(*body.matrix.pattern, 10, 10);
  ASSERT_GE(h.aggregates.size(), 2u);
  Frames frames;
  for (int row : h.order) frames.place.push_back(body.places.segment<3>(3 * row));
  const Vec3 shift(0.3, -2, 1), spin(0.7, 0.2, -1.1);
  auto rigid = [&](const Frames& f, size_t i) {
    Eigen::Matrix<double, 6, 1> q;
    q << shift + spin.cross(f.place[i]), f.length * spin;
    return q;
  };
  Level<3> finest(h.graphs[0], 100);
  std::vector<std::unique_ptr<Level<6>>> coarse;
  auto check = [&](const auto& transfer, const Aggregates& aggregates, const Frames& fine, const Frames& next,
                   int rows) {
    for (size_t i = 0; i < aggregates.of.size(); ++i) {
      ASSERT_GE(aggregates.of[i], 0);
      const auto q = rigid(next, static_cast<size_t>(aggregates.of[i])), expected = rigid(fine, i);
      const float* t = transfer.tentative(static_cast<int>(i));
      for (int r = 0; r < rows; ++r) {
        double moved = 0;
        for (int c = 0; c < 6; ++c) moved += double{t[6 * r + c]} * q[c];
        EXPECT_NEAR(moved, expected[r], 1e-5 * q.norm());
      }
    }
  };
  for (size_t l = 0; l < h.aggregates.size(); ++l) {
    coarse.push_back(std::make_unique<Level<6>>(h.graphs[l + 1], 100));
    Frames next;
    if (l == 0) {
      Transfer<3> transfer(finest, *coarse[0], h.aggregates[0]);
      next = transfer.set_places(frames, true);
      check(transfer, h.aggregates[0], frames, next, 3);
    } else {
      Transfer<6> transfer(*coarse[l - 1], *coarse[l], h.aggregates[l]);
      next = transfer.set_places(frames, true);
      check(transfer, h.aggregates[l], frames, next, 6);
    }
    frames = next;
  }
}

TEST(Multilevel, AggregatesAreWholeAndOfFairSize) {
  using namespace multilevel;
  const Hierarchy h = coarsen(*beam(10, 0).matrix.pattern, 100, 50);
  for (size_t l = 0; l < h.aggregates.size(); ++l) {
    std::vector<int> members(static_cast<size_t>(h.aggregates[l].count), 0);
    for (int a : h.aggregates[l].of) ++members.at(static_cast<size_t>(a));
    EXPECT_GT(*std::min_element(members.begin(), members.end()), 1);
    EXPECT_GT(h.graphs[l].rows(), 8 * h.aggregates[l].count);
    EXPECT_TRUE(std::is_sorted(h.aggregates[l].of.begin(), h.aggregates[l].of.end()));
  }
  std::vector<int> order = h.order;
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<int>(i));
}

TEST(Multilevel, RefusesIndefiniteMatrices) {
  Body body = beam(6, 0);
  const auto p = make_multilevel(body.matrix.pattern, body.places);
  BlockMatrix smooth = body.matrix;
  ground(smooth, -1e-2);  // diagonal blocks stay positive, slow modes do not
  EXPECT_FALSE(p->make(smooth));
  BlockMatrix local = body.matrix;
  add_block(local, 700, 700, -100 * Mat3::Identity());
  EXPECT_FALSE(p->make(local));
  EXPECT_TRUE(p->make(body.matrix));
  BlockMatrix tiny(PatternBuilder(1).build());
  EXPECT_FALSE(make_multilevel(tiny.pattern, VecX())->make(tiny));
}

TEST(Multilevel, CountsItsCostAndMemory) {
  const Body small = beam(4, 0), large = beam(8, 0);
  const auto a = make_multilevel(small.matrix.pattern, small.places);
  const auto b = make_multilevel(large.matrix.pattern, large.places);
  EXPECT_GT(b->memory_bytes(), 4 * a->memory_bytes());
  EXPECT_GT(b->memory_bytes(), sizeof(float) * large.matrix.values.size());
  EXPECT_LT(b->memory_bytes(), 4 * sizeof(double) * large.matrix.values.size());
  EXPECT_GT(b->make_cost(), 1);
  EXPECT_LT(b->make_cost(), 30);
}

TEST(Multilevel, RefusesPlacesOfAnotherSize) {
  EXPECT_THROW(make_multilevel(PatternBuilder(3).build(), VecX::Zero(6)), std::invalid_argument);
}

}  // namespace
}  // namespace supple
