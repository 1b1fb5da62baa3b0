#include "supple/mesh/tri_mesh.h"

#include <Eigen/Geometry>

namespace supple {

Box bounding_box(const Points& points) {
  if (points.empty()) return {};
  Box box{points[0], points[0]};
  for (const Vec3& p : points) {
    box.low = box.low.cwiseMin(p);
    box.high = box.high.cwiseMax(p);
  }
  return box;
}

double longest_side(const Points& points) { return bounding_box(points).size().maxCoeff(); }

std::vector<double> vertex_areas(const TriMesh& mesh) {
  std::vector<double> areas(mesh.vertices.size(), 0);
  for (const Tri& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[t[0]];
    const double third = (0.5 * (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a)).norm() / 3;
    for (const int v : t) areas[v] += third;
  }
  return areas;
}

Points vertex_normals(const Points& vertices, const std::vector<Tri>& triangles) {
  Points normals(vertices.size(), Vec3::Zero());
  for (const Tri& t : triangles) {
    const Vec3 &a = vertices[t[0]], &b = vertices[t[1]], &c = vertices[t[2]];
    const Vec3 twice_area = (b - a).cross(c - a);
    for (int v : t) normals[v] += twice_area;
  }
  for (Vec3& n : normals) {
    // Scaled first, so that the square of a tiny area does not underflow.
    const double largest = n.cwiseAbs().maxCoeff();
    n = largest > 0 ? (n / largest).normalized() : Vec3::UnitZ();
  }
  return normals;
}

}  // namespace supple
