#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "supple/base/parallel.h"
#include "supple/mesh/tet_mesh.h"
#include "supple/mesh/vertex_blend.h"

namespace supple {
namespace {

Points points_in(const Vec3& low, const Vec3& high, int n) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> unit(0, 1);
  Points points;
  for (int i = 0; i < n; ++i)
    points.push_back(low + Vec3(unit(random), unit(random), unit(random)).cwiseProduct(high - low));
  return points;
}

template <class F>
VecX moved(const Points& points, F&& f) {
  Points out;
  for (const Vec3& p : points) out.push_back(f(p));
  return flatten(out);
}

double error(const VecX& got, const Points& points, const std::function<Vec3(const Vec3&)>& f) {
  return (got - moved(points, f)).lpNorm<Eigen::Infinity>();
}

const auto kAffine = [](const Vec3& p) -> Vec3 {
  const Mat3 m = (Mat3() << 1.2, 0.3, -0.1, 0.4, 0.7, 0.2, -0.6, 0.1, 1.5).finished();
  return m * p + Vec3(3, -2, 1);
};
const auto kQuadratic = [](const Vec3& p) -> Vec3 {
  return {p.x() + 0.3 * p.y() * p.y() - 0.2 * p.x() * p.z(), p.y() + 0.4 * p.x() * p.y(), p.z() - 0.25 * p.z() * p.z()};
};

TEST(VertexBlend, OfAnEmbeddingIsTheEmbedding) {
  const TetMesh mesh = make_box(3, 3, 3, {1, 1, 1});
  const Points points = points_in({-0.2, -0.2, -0.2}, {1.2, 1.2, 1.2}, 50);
  const Embedding e = embed(mesh, points);
  const VertexBlend blend = blend_of(e, mesh.tets);
  EXPECT_EQ(blend.size(), 50);
  const VecX bent = moved(mesh.vertices, kQuadratic);
  EXPECT_LT((blended(blend, bent) - flatten(embedded_points(e, mesh.tets, bent))).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_EQ(blended(VertexBlend{}, bent).size(), 0);
}

TEST(SmoothBlend, AffineMapsAreExact) {
  const TetMesh mesh = make_box(4, 3, 2, {1, 0.7, 0.5});
  const Points points = points_in({-0.1, -0.1, -0.1}, {1.1, 0.8, 0.6}, 200);  // some outside
  const VertexBlend blend = smooth_blend(mesh, embed(mesh, points).tet, points);
  EXPECT_LT(error(blended(blend, flatten(mesh.vertices)), points, [](const Vec3& p) { return p; }), 1e-13);
  EXPECT_LT(error(blended(blend, moved(mesh.vertices, kAffine)), points, kAffine), 1e-13);
  for (int i = 0; i < blend.size(); ++i) {
    double sum = 0, size = 0;
    for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) sum += blend.weight[k], size += std::abs(blend.weight[k]);
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT(size, 4);
  }
}

TEST(SmoothBlend, QuadraticMapsAreExactInside) {
  const TetMesh mesh = make_box(6, 6, 6, {1, 1, 1});
  const Points points = points_in({0.35, 0.35, 0.35}, {0.65, 0.65, 0.65}, 100);
  const Embedding e = embed(mesh, points);
  const VecX bent = moved(mesh.vertices, kQuadratic);
  EXPECT_LT(error(blended(smooth_blend(mesh, e.tet, points), bent), points, kQuadratic), 1e-12);
  EXPECT_GT(error(blended(blend_of(e, mesh.tets), bent), points, kQuadratic), 1e-3);
}

TEST(SmoothBlend, ContinuousAndWithoutKinks) {
  const TetMesh mesh = make_box(5, 5, 5, {1, 1, 1});
  const auto bend = [](const Vec3& p) -> Vec3 {
    return {p.x() + 0.2 * std::sin(3 * p.y()), p.y() + 0.2 * std::cos(2 * p.z()), p.z() * (1 + 0.3 * p.x())};
  };
  const VecX bent = moved(mesh.vertices, bend);
  // Along a line: jumps of the second difference are kinks.
  Points line;
  const int n = 2000;
  for (int i = 0; i <= n; ++i) line.push_back(Vec3(0.05, 0.11, 0.07) + 0.85 * i / n * Vec3(1, 0.9, 0.95));
  const Embedding e = embed(mesh, line);
  const auto kink = [&](const VecX& p) {
    double worst = 0;
    for (int i = 1; i < n; ++i) {
      const Vec3 second = p.segment<3>(3 * i + 3) - 2 * p.segment<3>(3 * i) + p.segment<3>(3 * i - 3);
      worst = std::max(worst, second.norm());
    }
    return worst;
  };
  const VecX smooth = blended(smooth_blend(mesh, e.tet, line), bent);
  EXPECT_LT(kink(smooth), 0.3 * kink(blended(blend_of(e, mesh.tets), bent)));
  for (int i = 0; i < n; ++i) EXPECT_LT((smooth.segment<3>(3 * i + 3) - smooth.segment<3>(3 * i)).norm(), 3.0 / n);
}

TEST(SmoothBlend, SeparatePiecesHaveNothingToDoWithEachOther) {
  // Two boxes in the same place.
  TetMesh mesh = make_box(2, 2, 2, {1, 1, 1});
  const int n = mesh.n_vertices(), n_tets = mesh.n_tets();
  for (int v = 0; v < n; ++v) mesh.vertices.push_back(mesh.vertices[v]);
  for (int t = 0; t < n_tets; ++t) {
    Tet other = mesh.tets[t];
    for (int& v : other) v += n;
    mesh.tets.push_back(other);
  }
  const Points points = points_in({0, 0, 0}, {1, 1, 1}, 40);
  std::vector<int> tet = embed(make_box(2, 2, 2, {1, 1, 1}), points).tet;
  for (int& t : tet) t += n_tets;
  for (int v : smooth_blend(mesh, tet, points).vertex) EXPECT_GE(v, n);
}

TEST(SmoothBlend, EmptyTetsCountLess) {
  TetMesh mesh = make_box(2, 1, 1, {2, 1, 1});
  const Points points = {{0.9, 0.4, 0.5}};
  const auto tet = embed(mesh, points).tet;
  // The far half is moved alone; the less it is filled, the less it is felt.
  VecX shifted = VecX::Zero(3 * mesh.n_vertices());
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (mesh.vertices[v].x() > 1.5) shifted[3 * v] = 1;
  }
  const double full = std::abs(blended(smooth_blend(mesh, tet, points), shifted)[0]);
  auto& fill = mesh.tet_maps["fill"];
  for (const Tet& t : mesh.tets) {
    double x = 0;
    for (int v : t) x += 0.25 * mesh.vertices[v].x();
    fill.push_back(x > 1 ? 0.02 : 1);
  }
  const double nearly_empty = std::abs(blended(smooth_blend(mesh, tet, points), shifted)[0]);
  EXPECT_GT(full, 1e-3);
  EXPECT_LT(nearly_empty, 0.5 * full);
}

TEST(SmoothBlend, SameBitsForAnyThreadCount) {
  const TetMesh mesh = make_box(6, 6, 6, {1, 1, 1});
  const Points points = points_in({0, 0, 0}, {1, 1, 1}, 2000);
  const auto tet = embed(mesh, points).tet;
  set_thread_count(1);
  const VertexBlend one = smooth_blend(mesh, tet, points);
  set_thread_count(4);
  const VertexBlend four = smooth_blend(mesh, tet, points);
  set_thread_count(0);
  EXPECT_EQ(one.first, four.first);
  EXPECT_EQ(one.vertex, four.vertex);
  EXPECT_EQ(one.weight, four.weight);
}

}  // namespace
}  // namespace supple
