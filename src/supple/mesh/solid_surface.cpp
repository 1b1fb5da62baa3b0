#include "supple/mesh/solid_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace supple {

namespace {

constexpr double kFlatTriangle = 1e-12;  // of the squared longest side

// For every vertex the first one at the same place.
std::vector<int> welded(const Points& x) {
  std::map<std::array<double, 3>, int> first;
  std::vector<int> out;
  for (size_t i = 0; i < x.size(); ++i)
    out.push_back(first.try_emplace({x[i][0], x[i][1], x[i][2]}, static_cast<int>(i)).first->second);
  return out;
}

}  // namespace

bool is_closed(const TriMesh& mesh) {
  const std::vector<int> vertex = welded(mesh.vertices);
  std::map<std::array<int, 2>, int> balance;  // along an edge against the other way
  for (const Tri& t : mesh.triangles)
    for (size_t c = 0; c < 3; ++c) {
      const int a = vertex[t[c]], b = vertex[t[(c + 1) % 3]];
      if (a < b) ++balance[{a, b}];
      if (b < a) --balance[{b, a}];
    }
  return !mesh.triangles.empty() &&
         std::all_of(balance.begin(), balance.end(), [](const auto& edge) { return edge.second == 0; });
}

void turn_outwards(TriMesh& mesh) {
  if (!is_closed(mesh) || solid_moments(mesh, 1).mass >= 0) return;
  for (Tri& t : mesh.triangles) std::swap(t[1], t[2]);
}

size_t drop_flat_triangles(TriMesh& mesh) {
  const double least = kFlatTriangle * std::pow(longest_side(mesh.vertices), 2);
  return std::erase_if(mesh.triangles, [&](const Tri& t) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    return !((b - a).cross(c - a).norm() > least);
  });
}

SolidMoments solid_moments(const TriMesh& mesh, double density) {
  SolidMoments m;
  const Box box = bounding_box(mesh.vertices);
  const Vec3 from = (box.low + box.high) / 2;
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  // Tets between the triangles and one point, which add and take away.
  for (const Tri& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - from, b = mesh.vertices[t[1]] - from, c = mesh.vertices[t[2]] - from;
    const double v = a.dot(b.cross(c)) / 6;
    const Vec3 s = a + b + c;
    volume += v;
    first += v / 4 * s;
    second += v / 20 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  m.mass = density * volume;
  if (!(std::abs(volume) > 0)) return m;
  const Vec3 centre = first / volume;
  m.centre = from + centre;
  m.second = density * (second - volume * centre * centre.transpose());
  return m;
}

Points equal_points(const SolidMoments& m) {
  // S = L L^T; corners L e of a regular tetrahedron e with sum of e e^T = 4/3 give sum of m/4 r r^T = S.
  Mat3 L = Mat3::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      const double rest = m.second(i, j) - L.row(i).head(j).dot(L.row(j).head(j));
      L(i, j) = i == j ? std::sqrt(std::max(rest, 0.0)) : L(j, j) > 0 ? rest / L(j, j) : 0;
    }
  const double corner = std::sqrt(1.0 / 3);
  Points points;
  for (const Vec3& e : {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)})
    points.push_back(m.centre + std::sqrt(3 / m.mass) * L * (corner * e));
  if (tet_volume(points[0], points[1], points[2], points[3]) < 0) std::swap(points[2], points[3]);
  return points;
}

TriMesh boundary_surface(const TetMesh& mesh, Embedding& embedding) {
  std::vector<int> source;
  TriMesh surface = boundary_surface(mesh, &source);
  std::vector<std::pair<int, int>> corner(mesh.vertices.size());
  for (int t = 0; t < mesh.n_tets(); ++t)
    for (int c = 0; c < 4; ++c) corner[mesh.tets[t][c]] = {t, c};
  for (int v : source) {
    embedding.tet.push_back(corner[v].first);
    embedding.weights.push_back(Eigen::Vector4d::Unit(corner[v].second));
  }
  return surface;
}

}  // namespace supple
