#include "supple/demos/shapes/lattice_surface.h"

#include <algorithm>
#include <map>
#include <set>

#include "supple/mesh/tet_mesh.h"

namespace supple::demos {

namespace {

using Edge = std::pair<int, int>;
Edge edge_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

// Groups of the tets around the edge a b (or the vertex a = b) that meet in faces there.
std::vector<std::vector<int>> groups_around(const std::vector<Tet>& tets, const std::vector<int>& around, int a,
                                            int b) {
  std::map<std::array<int, 3>, int> face_of;
  std::vector<int> group(around.size());
  for (size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  const auto root = [&](int i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  for (size_t i = 0; i < around.size(); ++i) {
    const Tet& t = tets[around[i]];
    for (int out = 0; out < 4; ++out) {
      if (t[out] == a || t[out] == b) continue;
      std::array<int, 3> face;
      for (int c = 0, k = 0; c < 4; ++c) {
        if (c != out) face[k++] = t[c];
      }
      std::sort(face.begin(), face.end());
      const auto [it, fresh] = face_of.try_emplace(face, static_cast<int>(i));
      if (!fresh) group[root(static_cast<int>(i))] = root(it->second);
    }
  }
  std::map<int, std::vector<int>> by_root;
  for (size_t i = 0; i < around.size(); ++i) by_root[root(static_cast<int>(i))].push_back(around[i]);
  std::vector<std::vector<int>> groups;
  for (auto& [r, list] : by_root) groups.push_back(std::move(list));
  return groups;
}

// Vertices that the triangles do not close around in one fan.
std::set<int> pinched(const std::vector<Tri>& triangles) {
  std::map<int, std::map<int, int>> next;
  for (const Tri& t : triangles) {
    for (int c = 0; c < 3; ++c) next[t[c]][t[(c + 1) % 3]] = t[(c + 2) % 3];
  }
  std::set<int> result;
  for (const auto& [v, fan] : next) {
    size_t n = 0;
    int at = fan.begin()->first;
    do {
      const auto it = fan.find(at);
      if (it == fan.end()) break;
      at = it->second;
      ++n;
    } while (at != fan.begin()->first && n <= fan.size());
    if (n != fan.size() || at != fan.begin()->first) result.insert(v);
  }
  return result;
}

}  // namespace

void open_pinches(TetMesh& mesh) {
  for (int round = 0; round < 20; ++round) {
    std::vector<int> source;
    const TriMesh skin = boundary_surface(mesh, &source);
    std::map<Edge, int> sides;
    for (const Tri& t : skin.triangles) {
      for (int c = 0; c < 3; ++c) ++sides[edge_of(t[c], t[(c + 1) % 3])];
    }
    std::map<int, std::vector<int>> at_vertex;
    std::map<Edge, std::vector<int>> at_edge;
    for (const auto& [edge, n] : sides) {
      if (n > 2) at_edge[edge_of(source[edge.first], source[edge.second])];
    }
    for (int v : pinched(skin.triangles)) at_vertex[source[v]];
    if (at_vertex.empty() && at_edge.empty()) return;
    for (size_t i = 0; i < mesh.tets.size(); ++i) {
      const Tet& t = mesh.tets[i];
      for (int c = 0; c < 4; ++c) {
        if (const auto it = at_vertex.find(t[c]); it != at_vertex.end()) it->second.push_back(static_cast<int>(i));
        for (int d = c + 1; d < 4; ++d) {
          if (const auto it = at_edge.find(edge_of(t[c], t[d])); it != at_edge.end())
            it->second.push_back(static_cast<int>(i));
        }
      }
    }
    std::set<int> gone;
    const auto open = [&](const std::vector<int>& around, int a, int b) {
      auto groups = groups_around(mesh.tets, around, a, b);
      std::sort(groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.size() > y.size(); });
      for (size_t g = groups.size() > 1 ? 1 : 0; g < groups.size(); ++g)
        gone.insert(groups[g].begin(), groups[g].end());
    };
    for (const auto& [edge, around] : at_edge) open(around, edge.first, edge.second);
    for (const auto& [v, around] : at_vertex) {
      if (at_edge.empty()) open(around, v, v);
    }
    std::vector<Tet> kept;
    for (size_t i = 0; i < mesh.tets.size(); ++i) {
      if (!gone.count(static_cast<int>(i))) kept.push_back(mesh.tets[i]);
    }
    mesh.tets = std::move(kept);
  }
}

TriMesh lattice_surface(const SignedDistance& f, const Box& bounds, double edge) {
  TetMesh tets = mesh_signed_distance(f, bounds, {.edge = edge});
  open_pinches(tets);
  return boundary_surface(tets);
}

}  // namespace supple::demos
