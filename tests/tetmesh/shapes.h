// Surfaces with known insides for the tests of this room.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include "supple/mesh/tri_mesh.h"

namespace supple::shapes {

inline void append(TriMesh& mesh, const TriMesh& other) {
  const int shift = mesh.n_vertices();
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Tri& t : other.triangles) mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
}

inline TriMesh turned_inside_out(TriMesh mesh) {
  for (Tri& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

// A grid of nu x nv quads; wrap_u joins the last column to the first.
inline TriMesh grid(int nu, int nv, bool wrap_u, const std::function<Vec3(double, double)>& at) {
  TriMesh mesh;
  const int columns = wrap_u ? nu : nu + 1;
  for (int j = 0; j <= nv; ++j) {
    for (int i = 0; i < columns; ++i)
      mesh.vertices.push_back(at(static_cast<double>(i) / nu, static_cast<double>(j) / nv));
  }
  for (int j = 0; j < nv; ++j) {
    for (int i = 0; i < nu; ++i) {
      const int a = j * columns + i, b = j * columns + (i + 1) % columns;
      mesh.triangles.push_back({a, b, b + columns});
      mesh.triangles.push_back({a, b + columns, a + columns});
    }
  }
  return mesh;
}

// Latitudes from `from` to `to` (0: south pole, 1: north pole), outwards. Rows at the poles are points.
inline TriMesh sphere(const Vec3& centre, double radius, int n = 24, double from = 0, double to = 1) {
  return grid(2 * n, n, true, [&](double u, double v) -> Vec3 {
    const double angle = 2 * std::numbers::pi * u, latitude = std::numbers::pi * (from + (to - from) * v - 0.5);
    return centre + radius * Vec3(std::cos(angle) * std::cos(latitude), std::sin(angle) * std::cos(latitude),
                                  std::sin(latitude));
  });
}

inline TriMesh tube(double radius, double length, int n = 32) {
  return grid(n, n, true, [&](double u, double v) -> Vec3 {
    return {radius * std::cos(2 * std::numbers::pi * u), radius * std::sin(2 * std::numbers::pi * u), length * v};
  });
}

inline TriMesh sheet(double width, double height, int n = 8) {
  return grid(n, n, false, [&](double u, double v) -> Vec3 { return {width * u, height * v, 0}; });
}

// The outside of blocks of a grid with planes at x, y and z: block (i, j, k) fills x[i]..x[i+1] and so on.
inline TriMesh blocks(const std::set<std::array<int, 3>>& filled, const std::array<std::vector<double>, 3>& planes) {
  TriMesh mesh;
  std::map<std::array<int, 3>, int> number;
  const auto vertex = [&](const std::array<int, 3>& p) {
    const auto [found, is_new] = number.try_emplace(p, mesh.n_vertices());
    if (is_new) mesh.vertices.push_back({planes[0][p[0]], planes[1][p[1]], planes[2][p[2]]});
    return found->second;
  };
  for (const auto& block : filled) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int up = 0; up < 2; ++up) {
        auto beyond = block;
        beyond[axis] += up ? 1 : -1;
        if (filled.contains(beyond)) continue;
        std::array<int, 4> quad{};
        for (int k = 0; k < 4; ++k) {
          auto p = block;
          p[axis] += up;
          p[(axis + 1) % 3] += k == 1 || k == 2;
          p[(axis + 2) % 3] += k >= 2;
          quad[k] = vertex(p);
        }
        if (!up) std::swap(quad[1], quad[3]);
        mesh.triangles.push_back({quad[0], quad[1], quad[2]});
        mesh.triangles.push_back({quad[0], quad[2], quad[3]});
      }
    }
  }
  return mesh;
}
inline TriMesh box(const Vec3& low, const Vec3& high) {
  return blocks({{0, 0, 0}}, {{{low.x(), high.x()}, {low.y(), high.y()}, {low.z(), high.z()}}});
}

inline TriMesh moved(TriMesh mesh, const Mat3& turn, const Vec3& shift = Vec3::Zero()) {
  for (Vec3& v : mesh.vertices) v = turn * v + shift;
  return mesh;
}
inline Mat3 some_turn() { return Eigen::AngleAxisd(0.7, Vec3(1, 2, -0.5).normalized()).toRotationMatrix(); }

inline TriMesh random_triangles(int n, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  TriMesh mesh;
  for (int i = 0; i < n; ++i) {
    const Vec3 centre(unit(random), unit(random), unit(random));
    for (int c = 0; c < 3; ++c) mesh.vertices.push_back(centre + size * Vec3(unit(random), unit(random), unit(random)));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

inline double signed_volume(const TriMesh& mesh) {
  double sum = 0;
  for (const Tri& t : mesh.triangles)
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6;
  return sum;
}

}  // namespace supple::shapes
