#include "supple/mesh/tet_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <numeric>

#include "supple/base/error.h"
#include "supple/base/most.h"
#include "supple/base/parallel.h"

namespace supple {

double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).cross(c - a).dot(d - a) / 6;
}

std::vector<double> tet_volumes(const TetMesh& mesh) {
  std::vector<double> volumes(mesh.tets.size());
  parallel_for(volumes.size(), 4096, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Tet& t = mesh.tets[i];
      volumes[i] = tet_volume(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]);
    }
  });
  return volumes;
}

std::vector<int> groups_of_vertices(const TetMesh& mesh, const std::vector<int>& group) {
  std::vector<int> of_vertex(mesh.vertices.size(), -1);
  if (group.empty()) return of_vertex;
  const std::vector<double> volume = tet_volumes(mesh);
  std::vector<std::map<int, double>> around(mesh.vertices.size());
  for (int t = 0; t < mesh.n_tets(); ++t)
    for (int v : mesh.tets[t]) around[v][group[t]] += volume[t];
  for (size_t v = 0; v < around.size(); ++v) {
    double most = 0;
    for (const auto& [g, volume_here] : around[v])
      if (clearly_more(volume_here, most)) most = volume_here, of_vertex[v] = g;
  }
  return of_vertex;
}

std::vector<std::array<int, 2>> unique_edges(const std::vector<Tet>& tets) {
  std::vector<std::array<int, 2>> edges;
  edges.reserve(6 * tets.size());
  for (const Tet& t : tets) {
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) edges.push_back({std::min(t[i], t[j]), std::max(t[i], t[j])});
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<Tri> boundary_triangles(const std::vector<Tet>& tets) {
  // Face f is opposite to vertex f and winds outwards.
  static constexpr int kFace[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  struct Face {
    Tri key;
    size_t corner;  // 4 * tet + face
  };
  std::vector<Face> faces(4 * tets.size());
  for (size_t i = 0; i < faces.size(); ++i) {
    const Tet& t = tets[i / 4];
    Tri key = {t[kFace[i % 4][0]], t[kFace[i % 4][1]], t[kFace[i % 4][2]]};
    std::sort(key.begin(), key.end());
    faces[i] = {key, i};
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.key < b.key; });
  std::vector<size_t> single;
  for (size_t i = 0; i < faces.size();) {
    size_t end = i + 1;
    while (end < faces.size() && faces[end].key == faces[i].key) ++end;
    if (end == i + 1) single.push_back(faces[i].corner);
    i = end;
  }
  std::sort(single.begin(), single.end());
  std::vector<Tri> triangles;
  triangles.reserve(single.size());
  for (size_t i : single) {
    const Tet& t = tets[i / 4];
    triangles.push_back({t[kFace[i % 4][0]], t[kFace[i % 4][1]], t[kFace[i % 4][2]]});
  }
  return triangles;
}

TriMesh boundary_surface(const TetMesh& mesh, std::vector<int>* source) {
  TriMesh surface;
  surface.triangles = boundary_triangles(mesh.tets);
  std::vector<int> index(mesh.vertices.size(), -1), origin;
  for (const Tri& t : surface.triangles) {
    for (int v : t) index[v] = 0;
  }
  // Surface vertices keep the order of the tet vertices.
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (index[v] < 0) continue;
    index[v] = static_cast<int>(origin.size());
    origin.push_back(v);
    surface.vertices.push_back(mesh.vertices[v]);
  }
  for (Tri& t : surface.triangles) {
    for (int& v : t) v = index[v];
  }
  for (const auto& [name, values] : mesh.vertex_maps) {
    std::vector<double>& mine = surface.vertex_maps[name];
    mine.reserve(origin.size());
    for (int v : origin) mine.push_back(values[v]);
  }
  if (source) *source = std::move(origin);
  return surface;
}

int connected_components(const TetMesh& mesh, std::vector<int>& component) {
  std::vector<int> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  component.assign(mesh.vertices.size(), -1);
  for (const Tet& t : mesh.tets) {
    for (int v : t) {
      const int a = root(t[0]), b = root(v);
      parent[std::max(a, b)] = std::min(a, b);
      component[v] = 0;
    }
  }
  // A root is the smallest vertex of its component, so it is numbered before the others.
  int n = 0;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (component[v] < 0) continue;
    const int r = root(v);
    component[v] = r == v ? n++ : component[r];
  }
  return n;
}

