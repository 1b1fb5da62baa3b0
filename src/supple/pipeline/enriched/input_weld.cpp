// Vertices of a surface that are one point of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "supple/attach/pieces.h"
#include "supple/pipeline/enriched/input_grid.h"
#include "supple/pipeline/enriched/input_steps.h"

namespace supple::pipeline {

namespace {

constexpr double kSeamPlace = 1e-6;  // of the size
constexpr double kSeamMoves = 1e-5;  // of the size, over the frames; and what a float cannot tell

// Vertices of edges that have one triangle.
std::vector<char> at_open_edges(const TriMesh& surface) {
  std::vector<std::array<int, 2>> edges;
  for (const Tri& t : surface.triangles)
    for (int k = 0; k < 3; ++k) edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(edges.begin(), edges.end());
  std::vector<char> open(surface.vertices.size(), 0);
  for (size_t i = 0, next; i < edges.size(); i = next) {
    for (next = i + 1; next < edges.size() && edges[next] == edges[i];) ++next;
    if (next - i == 1) open[edges[i][0]] = open[edges[i][1]] = 1;
  }
  return open;
}

// Whether two points of a cache are at the same place in every frame that has both.
bool move_alike(const PointCache& frames, int a, int b, double tolerance) {
  for (int s = 0; s < frames.n_samples; ++s) {
    const float *x = frames.sample(s) + 3 * a, *y = frames.sample(s) + 3 * b;
    for (int axis = 0; axis < 3; ++axis) {
      const double rounding = 4 * std::numeric_limits<float>::epsilon() * std::abs(x[axis]);
      if (std::abs(static_cast<double>(x[axis]) - y[axis]) > tolerance + rounding) return false;  // NaN: not told
    }
  }
  return true;
}

}  // namespace

std::vector<int> weld_by_frames(const EnrichInput& in, double size) {
  const size_t n = in.surface.vertices.size();
  const std::vector<char> open = at_open_edges(in.surface);
  std::vector<int> point_of(n, -1), welded(n);
  for (size_t i = 0; i < in.vertex.size(); ++i)
    if (in.vertex[i] >= 0) point_of[in.vertex[i]] = static_cast<int>(i);
  std::iota(welded.begin(), welded.end(), 0);
  const PlaceGrid grid(in.surface.vertices, kSeamPlace * size);
  for (int v = 0; v < static_cast<int>(n); ++v) {
    if (!open[v]) continue;
    grid.near(in.surface.vertices[v], [&](int other, double) {
      if (other >= welded[v] || !open[other] || welded[other] != other) return;
      const int a = point_of[v], b = point_of[other];
      if (a < 0 || b < 0 || move_alike(in.frames, a, b, kSeamMoves * size)) welded[v] = other;
    });
  }
  return welded;
}

std::vector<int> weld_by_bones(const Drawn& drawn) {
  std::vector<int> group;
  const int n_groups = weld(drawn, std::vector<char>(static_cast<size_t>(drawn.n_vertices()), 1), group);
  std::vector<int> first(static_cast<size_t>(n_groups), -1), welded;
  for (int v = 0; v < drawn.n_vertices(); ++v) {
    if (first[group[v]] < 0) first[group[v]] = v;
    welded.push_back(first[group[v]]);
  }
  return welded;
}

}  // namespace supple::pipeline
