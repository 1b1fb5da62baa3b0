#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "supple/attach/pieces.h"
#include "supple/base/hash.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {
namespace {

using Cell = std::array<int64_t, 3>;
struct CellHash {
  size_t operator()(const Cell& c) const { return static_cast<size_t>(hash_bytes(c.data(), sizeof(c))); }
};

// Morph offsets by vertex: two lips that touch are two points of the surface.
struct MorphsOfVertices {
  std::vector<int> first;
  std::vector<int> morph;
  Points offset;
  std::vector<double> largest;  // a morph

  explicit MorphsOfVertices(const Drawn& drawn) : first(drawn.vertices.rest.size() + 1, 0) {
    const std::vector<Morph>& morphs = drawn.vertices.morphs;
    for (const Morph& m : morphs) {
      for (int v : m.points) ++first[v + 1];
    }
    for (size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
    morph.resize(first.back());
    offset.resize(first.back());
    std::vector<int> next = first;
    for (size_t m = 0; m < morphs.size(); ++m) {
      double most = 0;
      for (size_t k = 0; k < morphs[m].points.size(); ++k) {
        const int at = next[morphs[m].points[k]]++;
        morph[at] = static_cast<int>(m);
        offset[at] = morphs[m].offsets[k];
        most = std::max(most, offset[at].norm());
      }
      largest.push_back(most);
    }
  }

  bool same(int a, int b, double tolerance) const {
    int i = first[a], j = first[b];
    while (i < first[a + 1] || j < first[b + 1]) {
      const int ma = i < first[a + 1] ? morph[i] : INT32_MAX, mb = j < first[b + 1] ? morph[j] : INT32_MAX;
      Vec3 gap = Vec3::Zero();
      if (ma <= mb) gap += offset[i++];
      if (mb <= ma) gap -= offset[j++];
      if (gap.norm() > std::max(tolerance, 1e-3 * largest[std::min(ma, mb)])) return false;
    }
    return true;
  }
};

bool same_bones(const SkinWeights& skin, int a, int b) {
  const auto covers = [&](int from, int by) {
    for (int i = skin.first[from]; i < skin.first[from + 1]; ++i) {
      double other = 0;
      for (int j = skin.first[by]; j < skin.first[by + 1]; ++j) {
        if (skin.bone[j] == skin.bone[i]) other += skin.weight[j];
      }
      if (std::abs(skin.weight[i] - other) > 1e-3) return false;
    }
    return true;
  };
  return covers(a, b) && covers(b, a);
}

}  // namespace

int weld(const Drawn& drawn, const std::vector<char>& wanted, std::vector<int>& weld) {
  const Points& rest = drawn.vertices.rest;
  const double size = longest_side(rest);
  const double tolerance = size > 0 ? 1e-6 * size : 1e-12;
  const MorphsOfVertices morphs(drawn);
  weld.assign(rest.size(), -1);
  std::unordered_map<Cell, std::vector<int>, CellHash> cells;  // the first drawn vertex of each welded one
  int n_welded = 0;
  for (int v = 0; v < drawn.n_vertices(); ++v) {
    if (!wanted[v]) continue;
    const Eigen::Array3d cell = (rest[v] / (2 * tolerance)).array();
    // The tolerance reaches into the nearer neighbour of each axis only.
    const Cell low = {std::llround(cell[0]) - 1, std::llround(cell[1]) - 1, std::llround(cell[2]) - 1};
    int found = -1;
    for (int corner = 0; corner < 8; ++corner) {
      const auto bucket = cells.find({low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2 & 1)});
      if (bucket == cells.end()) continue;
      for (int other : bucket->second) {
        if ((found >= 0 && other > found) || (rest[other] - rest[v]).norm() > tolerance) continue;
        if (same_bones(drawn.vertices.skin, v, other) && morphs.same(v, other, tolerance)) found = other;
      }
    }
    if (found >= 0) {
      weld[v] = weld[found];
      continue;
    }
    weld[v] = n_welded++;
    const Cell own = {static_cast<int64_t>(std::floor(cell[0])), static_cast<int64_t>(std::floor(cell[1])),
                      static_cast<int64_t>(std::floor(cell[2]))};
    cells[own].push_back(v);
  }
  return n_welded;
}

}  // namespace supple