TetMesh refine(const TetMesh& mesh, std::vector<std::array<int, 2>>* parents) {
  const std::vector<std::array<int, 2>> edges = unique_edges(mesh.tets);
  const int n_old = mesh.n_vertices();
  auto midpoint = [&](int a, int b) {
    const std::array<int, 2> key = {std::min(a, b), std::max(a, b)};
    return n_old + static_cast<int>(std::lower_bound(edges.begin(), edges.end(), key) - edges.begin());
  };

  TetMesh fine;
  fine.vertices = mesh.vertices;
  for (const auto& e : edges) fine.vertices.push_back((mesh.vertices[e[0]] + mesh.vertices[e[1]]) / 2);
  fine.vertex_maps = mesh.vertex_maps;
  for (auto& [name, values] : fine.vertex_maps) {
    for (const auto& e : edges) values.push_back((values[e[0]] + values[e[1]]) / 2);
  }

  fine.tets.reserve(8 * mesh.tets.size());
  for (const auto& [a, b, c, d] : mesh.tets) {
    const int ab = midpoint(a, b), ac = midpoint(a, c), ad = midpoint(a, d);
    const int bc = midpoint(b, c), bd = midpoint(b, d), cd = midpoint(c, d);
    fine.tets.insert(fine.tets.end(), {{a, ab, ac, ad}, {ab, b, bc, bd}, {ac, bc, c, cd}, {ad, bd, cd, d}});
    // A diagonal of the octahedron, then the four vertices around it, counter-clockwise seen from its start.
    const std::array<std::array<int, 6>, 3> choices = {
        {{ab, cd, ac, ad, bd, bc}, {ac, bd, ad, ab, bc, cd}, {ad, bc, ab, ac, cd, bd}}};
    const auto& [p, q, r0, r1, r2, r3] = *std::min_element(choices.begin(), choices.end(), [&](auto& x, auto& y) {
      return (fine.vertices[x[0]] - fine.vertices[x[1]]).squaredNorm() <
             (fine.vertices[y[0]] - fine.vertices[y[1]]).squaredNorm();
    });
    fine.tets.insert(fine.tets.end(), {{p, q, r0, r1}, {p, q, r1, r2}, {p, q, r2, r3}, {p, q, r3, r0}});
  }

  auto eightfold = [](const auto& coarse) {
    std::remove_cvref_t<decltype(coarse)> out;
    out.reserve(8 * coarse.size());
    for (const auto& value : coarse) out.insert(out.end(), 8, value);
    return out;
  };
  for (const auto& [name, values] : mesh.tet_maps) fine.tet_maps[name] = eightfold(values);
  fine.tet_region = eightfold(mesh.tet_region);
  fine.region_names = mesh.region_names;
  if (parents) *parents = edges;
  return fine;
}

TetMesh make_box(int nx, int ny, int nz, const Vec3& size, const Vec3& origin) {
  if (nx < 1 || ny < 1 || nz < 1 || !(size.minCoeff() > 0)) {
    throw InputError({}, "a box needs at least one cell and a positive size along each axis");
  }
  TetMesh mesh;
  auto index = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  mesh.vertices.reserve(static_cast<size_t>(nx + 1) * (ny + 1) * (nz + 1));
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= ny; ++j) {
      for (int k = 0; k <= nz; ++k) {
        mesh.vertices.push_back(origin + Vec3(size.x() * i / nx, size.y() * j / ny, size.z() * k / nz));
      }
    }
  }
  // The six orders in which a path from corner 000 to corner 111 takes the axes; the last three are odd.
  static constexpr int kOrder[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  mesh.tets.reserve(static_cast<size_t>(6) * nx * ny * nz);
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) {
        for (int o = 0; o < 6; ++o) {
          std::array<int, 3> at = {i, j, k};
          Tet tet = {index(i, j, k), 0, 0, index(i + 1, j + 1, k + 1)};
          for (int step = 0; step < 2; ++step) {
            ++at[kOrder[o][step]];
            tet[step + 1] = index(at[0], at[1], at[2]);
          }
          if (o >= 3) std::swap(tet[1], tet[2]);
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  return mesh;
}

}  // namespace supple
