#include "supple/demos/gallery/jellyfish.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "supple/base/error.h"
#include "supple/mesh/embedding.h"
#include "supple/mesh/quality.h"

namespace supple {

using namespace demos;
namespace {

const Jellyfish& jelly() {
  static const Jellyfish j = make_jellyfish();
  return j;
}

const Vec3& corner(const TetMesh& mesh, int v) { return mesh.vertices[static_cast<size_t>(v)]; }

// How many pieces the tets below a height fall into, and which of them reach far from the axis.
int pieces_below(const TetMesh& mesh, double height, int* off_axis) {
  TetMesh low = mesh;
  std::erase_if(low.tets, [&](const Tet& t) {
    return std::any_of(t.begin(), t.end(), [&](int v) { return corner(mesh, v).y() > height; });
  });
  std::vector<int> component;
  const int n = connected_components(low, component);
  std::set<int> outer;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& p = corner(mesh, v);
    if (component[static_cast<size_t>(v)] >= 0 && std::hypot(p.x(), p.z()) > 0.1)
      outer.insert(component[static_cast<size_t>(v)]);
  }
  *off_axis = static_cast<int>(outer.size());
  return n;
}

TEST(Jellyfish, TetsAreFitToSimulate) {
  const Jellyfish& j = jelly();
  EXPECT_NO_THROW(require_simulable(j.tets, "jellyfish"));
  EXPECT_GT(j.tets.n_tets(), 1500);
  EXPECT_LT(j.tets.n_tets(), 2600);
  const Box box = bounding_box(j.tets.vertices);
  EXPECT_GT(box.low.y(), 0);
  EXPECT_NEAR(box.high.y(), 0.375, 0.01);
  EXPECT_NEAR(box.size().x(), 0.34, 0.03);
  EXPECT_NEAR(box.size().z(), box.size().x(), 0.02);
}

TEST(Jellyfish, IsOneBodyWithEightTentaclesAtAnyEdge) {
  for (double edge : {0.022, 0.031, 0.037, kJellyfishMaxEdge}) {
    const Jellyfish j = make_jellyfish({.edge = edge});
    EXPECT_DOUBLE_EQ(j.report.edge, edge);
    std::vector<int> component;
    EXPECT_EQ(connected_components(j.tets, component), 1) << edge;
    int tentacles = 0;
    EXPECT_EQ(pieces_below(j.tets, 0.195, &tentacles), 9) << edge;  // and the arms
    EXPECT_EQ(tentacles, 8) << edge;
    EXPECT_GE(j.core.size(), 12u) << edge;
  }
}

TEST(Jellyfish, CoreIsACapsuleInTheBell) {
  const Jellyfish& j = jelly();
  Vec3 low = Vec3::Constant(1e9), high = -low;
  for (int v : j.core) {
    low = low.cwiseMin(corner(j.tets, v));
    high = high.cwiseMax(corner(j.tets, v));
  }
  // Wide enough in every direction to hold a rotation.
  EXPECT_GT((high - low).minCoeff(), 0.06);
  EXPECT_GT(low.y(), 0.23);
  EXPECT_LT(std::max(high.x(), high.z()), 0.06);
}

TEST(Jellyfish, RegionsLieWhereTheirNamesSay) {
  const TetMesh& m = jelly().tets;
  ASSERT_EQ(m.tet_region.size(), m.tets.size());
  ASSERT_EQ(m.region_names, (std::vector<std::string>{"bell", "tentacles", "arms"}));
  std::array<int, 3> count{};
  for (size_t t = 0; t < m.tets.size(); ++t) {
    Vec3 middle = Vec3::Zero();
    for (int v : m.tets[t]) middle += 0.25 * corner(m, v);
    const int region = m.tet_region[t];
    ++count[static_cast<size_t>(region)];
    if (region == 0) {
      EXPECT_GT(middle.y(), 0.18);
    }
    if (region == 1) {
      EXPECT_GT(std::hypot(middle.x(), middle.z()), 0.08);
    }
    if (region == 2) {
      EXPECT_LT(std::hypot(middle.x(), middle.z()), 0.08);
    }
  }
  for (int n : count) EXPECT_GT(n, 200);
}

TEST(Jellyfish, TetsHoldTheDrawnSurface) {
  for (double edge : {0.025, 0.042}) {
    const Jellyfish j = make_jellyfish({.edge = edge});
    const Embedding e = embed(j.tets, j.surface.vertices);
    EXPECT_LT(e.n_outside, j.surface.n_vertices() / 100);
    EXPECT_LT(e.max_distance, 0.002);
    const SignedDistance d = jellyfish_distance(edge);
    for (const Vec3& p : j.surface.vertices) EXPECT_LT(d(p), 0);
  }
}

// Closed pieces that look outwards: every directed edge has its opposite, and around a point of each piece it
// encloses a positive volume.
TEST(Jellyfish, SurfaceIsClosedAndLooksOutwards) {
  const TriMesh& s = jelly().surface;
  ASSERT_EQ(s.normals.size(), s.vertices.size());
  ASSERT_EQ(s.colors.size(), s.vertices.size());
  std::set<std::pair<int, int>> edges;
  std::vector<int> piece(s.vertices.size());
  for (size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<int>(i);
  const auto root = [&](int v) {
    while (piece[static_cast<size_t>(v)] != v) v = piece[static_cast<size_t>(v)];
    return v;
  };
  for (const Tri& t : s.triangles) {
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_TRUE(edges.insert({t[c], t[(c + 1) % 3]}).second);
      piece[static_cast<size_t>(root(t[c]))] = root(t[(c + 1) % 3]);
    }
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a}));
  std::map<int, double> volume;
  for (const Tri& t : s.triangles) {
    const int r = root(t[0]);
    const auto at = [&](int v) { return s.vertices[static_cast<size_t>(v)]; };
    volume[r] += tet_volume(at(r), at(t[0]), at(t[1]), at(t[2]));
  }
  EXPECT_EQ(volume.size(), 13u);  // the bell, tentacles and arms
  for (const auto& [r, v] : volume) EXPECT_GT(v, 0);
  for (const Vec3& c : s.colors) {
    EXPECT_GE(c.minCoeff(), 0);
    EXPECT_LE(c.maxCoeff(), 1);
  }
  for (const Vec3& n : s.normals) EXPECT_NEAR(n.norm(), 1, 1e-6);
}

