#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "supple/base/error.h"
#include "supple/enrich/surface_match.h"
#include "supple/linalg/block_matrix.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {
namespace {

struct Setting {
  TetMesh mesh = make_box(2, 2, 2, {1, 1, 1});
  std::vector<PointTie> points;
  std::vector<double> area;
  VecX u, targets;
};

Setting random_setting(int n) {
  Setting s;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.05, 1);
  for (int i = 0; i < n; ++i) {
    Eigen::Vector4d w(number(random), number(random), number(random), number(random));
    s.points.push_back({s.mesh.tets[static_cast<size_t>(i * 7) % s.mesh.tets.size()], w / w.sum()});
    s.area.push_back(number(random));
  }
  s.u.resize(3 * s.mesh.n_vertices());
  for (double& x : s.u) x = 0.1 * number(random);
  s.targets.resize(3 * n);
  for (double& x : s.targets) x = number(random);
  return s;
}

struct Evaluated {
  double energy = 0;
  VecX residual;
  BlockMatrix matrix;
};
Evaluated evaluate(const SurfaceMatch& match, const VecX& u) {
  PatternBuilder builder(static_cast<int>(u.size() / 3));
  match.couple(builder);
  Evaluated e{.residual = VecX::Zero(u.size()), .matrix = BlockMatrix(builder.build())};
  const VecX zero = VecX::Zero(u.size());
  match.add({u, zero, zero, 0, 0}, {.energy = &e.energy, .residual = &e.residual, .matrix = &e.matrix});
  return e;
}

TEST(SurfaceMatch, ForceAndMatrixAreDifferencesOfTheEnergy) {
  const Setting s = random_setting(40);
  SurfaceMatch match(s.mesh.vertices, s.points, s.area);
  VecX targets = s.targets;
  targets[3 * 5 + 1] = std::numeric_limits<double>::quiet_NaN();  // a point that is missing
  match.set_targets(targets);
  const Evaluated here = evaluate(match, s.u);
  const MatX dense = here.matrix.dense();
  const double h = 1e-5;
  for (int i : {0, 4, 11, 40, 79}) {
    VecX up = s.u, down = s.u;
    up[i] += h, down[i] -= h;
    const Evaluated a = evaluate(match, up), b = evaluate(match, down);
    EXPECT_NEAR((a.energy - b.energy) / (2 * h), here.residual[i], 1e-8);
    EXPECT_LT(((a.residual - b.residual) / (2 * h) - dense.col(i)).cwiseAbs().maxCoeff(), 1e-8);
  }
  EXPECT_EQ(match.distance(s.u).missing, 1);
}

TEST(SurfaceMatch, DistanceIsTheMeanOverTheArea) {
  Setting s = random_setting(2);
  s.area = {3, 1};
  SurfaceMatch match(s.mesh.vertices, s.points, s.area);
  VecX targets = match.places(s.u);
  targets[0] += 0.02;  // by the first, of three quarters of the area
  match.set_targets(targets);
  const SurfaceMatch::Distance d = match.distance(s.u);
  EXPECT_NEAR(d.rms, 0.02 * std::sqrt(0.75), 1e-12);
  EXPECT_NEAR(d.largest, 0.02, 1e-12);
  EXPECT_NEAR(evaluate(match, s.u).energy, 0.5 * 3 * 0.02 * 0.02, 1e-12);
}

TEST(SurfaceMatch, RefusesWhatNoPointCanBe) {
  const Setting s = random_setting(1);
  EXPECT_THROW(SurfaceMatch(s.mesh.vertices, s.points, {-1.0}), InputError);
  PointTie nowhere = s.points[0];
  nowhere.vertices[2] = 1000;
  EXPECT_THROW(SurfaceMatch(s.mesh.vertices, {nowhere}, {1.0}), InputError);
}

TEST(SurfaceMatch, AreasSumToTheSurface) {
  const TriMesh box = boundary_surface(make_box(3, 2, 1, {3, 2, 1}));
  std::vector<int> all(box.vertices.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  double sum = 0;
  for (double a : areas_of(box, all)) sum += a;
  EXPECT_NEAR(sum, 22, 1e-12);
  // Alone no vertex has a triangle: all stand for the same, and together for everything.
  const std::vector<double> some = areas_of(box, {0, 5});
  EXPECT_NEAR(some[0], 11, 1e-12);
  EXPECT_EQ(some[0], some[1]);
}

}  // namespace
}  // namespace supple
