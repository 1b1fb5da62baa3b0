#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "supple/base/parallel.h"
#include "supple/enrich/detail.h"

namespace supple {
namespace {

using Map = std::function<Vec3(const Vec3&)>;

Points moved(const Points& points, const Map& f) {
  Points out;
  for (const Vec3& p : points) out.push_back(f(p));
  return out;
}

double distance(const Points& a, const Points& b) { return (flatten(a) - flatten(b)).lpNorm<Eigen::Infinity>(); }

Vec3 bent(const Vec3& p) {
  return {p.x() + 0.2 * std::sin(2 * p.y()), p.y() + 0.1 * p.x() * p.z(), p.z() * (1 + 0.2 * p.x())};
}

// A box with points in and a little outside of it, and an input that has wrinkles the tets do not.
struct Case {
  TetMesh mesh = make_box(4, 3, 3, {1, 0.8, 0.7});
  Points points;
  std::vector<int> tet;
  VecX fitted, input;
  Case() {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> unit(-0.05, 1.05);
    for (int i = 0; i < 300; ++i) points.push_back({unit(random), 0.8 * unit(random), 0.7 * unit(random)});
    tet = embed(mesh, points).tet;
    fitted = flatten(moved(mesh.vertices, bent));
    input = flatten(
        moved(points, [](const Vec3& p) -> Vec3 { return bent(p) + 0.03 * Vec3::Constant(std::sin(50 * p.x())); }));
  }
  DetailTransfer transfer(Carriage how) const { return {mesh, tet, points, how}; }
};

constexpr Carriage kBoth[] = {Carriage::smooth, Carriage::barycentric};

TEST(DetailMap, IsTheRelativeGradientWhereThatIsMild) {
  const Mat3 A = (Mat3() << 1.2, 0.3, -0.1, 0.2, 0.9, 0.2, -0.3, 0.1, 1.1).finished();
  const Mat3 B = (Mat3() << 0.9, -0.2, 0.1, 0.1, 1.2, 0.0, 0.2, 0.1, 0.8).finished();
  EXPECT_LT((detail_map(A * B, B) - A).norm(), 1e-14);
  EXPECT_LT((detail_map(Mat3::Identity(), B) - B.inverse()).norm(), 1e-14);
}

TEST(DetailMap, BoundsStretch) {
  const Mat3 U = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const Mat3 V = Eigen::AngleAxisd(-1.1, Vec3(2, -1, 0).normalized()).toRotationMatrix();
  const Mat3 F = U * Vec3(7, 1.3, 0.01).asDiagonal() * V.transpose();
  const Mat3 bounded = U * Vec3(2, 1.3, 0.5).asDiagonal() * V.transpose();
  EXPECT_LT((detail_map(F, Mat3::Identity()) - bounded).norm(), 1e-13);
  // Inverted by the simulation: never mirrored.
  const Mat3 inverted = U * Vec3(1.5, 1, -0.8).asDiagonal() * V.transpose();
  EXPECT_GT(detail_map(inverted, Mat3::Identity()).determinant(), 0.1);
}

TEST(DetailMap, OnlyTurnsWhereTheFitIsFlatOrInverted) {
  const Mat3 Q = Eigen::AngleAxisd(2.0, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Mat3 P = Eigen::AngleAxisd(0.4, Vec3(0, 1, 1).normalized()).toRotationMatrix();
  for (const Vec3& stretch : {Vec3(1, 1, 0.09), Vec3(1, 0.8, 0), Vec3(1.2, 1, -0.7), Vec3(1, 0.3, 1e-200)}) {
    const Mat3 fit = P * stretch.asDiagonal();
    EXPECT_LT((detail_map(Q * P * Vec3(1.3, 1, 0.9).asDiagonal(), fit) - Q).norm(), 1e-13);
  }
  EXPECT_TRUE(detail_map(Q, Mat3::Zero()).allFinite());
  EXPECT_TRUE(detail_map(Mat3::Zero(), Mat3::Zero()).allFinite());
}

TEST(DetailMap, PassesOverWithoutAJump) {
  const Mat3 simulated = (Mat3() << 1.2, 0.3, -0.1, 0.2, 0.9, 0.2, -0.3, 0.1, 1.1).finished();
  Mat3 last = detail_map(simulated, Vec3(1, 1, 0.05).asDiagonal());
  for (double s = 0.05; s < 0.4; s += 1e-4) {
    const Mat3 now = detail_map(simulated, Vec3(1, 1, s).asDiagonal());
    EXPECT_LT((now - last).norm(), 0.01);
    EXPECT_LT(Eigen::JacobiSVD<Mat3>(now).singularValues()[0], 2 + 1e-12);
    last = now;
  }
}

TEST(DetailTransfer, OfTheFitItselfIsTheInput) {
  const Case c;
  for (Carriage how : kBoth) {
    EXPECT_EQ(flatten(c.transfer(how).at(c.fitted, c.fitted, c.input)), c.input);
    // Nearly the fit is nearly the input: the bits are no accident of the shortcut.
    const VecX near = c.fitted.array() + 1e-9;
    EXPECT_LT(distance(c.transfer(how).at(near, c.fitted, c.input), unflatten(c.input)), 2e-9);
  }
}

TEST(DetailTransfer, OnlyWhatAMovedVertexReachesChanges) {
  const Case c;
  VecX x = c.fitted;
  x[1] += 0.05;
  for (Carriage how : kBoth) {
    const DetailTransfer transfer = c.transfer(how);
    const Points points = transfer.at(x, c.fitted, c.input);
    const VertexBlend& blend = transfer.blend();
    int changed = 0;
    for (int i = 0; i < blend.size(); ++i) {
      const auto first = blend.vertex.begin() + blend.first[i], last = blend.vertex.begin() + blend.first[i + 1];
      const Vec3 input = c.input.segment<3>(3 * i);
      if (std::find(first, last, 0) == last) {
        EXPECT_EQ(points[i], input);
      } else {
        changed += points[i] != input;
      }
    }
    EXPECT_GT(changed, 0);
  }
}

TEST(DetailTransfer, TurnsWithARigidMotion) {
  const Case c;
  const Mat3 R = Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Map rigid = [&](const Vec3& p) -> Vec3 { return R * p + Vec3(3, -1, 2); };
  const VecX x = flatten(moved(unflatten(c.fitted), rigid));
  for (Carriage how : kBoth)
    EXPECT_LT(distance(c.transfer(how).at(x, c.fitted, c.input), moved(unflatten(c.input), rigid)), 1e-13);
}

TEST(DetailTransfer, FollowsAnAffineMap) {
  const Case c;
  const Mat3 A = (Mat3() << 1.2, 0.3, -0.1, 0.2, 0.9, 0.2, -0.3, 0.1, 1.1).finished();
  const Map affine = [&](const Vec3& p) -> Vec3 { return A * p + Vec3(3, -1, 2); };
  const VecX x = flatten(moved(unflatten(c.fitted), affine));
  for (Carriage how : kBoth)
    EXPECT_LT(distance(c.transfer(how).at(x, c.fitted, c.input), moved(unflatten(c.input), affine)), 1e-13);
}

// Eq. 9 written out for one tet by other means: the affine map from the fitted corners to the simulated ones.
TEST(DetailTransfer, BarycentricIsTheEquationOfThePaper) {
  const Case c;
  const VecX x = flatten(moved(c.mesh.vertices, [](const Vec3& p) -> Vec3 {
    return bent(p) + Vec3(0.1 * std::cos(3 * p.z()), 0.15 * p.x() * p.x(), 0.1 * std::sin(2 * p.y()));
  }));
  const Points points = c.transfer(Carriage::barycentric).at(x, c.fitted, c.input);
  for (size_t i = 0; i < points.size(); ++i) {
    Eigen::Matrix4d before, after;
    for (int k = 0; k < 4; ++k) {
      const int v = c.mesh.tets[c.tet[i]][k];
      before.col(k) << c.fitted.segment<3>(3 * v), 1;
      after.col(k) << x.segment<3>(3 * v), 1;
    }
    const Vec3 there = c.input.segment<3>(3 * static_cast<Eigen::Index>(i));
    const Eigen::Vector4d expected = after * before.inverse() * there.homogeneous();
    EXPECT_LT((points[i] - expected.head<3>()).norm(), 1e-12);
  }
}

TEST(DetailTransfer, SmoothDetailHasNoFacets) {
  // Along a line the detail, a constant vector, turns with a bend: with one gradient a tet it jumps.
  const TetMesh mesh = make_box(5, 5, 5, {1, 1, 1});
  Points line;
  const int n = 1000;
  for (int i = 0; i <= n; ++i) line.push_back(Vec3(0.05, 0.11, 0.07) + 0.85 * i / n * Vec3(1, 0.9, 0.95));
  const auto tet = embed(mesh, line).tet;
  const VecX fitted = flatten(mesh.vertices), x = flatten(moved(mesh.vertices, bent));
  const auto largest_jump = [&](Carriage how) {
    const DetailTransfer transfer(mesh, tet, line, how);
    const VecX input = flatten(moved(line, [](const Vec3& p) -> Vec3 { return p + Vec3(0, 0.1, 0.1); }));
    const Points points = transfer.at(x, fitted, input), carried = transfer.carried(x);
    double largest = 0;
    for (int i = 1; i <= n; ++i)
      largest = std::max(largest, (points[i] - carried[i] - (points[i - 1] - carried[i - 1])).norm());
    return largest;
  };
  EXPECT_LT(largest_jump(Carriage::smooth), 0.2 * largest_jump(Carriage::barycentric));
}

TEST(DetailTransfer, AFlatFitStaysFinite) {
  const Case c;
  const VecX flat = flatten(moved(c.mesh.vertices, [](const Vec3& p) -> Vec3 { return {p.x(), p.y(), 0}; }));
  const VecX inverted = flatten(moved(c.mesh.vertices, [](const Vec3& p) -> Vec3 { return {p.x(), p.y(), -p.z()}; }));
  for (Carriage how : kBoth) {
    for (const VecX& fit : {flat, inverted, VecX(VecX::Zero(flat.size()))}) {
      const DetailTransfer transfer = c.transfer(how);
      const Points points = transfer.at(c.fitted, fit, c.input), carried = transfer.carried(c.fitted);
      const VecX detail = c.input - flatten(transfer.carried(fit));
      for (size_t i = 0; i < points.size(); ++i) {
        EXPECT_TRUE(points[i].allFinite());
        EXPECT_LT((points[i] - carried[i]).norm(),
                  2 * detail.segment<3>(3 * static_cast<Eigen::Index>(i)).norm() + 1e-12);
      }
    }
  }
}

TEST(DetailTransfer, PointsThatTheInputDoesNotMoveHaveNoDetail) {
  Case c;
  for (int i = 0; i < 300; i += 3) c.input[3 * i + i % 2] = std::numeric_limits<double>::quiet_NaN();
  const VecX x = c.fitted * 1.1;
  for (Carriage how : kBoth) {
    const DetailTransfer transfer = c.transfer(how);
    for (const VecX& now : {x, c.fitted}) {
      const Points points = transfer.at(now, c.fitted, c.input), carried = transfer.carried(now);
      for (size_t i = 0; i < points.size(); ++i) {
        EXPECT_TRUE(points[i].allFinite());
        EXPECT_EQ((points[i] - carried[i]).norm() < 1e-12, i % 3 == 0);
      }
    }
  }
}

TEST(DetailTransfer, SameBitsForAnyThreadCount) {
  const Case c;
  const VecX x = c.fitted.array().square() + c.fitted.array();
  for (Carriage how : kBoth) {
    set_thread_count(1);
    const VecX one = flatten(c.transfer(how).at(x, c.fitted, c.input));
    set_thread_count(4);
    EXPECT_EQ(flatten(c.transfer(how).at(x, c.fitted, c.input)), one);
    set_thread_count(0);
  }
}

// What follows exactly does so whatever moves beside it, and without a step where the one meets the other.
TEST(DetailTransfer, PointsAmongStillVerticesHaveTheirInput) {
  const Case c;
  std::vector<int> still;
  for (int v = 0; v < c.mesh.n_vertices(); ++v)
    if (c.mesh.vertices[static_cast<size_t>(v)].x() < 0.51) still.push_back(v);
  VecX x = c.fitted;
  for (int v = 0; v < c.mesh.n_vertices(); ++v)
    if (const double s = c.mesh.vertices[static_cast<size_t>(v)].x() - 0.5; s > 0.01)
      x.segment<3>(3 * v) += Vec3(0.1 * s, 0.6 * s, -0.3 * s);
  for (Carriage how : kBoth) {
    const DetailTransfer transfer(c.mesh, c.tet, c.points, how, still);
    const Points points = transfer.at(x, c.fitted, c.input);
    const Points plain = transfer.moved(x, c.fitted), before = transfer.carried(c.fitted);
    int held = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const Vec3 input = c.input.segment<3>(3 * static_cast<Eigen::Index>(i));
      if (c.points[i].x() < 0.49) {
        EXPECT_EQ(points[i], input);
        EXPECT_LT((plain[i] - before[i]).norm(), 1e-14);
        ++held;
      } else if (c.points[i].x() < 0.56) {
        EXPECT_LT((plain[i] - before[i]).norm(), 0.06);
      }
    }
    EXPECT_GT(held, 50);
  }
}

}  // namespace
}  // namespace supple
