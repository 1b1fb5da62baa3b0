// Surfaces that the tests of contact share.
#pragma once
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "supple/contact/contact_shape.h"

namespace supple {

// The two kinds of pairs, of points 0 to 3.
inline const ContactPair kFace = ContactPair::point_triangle(0, {1, 2, 3});
inline const ContactPair kEdges = ContactPair::edge_edge({0, 1}, {2, 3});

// Points on their way from x to x + dx.
inline Points moved(const Points& x, const Points& dx, double share) {
  Points q = x;
  for (size_t i = 0; i < q.size(); ++i) q[i] += share * dx[i];
  return q;
}

struct Soup {
  Points points;
  std::vector<Tri> triangles;
  void add(const Soup& other, const Vec3& shift = Vec3::Zero()) {
    const int first = static_cast<int>(points.size());
    for (const Vec3& p : other.points) points.push_back(p + shift);
    for (const Tri& t : other.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
};

// An octahedron with each triangle cut into four `level` times, on the unit sphere.
inline Soup make_sphere(int level) {
  Soup s;
  s.points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  s.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int l = 0; l < level; ++l) {
    std::map<std::pair<int, int>, int> middle;
    const auto between = [&](int a, int b) {
      const auto [entry, is_new] = middle.insert({{std::min(a, b), std::max(a, b)}, static_cast<int>(s.points.size())});
      if (is_new) s.points.push_back((s.points[a] + s.points[b]).normalized());
      return entry->second;
    };
    std::vector<Tri> finer;
    for (const auto& [a, b, c] : s.triangles) {
      const int ab = between(a, b), bc = between(b, c), ca = between(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    s.triangles = std::move(finer);
  }
  return s;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vec3 vector(double reach) {
    const double x = in(-reach, reach), y = in(-reach, reach), z = in(-reach, reach);
    return {x, y, z};
  }

 private:
  std::mt19937 engine_;
};

// Triangles of about `size` anywhere in the cube of side 2; some share points.
inline Soup random_soup(int n, double size, Random& random) {
  Soup s;
  for (int i = 0; i < n; ++i) {
    const Vec3 centre = random.vector(1);
    const int first = static_cast<int>(s.points.size());
    for (int k = 0; k < 3; ++k) s.points.push_back(centre + random.vector(size));
    s.triangles.push_back({first, first + 1, i % 5 == 4 ? first - 1 : first + 2});
  }
  return s;
}

inline std::vector<ContactPair> all_pairs(const ContactShape& shape) {
  std::vector<ContactPair> pairs;
  std::vector<char> used(shape.n_points, 0);
  for (const Tri& t : shape.triangles) used[t[0]] = used[t[1]] = used[t[2]] = 1;
  for (int i = 0; i < shape.n_points; ++i) {
    for (const Tri& t : shape.triangles) {
      if (used[i]) pairs.push_back(ContactPair::point_triangle(i, t));
    }
  }
  for (size_t i = 0; i < shape.edges.size(); ++i) {
    for (size_t j = i + 1; j < shape.edges.size(); ++j) {
      pairs.push_back(ContactPair::edge_edge(shape.edges[j], shape.edges[i]));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace supple
