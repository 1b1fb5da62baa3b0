#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/demos/shapes/shapes.h"
#include "supple/mesh/rigid_fit.h"
#include "tests/cast/body.h"

namespace supple::cast {

TriMesh mirrored(const TriMesh& mesh) {
  TriMesh m = mesh;
  for (Points* list : {&m.vertices, &m.normals})
    for (Vec3& x : *list) x = demos::mirrored(x);
  for (Tri& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}

TriMesh block(const Vec3& low, const Vec3& high, int cells) {
  TriMesh m;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3, first = m.n_vertices();
      for (int i = 0; i <= cells; ++i)
        for (int k = 0; k <= cells; ++k) {
          Vec3 x = side > 0 ? high : low;
          x[u] = low[u] + (high[u] - low[u]) * i / cells;
          x[v] = low[v] + (high[v] - low[v]) * k / cells;
          m.vertices.push_back(x);
          m.normals.push_back(side * Vec3::Unit(axis));
        }
      for (int i = 0; i < cells; ++i)
        for (int k = 0; k < cells; ++k) {
          const int a = first + i * (cells + 1) + k, b = a + cells + 1;
          for (Tri t : {Tri{a, b, b + 1}, Tri{a, b + 1, a + 1}}) {
            if (side < 0) std::swap(t[1], t[2]);
            m.triangles.push_back(t);
          }
        }
    }
  return m;
}

TriMesh disc(const Vec3& centre, const Vec3& axis, double radius, double depth) {
  return demos::egg(centre, {radius, depth / 2, radius}, turn_between(Vec3::UnitY(), axis).toRotationMatrix(), 6);
}

TriMesh half_egg(const Vec3& centre, const Vec3& radii, const Vec3& towards) {
  const Mat3 turn = turn_between(Vec3::UnitY(), towards).toRotationMatrix();
  const TriMesh whole = demos::egg(centre, radii, turn, 6);
  TriMesh m;
  std::vector<int> place(whole.vertices.size(), -1);
  for (size_t v = 0; v < place.size(); ++v)
    if ((whole.vertices[v] - centre).dot(towards) > -1e-6) {
      place[v] = m.n_vertices();
      m.vertices.push_back(whole.vertices[v]);
      m.normals.push_back(whole.normals[v]);
    }
  for (const Tri& t : whole.triangles)
    if (place[t[0]] >= 0 && place[t[1]] >= 0 && place[t[2]] >= 0)
      m.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  return m;
}

}  // namespace supple::cast