TEST(Jellyfish, SpinEasesIntoAConstantRate) {
  const Spin spin{.rate = 3, .start = 0.5, .ramp = 1.5};
  double seen = 0;
  for (double t : {0.2, 0.51, 0.9, 1.3, 1.99, 2.01, 4.0}) {
    for (int order : {1, 2}) {
      const double h = 1e-5;
      const double difference = (spin_angle(t + h, spin, order - 1) - spin_angle(t - h, spin, order - 1)) / (2 * h);
      EXPECT_NEAR(spin_angle(t, spin, order), difference, 1e-6) << t << " " << order;
      seen += std::abs(difference);
    }
  }
  EXPECT_GT(seen, 0);
  EXPECT_EQ(spin_angle(0.5, spin), 0);
  EXPECT_DOUBLE_EQ(spin_angle(2, spin, 1), 3);
  // Half of the ramp is lost.
  EXPECT_NEAR(spin_angle(5, spin), 3 * (5 - 0.5 - 0.75), 1e-12);
}

TEST(Jellyfish, KeysTurnTheCoreAboutTheUprightAxis) {
  const std::vector<RigidKey> keys = spin_keys();
  ASSERT_EQ(keys.size(), static_cast<size_t>(kJellyfishFrames));
  const Points rest = {{0.05, 0.3, 0}, {0, 0.25, 0}};
  const auto track = make_rigid_track(keys, rest);
  for (double t : {0.0, 1.0, 3.1, 12.9}) {
    const double a = spin_angle(t);
    const VecX x = track->at(t);
    EXPECT_NEAR((x.head<3>() - Vec3(0.05 * std::cos(a), 0.3, -0.05 * std::sin(a))).norm(), 0, 1e-6) << t;
    EXPECT_NEAR((x.tail<3>() - rest[1]).norm(), 0, 1e-14);
  }
  const double rate = Spin{}.rate;
  EXPECT_NEAR(track->at(8, 2).head<3>().norm(), rate * rate * 0.05, 1e-3 * rate * rate);
}

TEST(Jellyfish, RefusesBadOptions) {
  for (double edge : {0.0, -0.1, 0.1, double(NAN), double(INFINITY), 1e-9})
    EXPECT_THROW(make_jellyfish({.edge = edge}), InputError) << edge;
}

}  // namespace
}  // namespace supple
