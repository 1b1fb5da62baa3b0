#include "supple/demos/gallery/toys.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

namespace {

// Of radius 1.
TriMesh unit_ball(int fineness) {
  const double g = std::numbers::phi;
  const Points corners = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                          {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  constexpr std::array<std::array<int, 3>, 20> kFaces = {{{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                                          {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                                          {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                                          {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}}};
  TriMesh mesh;
  // A point of the icosahedron by the shares of its corners, so that faces find those of their neighbours.
  std::map<std::array<std::array<int, 2>, 3>, int> known;
  const auto vertex = [&](const std::array<int, 3>& face, int b, int c) {
    std::array<std::array<int, 2>, 3> key = {{{face[0], fineness - b - c}, {face[1], b}, {face[2], c}}};
    for (auto& k : key)
      if (k[1] == 0) k[0] = -1;
    std::sort(key.begin(), key.end());
    const auto [it, is_new] = known.try_emplace(key, mesh.n_vertices());
    if (is_new) {
      Vec3 x = Vec3::Zero();
      for (const auto& [corner, share] : key)
        if (corner >= 0) x += share * corners[static_cast<size_t>(corner)];
      mesh.vertices.push_back(x.normalized());
    }
    return it->second;
  };
  for (const auto& face : kFaces)
    for (int b = 0; b < fineness; ++b)
      for (int c = 0; b + c < fineness; ++c) {
        mesh.triangles.push_back({vertex(face, b, c), vertex(face, b + 1, c), vertex(face, b, c + 1)});
        if (b + c + 1 < fineness)
          mesh.triangles.push_back({vertex(face, b + 1, c), vertex(face, b + 1, c + 1), vertex(face, b, c + 1)});
      }
  return mesh;
}

}  // namespace

TriMesh make_ball(double radius, int fineness) {
  TriMesh mesh = unit_ball(fineness);
  for (Vec3& x : mesh.vertices) x *= radius;
  return mesh;
}

TriMesh make_ring(double radius, double tube, int around) {
  const int across = std::max(6, static_cast<int>(std::lround(around * tube / radius)));
  TriMesh mesh;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double a = 2 * M_PI * i / around, b = 2 * M_PI * j / across, r = radius + tube * std::cos(b);
      mesh.vertices.emplace_back(r * std::cos(a), tube * std::sin(b), -r * std::sin(a));
    }
  const auto at = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      mesh.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

TriMesh make_bean(double length, int fineness) {
  TriMesh mesh = unit_ball(fineness);
  for (Vec3& x : mesh.vertices) {
    const double along = x.x();
    const double thick = 0.5 + 0.06 * along * along;
    x = {along, thick * x.y() + 0.35 * along * along, thick * x.z()};
    x *= length / 2;
  }
  return mesh;
}

TetMesh make_ball_tets(double radius, double edge) {
  const Box bounds{Vec3::Constant(-1.05 * radius), Vec3::Constant(1.05 * radius)};
  return mesh_signed_distance([radius](const Vec3& x) { return x.norm() - radius; }, bounds, {.edge = edge});
}

}  // namespace supple::demos
