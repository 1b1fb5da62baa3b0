#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/enrich/fit.h"
#include "supple/mesh/embedding.h"

namespace supple {
namespace {

// A bar in coarse tets, and a finer surface inside them that is bent.
struct Bar {
  TetMesh mesh;
  TriMesh surface;
  Embedding embedding;
  double size;
  explicit Bar(double scale = 1, int cells = 2) : size(4 * scale) {
    mesh = make_box(4 * cells, cells, cells, Vec3(4, 1, 1) * scale);
    surface = boundary_surface(make_box(24, 6, 6, Vec3(3.8, 0.8, 0.8) * scale, Vec3(0.1, 0.1, 0.1) * scale));
    embedding = embed(mesh, surface.vertices);
  }
  std::vector<PointTie> ties() const {
    std::vector<PointTie> out;
    for (size_t i = 0; i < embedding.tet.size(); ++i)
      out.push_back({mesh.tets[static_cast<size_t>(embedding.tet[i])], embedding.weights[i]});
    return out;
  }
  std::vector<double> areas() const {
    std::vector<int> all(surface.vertices.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return areas_of(surface, all);
  }
  SurfaceFit fit(FitOptions options = {}) const { return {mesh, ties(), areas(), options}; }
  VecX moved(const std::function<Vec3(const Vec3&)>& f) const {
    Points x;
    for (const Vec3& p : surface.vertices) x.push_back(f(p));
    return flatten(x);
  }
  // Rolled up around an axis below it: `angle` from end to end.
  VecX bent(double angle) const {
    return moved([&](const Vec3& p) -> Vec3 {
      if (angle == 0) return p;
      const double radius = size / angle, a = p.x() / radius, r = radius + p.y();
      return {r * std::sin(a), r * std::cos(a) - radius, p.z()};
    });
  }
};

TEST(Fit, ARigidMotionIsFoundExactly) {
  const Bar bar;
  SurfaceFit fit = bar.fit();
  const Mat3 R = Eigen::AngleAxisd(2.3, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  VecX u;
  const FitFrame frame = fit.solve(bar.moved([&](const Vec3& p) -> Vec3 { return R * p + Vec3(30, -2, 8); }), u);
  EXPECT_LT(frame.largest, 1e-7 * bar.size);
  EXPECT_FALSE(frame.damped);
  for (int v = 0; v < bar.mesh.n_vertices(); ++v) {
    const Vec3& p = bar.mesh.vertices[static_cast<size_t>(v)];
    EXPECT_LT((p + u.segment<3>(3 * v) - R * p - Vec3(30, -2, 8)).norm(), 1e-6 * bar.size);
  }
}

TEST(Fit, IsAMinimumOfTheEnergy) {
  const Bar bar;
  const FitOptions options{.tolerance = 1e-9};
  SurfaceFit fit = bar.fit(options);
  VecX u;
  fit.solve(bar.bent(2), u);
  // The energy written down once more, tet by tet and point by point.
  const double edge = std::cbrt(6 * std::sqrt(2.0) * 4 / bar.mesh.n_tets());
  const ElementMaterial material = element_material(
      options.material, {.youngs_modulus = options.stiffness * edge, .poisson_ratio = options.poisson_ratio});
  const std::vector<PointTie> ties = bar.ties();
  const std::vector<double> areas = bar.areas();
  const VecX targets = bar.bent(2);
  const auto energy = [&](const VecX& x) -> double {
    double e = 0;
    const auto at = [&](int v) -> Vec3 { return bar.mesh.vertices[static_cast<size_t>(v)] + x.segment<3>(3 * v); };
    for (const Tet& t : bar.mesh.tets) {
      Mat3 before, after;
      for (int k = 0; k < 3; ++k) {
        before.col(k) = bar.mesh.vertices[static_cast<size_t>(t[k + 1])] - bar.mesh.vertices[static_cast<size_t>(t[0])];
        after.col(k) = at(t[k + 1]) - at(t[0]);
      }
      const Mat3 F = after * before.inverse();
      e += std::abs(before.determinant()) / 6 * energy_density(options.material, material, F);
    }
    for (size_t i = 0; i < ties.size(); ++i) {
      Vec3 p = Vec3::Zero();
      for (int c = 0; c < 4; ++c) p += ties[i].weights[c] * at(ties[i].vertices[c]);
      e += 0.5 * areas[i] * (p - targets.segment<3>(3 * static_cast<Eigen::Index>(i))).squaredNorm();
    }
    return e;
  };
  const double there = energy(u);
  for (int k = 0; k < 6; ++k) {
    VecX d = VecX::Zero(u.size());
    for (Eigen::Index i = 0; i < d.size(); ++i) d[i] = std::sin(1.7 * static_cast<double>(i) + k);
    const double h = 1e-4, up = energy(u + h * d), down = energy(u - h * d);
    EXPECT_GT(up, there);
    EXPECT_GT(down, there);
    EXPECT_LT(std::abs(up - down) / (2 * h), 1e-3 * (up + down - 2 * there) / (h * h) * 1e-2);
  }
}

TEST(Fit, FollowsABendAndLessStiffFollowsCloser) {
  const Bar bar;
  double last = std::numeric_limits<double>::infinity();
  for (double stiffness : {1e-1, 1e-2, 1e-3}) {
    SurfaceFit fit = bar.fit({.stiffness = stiffness});
    VecX u;
    const FitFrame frame = fit.solve(bar.bent(2.5), u);
    EXPECT_LT(frame.rms, last);
    EXPECT_EQ(frame.inverted, 0);
    last = frame.rms;
  }
  EXPECT_LT(last, 0.005 * bar.size);
}

TEST(Fit, OneDefaultServesAllSizes) {
  const Bar small(0.01), large(100);
  VecX u, v;
  SurfaceFit a = small.fit(), b = large.fit();
  const FitFrame first = a.solve(small.bent(2), u), second = b.solve(large.bent(2), v);
  EXPECT_NEAR(first.rms / small.size, second.rms / large.size, 1e-5);
  EXPECT_LT((u / small.size - v / large.size).cwiseAbs().maxCoeff(), 1e-4);
}

FittedAnimation animate(const Bar& bar, const std::function<VecX(int)>& targets, int frames) {
  SurfaceFit fit = bar.fit();
  return fit_animation(fit, bar.mesh, frames, targets);
}

TEST(Fit, AnAnimationIsFollowedFrameByFrame) {
  const Bar bar;
  const auto bend = [&](int f) { return bar.bent(0.25 * f); };
  const FittedAnimation whole = animate(bar, bend, 8);
  for (int f = 0; f < 8; ++f) {
    EXPECT_LT(whole.reports[static_cast<size_t>(f)].rms, 0.005 * bar.size);
    EXPECT_FALSE(whole.reports[static_cast<size_t>(f)].flagged());
  }
  // Where a frame comes from does not matter.
  SurfaceFit alone = bar.fit({.tolerance = 1e-7});
  VecX u;
  alone.solve(bend(7), u);
  EXPECT_LT((whole.frames[7] - flatten(bar.mesh.vertices) - u).cwiseAbs().maxCoeff(), 2e-3 * bar.size);
}

TEST(Fit, WhatIsMissingIsCompleted) {
  const Bar bar;
  VecX targets = bar.bent(0.4);                             // which stretches the upper side by a tenth
  for (size_t i = 0; i < bar.surface.vertices.size(); ++i)  // the upper side alone is tracked
    if (bar.surface.vertices[i].y() < 0.85)
      targets.segment<3>(3 * static_cast<Eigen::Index>(i)).setConstant(std::numeric_limits<double>::quiet_NaN());
  SurfaceFit fit = bar.fit();
  VecX u;
  const FitFrame frame = fit.solve(targets, u);
  EXPECT_GT(frame.missing, 0);
  // It keeps its thickness, though nothing says where the lower side is.
  const VecX places = fit.match().places(u);
  const Points& rest = bar.surface.vertices;
  int pairs = 0;
  for (size_t i = 0; i < rest.size(); ++i)
    for (size_t j = 0; j < rest.size(); ++j) {
      if (rest[i].y() < 0.85 || (rest[i] - rest[j] - Vec3(0, 0.8, 0)).norm() > 1e-9) continue;
      const Vec3 across =
          places.segment<3>(3 * static_cast<Eigen::Index>(i)) - places.segment<3>(3 * static_cast<Eigen::Index>(j));
      EXPECT_NEAR(across.norm(), 0.8, 0.08);
      ++pairs;
    }
  EXPECT_GT(pairs, 100);
  EXPECT_LT(frame.rms, 0.005 * bar.size);
}

TEST(Fit, ABadFrameIsBridgedAndFlagged) {
  const Bar bar;
  const auto bend = [&](int f) -> VecX {
    VecX x = bar.bent(0.1 * f);
    if (f == 3)
      for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 2 * std::sin(static_cast<double>(13 * i));
    return x;
  };
  const FittedAnimation fit = animate(bar, bend, 7);
  EXPECT_TRUE(fit.reports[3].bridged);
  for (int f : {0, 1, 2, 4, 5, 6}) EXPECT_FALSE(fit.reports[static_cast<size_t>(f)].flagged()) << f;
  EXPECT_LT((fit.frames[3] - (fit.frames[2] + fit.frames[4]) / 2).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Fit, AFewPointsThatJumpAreLeftOut) {
  const Bar bar;
  const auto clean = [&](int f) { return bar.bent(0.1 * f); };
  const auto spiked = [&](int f) -> VecX {
    VecX x = clean(f);
    if (f == 2)
      for (int i : {4, 60, 61}) x.segment<3>(3 * i) += Vec3(0, 3, 0);
    return x;
  };
  const FittedAnimation fit = animate(bar, spiked, 5), without = animate(bar, clean, 5);
  EXPECT_EQ(fit.reports[2].outliers, 3);
  EXPECT_TRUE(fit.reports[2].flagged());
  EXPECT_LT((fit.frames[2] - without.frames[2]).cwiseAbs().maxCoeff(), 0.01 * bar.size);
  EXPECT_EQ(fit.reports[3].outliers, 0);
}

// A body that hops or swings turns back within a frame, all of it together: that is motion.
TEST(Fit, SuddenMotionIsNotTakenForDamage) {
  const Bar bar;
  const auto hop = [&](int f) -> VecX {
    const double up = f % 2 == 0 ? 0 : 0.4 * bar.size;
    return bar.moved([&](const Vec3& x) -> Vec3 { return x + Vec3(0, up, 0); });
  };
  const auto swing = [&](int f) -> VecX { return bar.bent(f % 2 == 0 ? 0.3 : 0.42); };
  for (const FittedAnimation& fit : {animate(bar, hop, 5), animate(bar, swing, 5)})
    for (const FitFrame& report : fit.reports) EXPECT_FALSE(report.flagged());
}

TEST(Fit, FramesWithoutAnyPointAreRefusedOnlyWhenThereIsNoOther) {
  const Bar bar;
  const VecX nothing = VecX::Constant(bar.bent(0).size(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(animate(
                   bar, [&](int) { return nothing; }, 3),
               InputError);
  const FittedAnimation fit = animate(
      bar, [&](int f) -> VecX { return f == 1 ? bar.bent(1) : nothing; }, 3);
  EXPECT_TRUE(fit.reports[0].bridged && fit.reports[2].bridged);
  EXPECT_LT((fit.frames[0] - fit.frames[1]).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((fit.frames[2] - fit.frames[1]).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Fit, SameBitsForAnyNumberOfThreads) {
  const Bar bar;
  const int before = thread_count();
  set_thread_count(1);
  const FittedAnimation one = animate(
      bar, [&](int f) { return bar.bent(0.3 * f); }, 3);
  set_thread_count(2);
  const FittedAnimation two = animate(
      bar, [&](int f) { return bar.bent(0.3 * f); }, 3);
  set_thread_count(before);
  for (size_t f = 0; f < 3; ++f) EXPECT_EQ(one.frames[f], two.frames[f]);
}

}  // namespace
}  // namespace supple
