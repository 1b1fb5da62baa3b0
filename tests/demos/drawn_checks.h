// What every drawn animation must be.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "supple/demos/shapes/drawn_animation.h"

namespace supple {

using namespace demos;

// Closed shells without flat triangles, facing outwards.
inline void expect_closed(const TriMesh& mesh) {
  std::set<std::pair<int, int>> edges;
  double volume = 0;
  for (const Tri& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    EXPECT_GT((b - a).cross(c - a).norm(), 0.02 * longest * longest);
    volume += a.dot(b.cross(c)) / 6;
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(edges.insert({t[k], t[(k + 1) % 3]}).second) << "an edge with three sides";
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a})) << "an open edge";
  EXPECT_GT(volume, 0);
}

inline void expect_painted(const DrawnAnimation& a, const std::vector<std::string>& parts) {
  const std::vector<double>& soft = a.neutral.vertex_maps.at("soft");
  const size_t n = a.neutral.vertices.size();
  ASSERT_EQ(soft.size(), n);
  ASSERT_EQ(a.neutral.colors.size(), n);
  for (size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(soft[i] >= 0 && soft[i] <= 1);
    EXPECT_EQ(a.neutral.colors[i][0], soft[i]);
    EXPECT_TRUE(a.neutral.colors[i].minCoeff() >= 0 && a.neutral.colors[i].maxCoeff() <= 1);
  }
  EXPECT_GT(std::count(soft.begin(), soft.end(), 0.0), static_cast<long>(n / 5));
  EXPECT_GT(std::count(soft.begin(), soft.end(), 1.0), static_cast<long>(n / 5));
  ASSERT_EQ(a.parts.size(), parts.size());
  for (const std::string& name : parts) {
    const std::vector<int>& list = a.parts.at(name);
    EXPECT_GT(list.size(), 20u) << name;
    EXPECT_EQ(std::set<int>(list.begin(), list.end()).size(), list.size()) << name;
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
    EXPECT_TRUE(list.front() >= 0 && list.back() < static_cast<int>(n));
  }
}

// The softness of all places for which `there` holds, of which there are some.
inline void expect_soft(const DrawnAnimation& a, const std::string& what, double soft,
                        const std::function<bool(const Vec3& x)>& there) {
  int n = 0;
  for (int i = 0; i < a.neutral.n_vertices(); ++i) {
    if (!there(a.neutral.vertices[i])) continue;
    ++n;
    EXPECT_EQ(a.neutral.vertex_maps.at("soft")[i], soft) << what << " at " << a.neutral.vertices[i].transpose();
  }
  EXPECT_GT(n, 5) << what;
}

// Every frame has all vertices at finite places, none below the ground, and none jumps.
inline void expect_moves(const DrawnAnimation& a, int frames, double largest_step) {
  ASSERT_EQ(a.frames.size(), static_cast<size_t>(frames));
  double step = 0, low = 0;
  for (size_t f = 0; f < a.frames.size(); ++f) {
    ASSERT_EQ(a.frames[f].size(), a.neutral.vertices.size());
    for (size_t i = 0; i < a.frames[f].size(); ++i) {
      ASSERT_TRUE(a.frames[f][i].allFinite());
      low = std::min(low, a.frames[f][i].y());
      if (f > 0) step = std::max(step, (a.frames[f][i] - a.frames[f - 1][i]).norm());
    }
  }
  EXPECT_LT(step, largest_step);
  EXPECT_GT(step, 0.2 * largest_step);  // it moves at all, and the bound is near
  EXPECT_GT(low, -0.004);
}

// Vertices that are on the ground in the neutral pose.
inline std::vector<int> soles(const DrawnAnimation& a) {
  std::vector<int> list;
  for (int i = 0; i < a.neutral.n_vertices(); ++i)
    if (a.neutral.vertices[i].y() < 0.004) list.push_back(i);
  return list;
}

struct Stays {
  int n = 0;          // how often a sole comes to stand
  double slide = 0;   // [m] the most that one moves in a frame while it is down
  double astray = 0;  // [m] the most that one is from where it came down
};
inline Stays stays(const DrawnAnimation& a) {
  Stays out;
  for (const int v : soles(a)) {
    int since = -1;
    for (int f = 0; f < static_cast<int>(a.frames.size()); ++f) {
      if (a.frames[f][v].y() > a.neutral.vertices[v].y() + 1e-4) {
        since = -1;
        continue;
      }
      if (since < 0) since = f, ++out.n;
      if (f > since) out.slide = std::max(out.slide, (a.frames[f][v] - a.frames[f - 1][v]).norm());
      out.astray = std::max(out.astray, (a.frames[f][v] - a.frames[since][v]).norm());
    }
  }
  return out;
}

inline void expect_same_bits(const DrawnAnimation& a, const DrawnAnimation& b) {
  EXPECT_TRUE(a.neutral.vertices == b.neutral.vertices);
  EXPECT_TRUE(a.neutral.triangles == b.neutral.triangles);
  EXPECT_TRUE(a.neutral.vertex_maps == b.neutral.vertex_maps);
  EXPECT_TRUE(a.parts == b.parts);
  EXPECT_TRUE(a.frames == b.frames);
}

}  // namespace supple
