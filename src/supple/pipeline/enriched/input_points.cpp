// Which points an animation moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/formats.h"
#include "supple/io/index_list.h"
#include "supple/pipeline/enriched/input_grid.h"
#include "supple/pipeline/enriched/input_steps.h"

namespace supple::pipeline {

namespace {

constexpr double kSamePlace = 1e-4;  // of the size: as far as rounding in a file may move a vertex
constexpr double kAsNear = 1e-6;     // of the size: places that nothing tells apart
constexpr double kNormalSteps = 5;   // of the cosine of two normals: less does not matter
constexpr size_t kGrain = 256;

// The vertex of the surface at each place; -1: none is near, and how far the nearest one of these is at most.
struct PlaceMatch {
  std::vector<int> vertex;
  int n_missing = 0;
  double farthest = 0;
};

// Where several vertices are at one place (seams, lips that touch) the one that faces the same way is taken, and among
// these one that is not taken yet.
PlaceMatch match_by_place(const TriMesh& surface, const TriMesh& part, double size) {
  const PlaceGrid grid(surface.vertices, kSamePlace * size);
  const Points normals = vertex_normals(surface.vertices, surface.triangles);
  const Points part_normals = vertex_normals(part.vertices, part.triangles);
  std::vector<char> taken(surface.vertices.size(), 0);
  PlaceMatch match;
  std::vector<size_t> missing;
  for (size_t i = 0; i < part.vertices.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    grid.near(part.vertices[i], [&](int, double distance) { nearest = std::min(nearest, distance); });
    int best = -1, best_score = 0;
    grid.near(part.vertices[i], [&](int v, double distance) {
      if (distance > nearest + kAsNear * size) return;
      int score = taken[v] ? 0 : 1;
      if (!part.triangles.empty())
        score += 2 * static_cast<int>(std::lround(kNormalSteps * (1 + normals[v].dot(part_normals[i]))));
      if (best < 0 || score > best_score || (score == best_score && v < best)) best = v, best_score = score;
    });
    match.vertex.push_back(best);
    if (best >= 0) taken[best] = 1;
    if (best < 0) missing.push_back(i);
  }
  match.n_missing = static_cast<int>(missing.size());
  match.farthest = parallel_max(missing.size(), kGrain, [&](size_t begin, size_t end) {
    double farthest = 0;
    for (size_t k = begin; k < end; ++k) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const Vec3& x : surface.vertices) nearest = std::min(nearest, (x - part.vertices[missing[k]]).squaredNorm());
      farthest = std::max(farthest, nearest);
    }
    return std::sqrt(farthest);
  });
  return match;
}

TriMesh read_scaled(const FilePath& file, double scale) {
  TriMesh mesh = read_obj(file.path);
  for (Vec3& x : mesh.vertices) x *= scale;
  return mesh;
}

// An .obj of some of the vertices, with a numbering of its own.
MovedPoints tracked_by_place(const SceneConfig& config, EnrichInput& in, double size) {
  const FilePath& name = config.enrich.tracked.file;
  const TriMesh part = read_scaled(name, in.scale);
  const PlaceMatch match = match_by_place(in.surface, part, size);
  const size_t n = part.vertices.size();
  if (match.n_missing > 0)
    throw InputError(config.locate("enrich.tracked"),
                     fmt::format("{} of {} vertices of '{}' are no vertices of the neutral surface: the farthest is "
                                 "{:.3g} m away ({:.2g} % of the size)",
                                 match.n_missing, n, name.text, match.farthest, 100 * match.farthest / size),
                     "it must be a part of the neutral surface, undeformed and in the same units; give points that are "
                     "no vertices as enrich.points");
  MovedPoints moved{.vertex = {}, .points = {}, .sources = {}, .n_in_cache = static_cast<int>(n), .what = {}};
  moved.what = fmt::format("'{}' has {} vertices", name.text, n);
  std::vector<char> taken(in.surface.vertices.size(), 0);
  for (size_t i = 0; i < n; ++i) {
    const int v = match.vertex[i];
    if (taken[v]) continue;
    taken[v] = 1;
    moved.vertex.push_back(v);
    moved.sources.push_back(static_cast<int>(i));
  }
  if (moved.vertex.size() < n)
    in.warnings.push_back(fmt::format("{}: {} of its vertices are where others of them are, and are left out",
                                      name.text, n - moved.vertex.size()));
  return moved;
}

}  // namespace

std::vector<int> read_vertices(const EnrichInput& in, const VertexList& list, const Location& where) {
  const int n = in.surface.n_vertices();
  if (!list.file.empty()) return read_index_list(list.file.path, n);
  std::set<int> seen;
  for (int v : list.indices) {
    if (v < 0 || v >= n)
      throw InputError(where, fmt::format("vertex {} does not exist: the surface has {} vertices", v, n),
                       "vertices are counted from 0");
    if (!seen.insert(v).second)
      throw InputError(where, fmt::format("vertex {} is listed twice", v), "list every vertex once");
  }
  return list.indices;
}

MovedPoints find_moved_points(const SceneConfig& config, EnrichInput& in, const NeutralFile& file) {
  const EnrichConfig& e = config.enrich;
  const bool cached = !config.surface.cache.empty();
  if (!e.points.empty() && !e.tracked.empty())
    throw InputError(config.locate("enrich.points"),
                     "enrich.tracked and enrich.points both say what the points of the cache are", "leave one out");
  MovedPoints moved;
  if (!e.points.empty()) {
    if (!cached)
      throw InputError(config.locate("enrich.points"), "nothing moves these points",
                       "give [surface] cache = \"markers.pc2\", with as many points");
    moved.points = read_scaled(e.points, in.scale).vertices;
    moved.vertex.assign(moved.points.size(), -1);
    moved.n_in_cache = static_cast<int>(moved.points.size());
    moved.what = fmt::format("'{}' has {} points", e.points.text, moved.points.size());
    return moved;
  }
  if (e.tracked.empty()) {
    moved.vertex.resize(in.surface.vertices.size());
    std::iota(moved.vertex.begin(), moved.vertex.end(), 0);
    moved.n_in_cache = in.surface.n_vertices();
    moved.what = fmt::format("'{}' has {} vertices", config.surface.file.text, moved.n_in_cache);
  } else if (extension(e.tracked.file.path) == ".obj") {
    moved = tracked_by_place(config, in, file.size);
  } else {
    moved.vertex = read_vertices(in, e.tracked, config.locate("enrich.tracked"));
    if (moved.vertex.empty())
      throw InputError(config.locate("enrich.tracked"), "no vertices are listed", "leave it out to move all");
    moved.n_in_cache = static_cast<int>(moved.vertex.size());
    moved.what = fmt::format("enrich.tracked lists {} vertices", moved.vertex.size());
  }
  for (int v : moved.vertex) moved.points.push_back(in.surface.vertices[v]);
  return moved;
}

}  // namespace supple::pipeline
