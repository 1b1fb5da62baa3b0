#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/enrich/blend.h"

namespace supple {
namespace {

VecX moved(const TetMesh& mesh, const std::function<Vec3(const Vec3&)>& f) {
  Points out;
  for (const Vec3& p : mesh.vertices) out.push_back(f(p));
  return flatten(out);
}

double distance(const VecX& a, const VecX& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

std::vector<double> all(const TetMesh& mesh, double share) { return std::vector<double>(mesh.tets.size(), share); }

std::vector<int> end_vertices(const TetMesh& mesh) {
  std::vector<int> end;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (mesh.vertices[v].x() == 0) end.push_back(v);
  }
  return end;
}

// A bar along x about its axis, bent by a quarter turn and twisted by a third; its end at x = 0 stays.
const TetMesh kBar = make_box(12, 3, 3, {2, 0.4, 0.4}, {0, -0.2, -0.2});
Vec3 bent_and_twisted(const Vec3& p) {
  const double bend = M_PI / 4 * p.x(), twist = M_PI / 3 * p.x(), radius = 4 / M_PI;
  const Vec3 about = Eigen::AngleAxisd(twist, Vec3::UnitX()) * Vec3(0, p.y(), p.z());
  return {(radius - about.y()) * std::sin(bend), radius - (radius - about.y()) * std::cos(bend), about.z()};
}
Vec3 bulged(const Vec3& p) {
  return {p.x(), p.y() * (1 + 0.3 * std::sin(2 * p.x())), p.z() * (1 - 0.2 * std::sin(p.x()))};
}

TEST(RotationStrainBlend, EndsAreExact) {
  const RotationStrainBlend blend(kBar, end_vertices(kBar));
  const VecX from = moved(kBar, bulged), to = moved(kBar, bent_and_twisted);
  EXPECT_EQ(blend.at(from, to, all(kBar, 0)), from);
  VecX same_end = to;
  for (int v : end_vertices(kBar)) same_end.segment<3>(3 * v) = from.segment<3>(3 * v);
  EXPECT_EQ(blend.at(from, same_end, all(kBar, 1)), same_end);
  // Through the solve: shares so near 1 that nothing else differs.
  EXPECT_LT(distance(blend.at(from, same_end, all(kBar, 1 - 1e-15)), same_end), 2e-12);
  EXPECT_LT(distance(blend.at(from, same_end, all(kBar, 1e-15)), from), 2e-12);
  // Held vertices are where the first shape has them, whatever the second says.
  VecX torn = same_end;
  for (int v : end_vertices(kBar)) torn[3 * v] -= 0.1;
  const VecX result = blend.at(from, torn, all(kBar, 1));
  for (int v : end_vertices(kBar)) EXPECT_EQ(result.segment<3>(3 * v), from.segment<3>(3 * v));
}

TEST(RotationStrainBlend, ComponentsAreBlendedByThemselves) {
  TetMesh mesh = kBar;
  const int n = mesh.n_vertices(), n_tets = mesh.n_tets();
  for (int copy = 1; copy <= 2; ++copy) {
    for (int v = 0; v < n; ++v) mesh.vertices.push_back(kBar.vertices[v]);
    for (Tet t : kBar.tets) {
      for (int& v : t) v += copy * n;
      mesh.tets.push_back(t);
    }
  }
  mesh.vertices.push_back({7, 7, 7});  // without tets
  const RotationStrainBlend blend(mesh, {});
  VecX from = moved(mesh, bulged), to = moved(mesh, bent_and_twisted);
  std::vector<double> share = all(mesh, 0);
  std::fill(share.begin() + n_tets, share.begin() + 2 * n_tets, 1.0);
  std::fill(share.begin() + 2 * n_tets, share.end(), 0.4);
  const VecX x = blend.at(from, to, share);
  EXPECT_EQ(VecX(x.head(3 * n)), VecX(from.head(3 * n)));
  EXPECT_LT(distance(x.segment(3 * n, 3 * n), to.segment(3 * n, 3 * n)), 2e-12);
  EXPECT_EQ(VecX(x.tail(3)), VecX(from.tail(3)));
  const VecX alone = RotationStrainBlend(kBar, {}).at(from.head(3 * n), to.head(3 * n), all(kBar, 0.4));
  EXPECT_LT(distance(x.segment(6 * n, 3 * n), alone), 1e-12);
}

TEST(RotationStrainBlend, HalfOfATurnIsTheTurnByHalf) {
  const TetMesh mesh = make_box(3, 3, 3, {1, 1, 1}, {-0.5, -0.5, -0.5});
  const Vec3 axis = Vec3(1, 2, -1).normalized();
  const auto turned = [&](double degrees) {
    const Mat3 R = Eigen::AngleAxisd(degrees * M_PI / 180, axis).toRotationMatrix();
    return moved(mesh, [&](const Vec3& p) -> Vec3 { return R * p + degrees / 170 * Vec3(2, 0, 1); });
  };
  const VecX rest = flatten(mesh.vertices);
  const RotationStrainBlend blend(mesh, {});
  EXPECT_LT(distance(blend.at(rest, turned(170), all(mesh, 0.5)), turned(85)), 1e-12);
  EXPECT_LT(distance(blend.at(rest, turned(170), all(mesh, 0.1)), turned(17)), 1e-12);
  EXPECT_LT(distance(blend.at(turned(-60), turned(100), all(mesh, 0.25)), turned(-20)), 1e-12);
  EXPECT_GT(distance(0.5 * (rest + turned(170)), turned(85)), 0.3);  // what a linear blend would do
}

TEST(RotationStrainBlend, StretchIsLinear) {
  const Mat3 stretch = (Mat3() << 1.5, 0.2, 0, 0.2, 0.8, 0.1, 0, 0.1, 1.1).finished();
  const VecX from = flatten(kBar.vertices);
  const VecX to = moved(kBar, [&](const Vec3& p) -> Vec3 { return stretch * p; });
  const auto part = [&](double s) {
    return moved(kBar, [&](const Vec3& p) -> Vec3 { return (1 - s) * p + s * (stretch * p); });
  };
  const RotationStrainBlend free(kBar, {});
  for (double s : {0.2, 0.5, 0.9}) EXPECT_LT(distance(free.at(from, to, all(kBar, s)), part(s)), 1e-12);
}

TEST(RotationStrainBlend, GrowsFromTheOneToTheOther) {
  const VecX from = flatten(kBar.vertices), to = moved(kBar, bent_and_twisted);
  const RotationStrainBlend blend(kBar, end_vertices(kBar));
  double last = 0, left = distance(from, to);
  for (double s : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    const VecX x = blend.at(from, to, all(kBar, s));
    EXPECT_GT((x - from).norm(), last + 0.01);
    EXPECT_LT((x - to).norm(), (from - to).norm());
    EXPECT_LT(distance(x, to), left);
    last = (x - from).norm();
    left = distance(x, to);
  }
}

// Bent by half is an arc of twice the radius, but for what the size of the tets leaves open.
TEST(RotationStrainBlend, HalfOfABendIsTheBendByHalf) {
  const auto error = [](int n) {
    const TetMesh bar = make_box(6 * n, n, n, {2, 0.4, 0.4}, {0, -0.2, -0.2});
    const auto arc = [&](double radius) {
      return moved(bar, [&](const Vec3& p) -> Vec3 {
        const double angle = p.x() / radius;
        return {(radius - p.y()) * std::sin(angle), radius - (radius - p.y()) * std::cos(angle), p.z()};
      });
    };
    const RotationStrainBlend blend(bar, end_vertices(bar));
    return distance(blend.at(flatten(bar.vertices), arc(0.8), all(bar, 0.5)), arc(1.6));
  };
  EXPECT_LT(error(2), 0.02);
  EXPECT_LT(error(4), 0.4 * error(2));
}

// The least squares by a second path: no small change of the free vertices is better.
TEST(RotationStrainBlend, IsTheNearestToTheGradientsWanted) {
  const TetMesh mesh = make_box(2, 1, 1, {1, 0.5, 0.4});
  std::mt19937 random(9);
  std::uniform_real_distribution<double> push(-0.08, 0.08), unit(0, 1);
  VecX from = flatten(mesh.vertices), to = from;
  for (double& x : from) x += push(random);
  for (double& x : to) x += push(random);
  std::vector<double> share;
  for (size_t i = 0; i < mesh.tets.size(); ++i) share.push_back(unit(random));
  const std::vector<int> held = end_vertices(mesh);
  const auto gradient = [&](const Tet& t, const VecX& x) -> Mat3 {
    Mat3 rest, now;
    for (int c = 0; c < 3; ++c) {
      rest.col(c) = mesh.vertices[t[c + 1]] - mesh.vertices[t[0]];
      now.col(c) = x.segment<3>(3 * t[c + 1]) - x.segment<3>(3 * t[0]);
    }
    return now * rest.inverse();
  };
  const auto polar = [](const Mat3& F, Mat3& R, Mat3& S) {
    S = Eigen::SelfAdjointEigenSolver<Mat3>(Mat3(F.transpose() * F)).operatorSqrt();
    R = F * S.inverse();
  };
  const auto volumes = tet_volumes(mesh);
  const auto mismatch = [&](const VecX& x) {
    double sum = 0;
    for (size_t i = 0; i < mesh.tets.size(); ++i) {
      Mat3 R0, S0, R1, S1;
      polar(gradient(mesh.tets[i], from), R0, S0);
      polar(gradient(mesh.tets[i], to), R1, S1);
      const Mat3 R = Eigen::Quaterniond(R0).slerp(share[i], Eigen::Quaterniond(R1)).toRotationMatrix();
      const Mat3 wanted = R * ((1 - share[i]) * S0 + share[i] * S1);
      sum += volumes[i] * (gradient(mesh.tets[i], x) - wanted).squaredNorm();
    }
    return sum;
  };
  const VecX x = RotationStrainBlend(mesh, held).at(from, to, share);
  const double least = mismatch(x);
  EXPECT_GT(least, 1e-6);
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (std::find(held.begin(), held.end(), v) != held.end()) {
      EXPECT_EQ(x.segment<3>(3 * v), from.segment<3>(3 * v));
      continue;
    }
    for (int axis = 0; axis < 3; ++axis) {
      const double h = 1e-4;
      VecX more = x, less = x;
      more[3 * v + axis] += h;
      less[3 * v + axis] -= h;
      EXPECT_NEAR((mismatch(more) - mismatch(less)) / (2 * h), 0, 1e-11);
      EXPECT_GT(mismatch(more), least);
    }
  }
}

TEST(RotationStrainBlend, SharesThatVaryLeaveNoGap) {
  const RotationStrainBlend blend(kBar, end_vertices(kBar));
  const VecX from = flatten(kBar.vertices), to = moved(kBar, bent_and_twisted);
  std::vector<double> share;
  for (const Vec3& p : kBar.vertices) share.push_back(p.x() / 2);
  const VecX x = blend.at(from, to, tet_shares(kBar, share));
  for (int v : end_vertices(kBar)) EXPECT_EQ(x.segment<3>(3 * v), from.segment<3>(3 * v));
  double longest = 0;
  for (const auto& [a, b] : unique_edges(kBar.tets)) {
    const double rest = (kBar.vertices[a] - kBar.vertices[b]).norm();
    longest = std::max(longest, (x.segment<3>(3 * a) - x.segment<3>(3 * b)).norm() / rest);
  }
  EXPECT_LT(longest, 1.5);
  EXPECT_GT(distance(x, from), 0.3);
  TetMesh blended = kBar;
  blended.vertices = unflatten(x);
  const auto before = tet_volumes(kBar), after = tet_volumes(blended);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_GT(after[i], 0.4 * before[i]);
}

TEST(RotationStrainBlend, InvertedAndFlatTetsStayFinite) {
  const RotationStrainBlend blend(kBar, end_vertices(kBar));
  const VecX from = flatten(kBar.vertices);
  const VecX mirrored = moved(kBar, [](const Vec3& p) -> Vec3 { return {p.x(), -p.y(), p.z()}; });
  const VecX flat = moved(kBar, [](const Vec3& p) -> Vec3 { return {p.x(), 0, p.z()}; });
  const VecX nothing = VecX::Zero(from.size());
  for (const VecX& to : {mirrored, flat, nothing}) EXPECT_TRUE(blend.at(from, to, all(kBar, 0.5)).allFinite());
}

TEST(RotationStrainBlend, TetsWithoutVolumeAreRefused) {
  TetMesh mesh = make_box(1, 1, 1, {1, 1, 1});
  mesh.vertices[mesh.tets[2][0]] = mesh.vertices[mesh.tets[2][1]];
  EXPECT_THROW(RotationStrainBlend(mesh, {}), InputError);
}

TEST(RotationStrainBlend, AllHeldAndNothingAtAll) {
  const TetMesh mesh = make_box(1, 1, 1, {1, 1, 1});
  const VecX from = flatten(mesh.vertices), to = 2 * from;
  EXPECT_EQ(RotationStrainBlend(mesh, {0, 1, 2, 3, 4, 5, 6, 7}).at(from, to, all(mesh, 0.5)), from);
  EXPECT_EQ(RotationStrainBlend(TetMesh{}, {}).at(VecX(), VecX(), {}).size(), 0);
}

TEST(RotationStrainBlend, SameBitsForAnyThreadCount) {
  const RotationStrainBlend blend(kBar, end_vertices(kBar));
  const VecX from = moved(kBar, bulged), to = moved(kBar, bent_and_twisted);
  set_thread_count(1);
  const VecX one = blend.at(from, to, all(kBar, 0.3));
  set_thread_count(4);
  EXPECT_EQ(blend.at(from, to, all(kBar, 0.3)), one);
  std::vector<VecX> frames(8);
  parallel_for(frames.size(), 1, [&](size_t begin, size_t) { frames[begin] = blend.at(from, to, all(kBar, 0.3)); });
  set_thread_count(0);
  for (const VecX& frame : frames) EXPECT_EQ(frame, one);
}

TEST(TetShares, AreMeansOfTheCorners) {
  TetMesh mesh;
  mesh.vertices.resize(5);
  mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  EXPECT_EQ(tet_shares(mesh, {0, 0, 0.5, 1, 1}), (std::vector<double>{0.375, 0.625}));
}

}  // namespace
}  // namespace supple
