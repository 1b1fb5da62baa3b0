#include "supple/demos/gallery/sunflower.h"

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

const Sunflower& flower() {
  static const Sunflower f = make_sunflower();
  return f;
}

int region(const TetMesh& mesh, const std::string& name) {
  const auto found = std::find(mesh.region_names.begin(), mesh.region_names.end(), name);
  return static_cast<int>(found - mesh.region_names.begin());
}

TEST(Sunflower, TetsAreFitToSimulate) {
  const Sunflower& f = flower();
  EXPECT_NO_THROW(require_simulable(f.tets, "sunflower"));
  EXPECT_NEAR(f.tets.n_tets(), 5500, 550);
  std::vector<int> component;
  EXPECT_EQ(connected_components(f.tets, component), 1);
  EXPECT_GE(f.report.min_dihedral_deg, kLatticeMinDihedral);
  EXPECT_LE(f.report.max_dihedral_deg, kLatticeMaxDihedral);
  const Box box = bounding_box(f.tets.vertices);
  EXPECT_NEAR(box.low.y(), 0, 1e-9);
  EXPECT_GT(box.high.y(), 0.9);
  EXPECT_LT(box.high.y(), 1.2);
}

TEST(Sunflower, RootIsTheSoleOfTheStem) {
  const Sunflower& f = flower();
  ASSERT_GE(f.root.size(), 4u);
  Vec3 low = Vec3::Constant(1e9), high = -low;
  for (int v : f.root) {
    const Vec3& p = f.tets.vertices[static_cast<size_t>(v)];
    EXPECT_NEAR(p.y(), 0, 1e-9);
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  // Wide enough both ways to hold the stem upright.
  EXPECT_GT(high.x() - low.x(), 0.03);
  EXPECT_GT(high.z() - low.z(), 0.03);
  EXPECT_LT((high - low).norm(), 0.2);
}

TEST(Sunflower, RegionsLieWhereTheirNamesSay) {
  const TetMesh& m = flower().tets;
  ASSERT_EQ(m.tet_region.size(), m.tets.size());
  ASSERT_EQ(m.region_names, (std::vector<std::string>{"stem", "head", "petals", "leaves"}));
  std::map<int, int> count;
  std::map<int, std::set<int>> vertices;
  for (size_t t = 0; t < m.tets.size(); ++t) {
    const int r = m.tet_region[t];
    ++count[r];
    vertices[r].insert(m.tets[t].begin(), m.tets[t].end());
    double low = 1e9, high = -1e9;
    for (int v : m.tets[t]) {
      low = std::min(low, m.vertices[static_cast<size_t>(v)].y());
      high = std::max(high, m.vertices[static_cast<size_t>(v)].y());
    }
    if (r == region(m, "head")) {
      EXPECT_GT(low, 0.6);
    }
    if (r == region(m, "petals")) {
      EXPECT_GT(low, 0.5);
    }
    if (r == region(m, "leaves")) {
      EXPECT_LT(high, 0.65);
    }
  }
  for (int r = 0; r < 4; ++r) EXPECT_GT(count[r], 100) << m.region_names[static_cast<size_t>(r)];
  // Leaves and petals hang on the stem and the head, not on each other.
  std::vector<int> shared;
  std::set_intersection(vertices[2].begin(), vertices[2].end(), vertices[3].begin(), vertices[3].end(),
                        std::back_inserter(shared));
  EXPECT_TRUE(shared.empty());
}

TEST(Sunflower, TetsHoldTheDrawnSurface) {
  const Sunflower& f = flower();
  const Embedding e = embed(f.tets, f.surface.vertices);
  EXPECT_LT(e.n_outside, f.surface.n_vertices() / 100);
  EXPECT_LT(e.max_distance, 0.012);
  const SignedDistance d = sunflower_distance(f.report.edge);
  for (const Vec3& p : f.surface.vertices) EXPECT_LT(d(p), 0);
}

// The surface is made of closed pieces: every directed edge has its opposite, and each piece encloses a positive
// volume, that is, looks outwards.
TEST(Sunflower, SurfaceIsClosedAndLooksOutwards) {
  const TriMesh& s = flower().surface;
  ASSERT_EQ(s.normals.size(), s.vertices.size());
  ASSERT_EQ(s.colors.size(), s.vertices.size());
  std::map<std::pair<int, int>, int> edges;
  std::vector<int> piece(s.vertices.size());
  for (size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<int>(i);
  const auto root = [&](int v) {
    while (piece[static_cast<size_t>(v)] != v)
      v = piece[static_cast<size_t>(v)] = piece[static_cast<size_t>(piece[static_cast<size_t>(v)])];
    return v;
  };
  for (const Tri& t : s.triangles) {
    for (size_t c = 0; c < 3; ++c) {
      ++edges[{t[c], t[(c + 1) % 3]}];
      piece[static_cast<size_t>(root(t[c]))] = root(t[(c + 1) % 3]);
    }
  }
  for (const auto& [edge, n] : edges) {
    EXPECT_EQ(n, 1);
    EXPECT_TRUE(edges.count({edge.second, edge.first}));
  }
  std::map<int, double> volume;
  for (const Tri& t : s.triangles) {
    const int r = root(t[0]);
    const Vec3& o = s.vertices[static_cast<size_t>(r)];
    volume[r] += tet_volume(o, s.vertices[static_cast<size_t>(t[0])], s.vertices[static_cast<size_t>(t[1])],
                            s.vertices[static_cast<size_t>(t[2])]);
  }
  for (const auto& [r, v] : volume) EXPECT_GT(v, 0);
  for (const Vec3& c : s.colors) {
    EXPECT_GE(c.minCoeff(), 0);
    EXPECT_LE(c.maxCoeff(), 1.1);
  }
  for (const Vec3& n : s.normals) EXPECT_NEAR(n.norm(), 1, 1e-6);
}

TEST(Sunflower, CoarseAndFineWork) {
  for (int count : {1500, 3000, 9000}) {
    const Sunflower f = make_sunflower({.count = count});
    EXPECT_NEAR(f.tets.n_tets(), count, 0.1 * count);
    std::vector<int> component;
    EXPECT_EQ(connected_components(f.tets, component), 1);
    EXPECT_GE(f.root.size(), 4u);
  }
  EXPECT_DOUBLE_EQ(make_sunflower({.edge = 0.05}).report.edge, 0.05);
}

TEST(Sunflower, RefusesBadOptions) {
  EXPECT_THROW(make_sunflower({.edge = 0.2}), InputError);
  EXPECT_THROW(make_sunflower({.edge = -0.1}), InputError);
  EXPECT_THROW(make_sunflower({.edge = NAN}), InputError);
  EXPECT_THROW(make_sunflower({.edge = 1e-7}), InputError);
  EXPECT_THROW(make_sunflower({.count = 30}), InputError);
  EXPECT_THROW(make_sunflower({.count = -1}), InputError);
  EXPECT_THROW(make_sunflower({.edge = 0.04, .count = 5000}), InputError);
}

}  // namespace
}  // namespace supple
