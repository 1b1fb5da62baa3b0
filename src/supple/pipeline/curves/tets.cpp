// Tets around a rigged surface, and how its points move them.
#include "supple/pipeline/curves/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/embedding.h"
#include "supple/mesh/quality.h"
#include "supple/pipeline/setup/character_stages.h"
#include "supple/rigs/differenced_rig.h"

namespace supple::pipeline::curves {

namespace {

constexpr double kMeantToCoincide = 1e-5;  // of the size: what files in single precision leave of coinciding vertices
constexpr double kFarOff = 0.5;            // of an edge: vertices of tets so far from the surface are worth a word
constexpr double kSampleSpacing = 0.5;     // of an edge
constexpr double kMostSamples = 200;       // along the side of a triangle
constexpr double kLeastLeft = 0.2;         // of the volume of a tet

std::vector<int> boundary_vertices(const TetMesh& mesh) {
  std::vector<char> on(mesh.vertices.size(), 0);
  for (const Tri& t : boundary_triangles(mesh.tets))
    for (int v : t) on[v] = 1;
  std::vector<int> list;
  for (size_t v = 0; v < on.size(); ++v)
    if (on[v]) list.push_back(static_cast<int>(v));
  return list;
}

double tet_edge(const TetMesh& mesh) {
  double volume = 0;
  for (double v : tet_volumes(mesh)) volume += v;
  return std::cbrt(6 * std::numbers::sqrt2 * volume / std::max(1, mesh.n_tets()));
}

// What of a character is flesh: pieces that the clip bends, or where free parameters move none of those, pieces that
// they move.
void find_skin(const SceneConfig& config, CurvesRig& rig) {
  CharacterSetup& c = *rig.character;
  std::vector<Pose> poses = {rest_pose(c.character, c.drawn)};
  if (!rig.clip.empty()) {
    const std::vector<Pose> keyed =
        frames_of(c.character, c.drawn, find_clip(c.character, rig.clip), rig.time.fps).poses;
    poses.insert(poses.end(), keyed.begin(), keyed.end());
  }
  std::vector<PieceRule> rules;
  for (const PartConfig& part : config.parts) rules.push_back({part.match, role_from_name(part.role)});
  c.pieces = find_pieces(c.character, c.drawn, poses, rules, rig.warnings);
  const std::vector<int> free = rig.all_free();
  const auto derived = with_derivatives(rig.rig);
  const VecX rest = rig.rig->rest();
  const MatX J = derived->jacobian(rest, 0, free);
  const double least = kLeastMotion * rig.size();
  const auto moves = [&](const Piece& piece) {
    for (int v : piece.vertices)
      for (size_t a = 0; a < free.size(); ++a)
        if (J.block<3, 1>(3 * v, static_cast<Eigen::Index>(a)).norm() *
                rig.rig->parameters()[static_cast<size_t>(free[a])].unit >
            least)
          return true;
    return false;
  };
  const bool some =
      std::any_of(c.pieces.begin(), c.pieces.end(), [&](const Piece& p) { return p.role == Role::soft && moves(p); });
  for (Piece& p : c.pieces) {
    if (some || p.role == Role::soft || p.role == Role::ignore || !moves(p)) continue;
    p.role = Role::soft;
    p.why = "free parameters move it";
    rig.warnings.push_back(fmt::format("{} is taken to be soft: free parameters move it", p.name));
  }
  weld_skin(c);
  if (c.skin.triangles.empty())
    throw InputError(
        {.file = config.surface.file.text}, "nothing of it is soft",
        "say what is with [[part]] match = \"...\" role = \"soft\". Its pieces:\n" + pieces_table(c.pieces));
}

// Boundary vertices that are meant to be vertices of the surface are put there.
void snap(const Points& surface, const std::vector<int>& rigged, double size, TetMesh& mesh) {
  std::vector<Box> boxes;
  for (const Vec3& x : surface) boxes.push_back({x, x});
  const Bvh tree(boxes);
  const double reach = kMeantToCoincide * size;
  for (int v : rigged) {
    Vec3& x = mesh.vertices[v];
    int nearest = -1;
    double best = reach * reach;
    tree.within(x, reach * reach, [&](int i) {
      const double d = (surface[i] - x).squaredNorm();
      if (d < best || (d == best && i < nearest)) best = d, nearest = i;
    });
    if (nearest >= 0) x = surface[nearest];
  }
}

}  // namespace

namespace {

// Boundary vertices no farther from the surface than an edge of theirs.
std::vector<int> near_surface(const TetMesh& mesh, const TriMesh& surface, const std::vector<int>& boundary) {
  std::vector<double> longest(mesh.vertices.size(), 0);
  for (const auto& [a, b] : unique_edges(mesh.tets)) {
    const double length = (mesh.vertices[a] - mesh.vertices[b]).norm();
    longest[a] = std::max(longest[a], length), longest[b] = std::max(longest[b], length);
  }
  std::vector<Box> boxes;
  const Points& x = surface.vertices;
  for (const Tri& t : surface.triangles)
    boxes.push_back({x[t[0]].cwiseMin(x[t[1]]).cwiseMin(x[t[2]]), x[t[0]].cwiseMax(x[t[1]]).cwiseMax(x[t[2]])});
  const Bvh tree(boxes);
  std::vector<int> near;
  for (int v : boundary) {
    const Vec3& p = mesh.vertices[v];
    const auto distance2 = [&](int i) -> double {
      const Tri& t = surface.triangles[i];
      return (closest_on_triangle(p, x[t[0]], x[t[1]], x[t[2]]) - p).squaredNorm();
    };
    if (tree.closest(p, distance2, longest[v] * longest[v]).item >= 0) near.push_back(v);
  }
  return near;
}

// Points of a surface close enough together for tets: its vertices, then points of its triangles.
struct SurfaceSamples {
  Points places;
  std::vector<int> parts;                          // empty: all are one
  std::vector<std::array<int, 3>> corners;         // of those of triangles
  std::vector<std::array<double, 3>> barycentric;  // likewise
};

SurfaceSamples sampled(const TriMesh& surface, const std::vector<int>& parts, double spacing) {
  SurfaceSamples out;
  out.places = surface.vertices;
  out.parts = parts;
  const Points& x = surface.vertices;
  for (const Tri& t : surface.triangles) {
    const double longest =
        std::max({(x[t[0]] - x[t[1]]).norm(), (x[t[1]] - x[t[2]]).norm(), (x[t[2]] - x[t[0]]).norm()});
    const int n = static_cast<int>(std::min(std::ceil(longest / spacing - 1e-6), kMostSamples));
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const int k = n - i - j;
        if (i == n || j == n || k == n) continue;  // a vertex
        const std::array<double, 3> b = {double(i) / n, double(j) / n, double(k) / n};
        out.places.push_back(b[0] * x[t[0]] + b[1] * x[t[1]] + b[2] * x[t[2]]);
        out.corners.push_back(t);
        out.barycentric.push_back(b);
        if (!parts.empty()) out.parts.push_back(parts[t[0]]);
      }
  }
  return out;
}

// The map over points of the rig for one over samples.
SurfaceMap over_points(const SurfaceMap& map, const SurfaceSamples& samples, const std::vector<int>& source,
                       int n_points) {
  SurfaceMap out;
  out.n_points = n_points;
  const int n = static_cast<int>(source.size());
  for (int row = 0; row < map.n_rows(); ++row) {
    std::map<int, double> weights;
    for (int e = map.first[row]; e < map.first[row + 1]; ++e) {
      const int p = map.point[e];
      if (p < n)
        weights[source[p]] += map.weight[e];
      else
        for (size_t c = 0; c < 3; ++c)
          weights[source[samples.corners[p - n][c]]] += map.weight[e] * samples.barycentric[p - n][c];
    }
    for (const auto& [point, weight] : weights) {
      if (weight == 0) continue;
      out.point.push_back(point);
      out.weight.push_back(weight);
    }
    out.first.push_back(static_cast<int>(out.point.size()));
  }
  return out;
}

// Tets are without stress where the points of the rig at rest take them; as long as that turns none inside out.
void settle_rest(const Points& rest, CurvesTets& out) {
  const VecX there = out.map.apply(flatten(rest));
  const TetMesh& mesh = out.mesh;
  const std::vector<double> before = tet_volumes(mesh);
  std::vector<char> moves(mesh.vertices.size(), 0);
  for (int v : out.rigged) moves[v] = 1;
  for (bool again = true; again;) {
    again = false;
    TetMesh now = mesh;
    for (size_t k = 0; k < out.rigged.size(); ++k)
      if (moves[out.rigged[k]]) now.vertices[out.rigged[k]] = there.segment<3>(3 * static_cast<Eigen::Index>(k));
    const std::vector<double> after = tet_volumes(now);
    for (size_t t = 0; t < after.size(); ++t)
      for (int v : mesh.tets[t])
        if (after[t] < kLeastLeft * before[t] && moves[v]) moves[v] = 0, again = true;
    if (!again) out.mesh.vertices = std::move(now.vertices);
  }
}

// How the points of the rig move the rigged vertices.
void map_tets(const SceneConfig& config, const CurvesRig& rig, CurvesTets& out) {
  // What lies near but belongs to other tets has no say.
  std::vector<int> component, surface_parts, target_parts;
  if (connected_components(out.mesh, component) > 1) {
    for (int t : out.tet_of) surface_parts.push_back(component[out.mesh.tets[t][0]]);
    for (int v : out.rigged) target_parts.push_back(component[v]);
  }
  Points targets;
  for (int v : out.rigged) targets.push_back(out.mesh.vertices[v]);
  const SurfaceSamples samples = sampled(out.surface, surface_parts, kSampleSpacing * out.edge);
  SurfaceMapFit fit;
  try {
    fit = fit_surface_map(samples.places, targets, out.edge, samples.parts, target_parts);
  } catch (const InputError& e) {
    throw InputError(config.tets.file.empty() ? Location{.file = config.surface.file.text}
                                              : Location{.file = config.tets.file.text, .place = e.where().place},
                     e.fault(), e.advice());
  }
  out.coincident = fit.coincident;
  if (fit.reproduction_m > kFarOff * out.edge)
    out.warnings.push_back(
        fmt::format("tets lie up to {:.3g} m beside what the surface around them says: they are "
                    "coarse for it, or not around it",
                    fit.reproduction_m));
  out.map = over_points(fit.map, samples, out.source, rig.rig->n_points());
  settle_rest(rig.rest, out);
}

void build_tets(const SceneConfig& config, CurvesTets& out) {
  StagesFound found;
  CageStage made = cage_stage(out.surface, cage_options_of(config.tets), found);
  out.mesh = std::move(made.cage.mesh);
  out.tet_of = std::move(made.cage.tet);
  out.warnings = made.report.warnings;
}

}  // namespace

CurvesTets make_curves_tets(const SceneConfig& config, CurvesRig& rig) {
  CurvesTets out;
  if (rig.character) {
    find_skin(config, rig);
    out.surface = rig.character->skin;
    out.source = rig.character->skin_source;
  } else {
    out.surface.vertices = rig.rest;
    out.surface.triangles = rig.triangles;
    for (size_t v = 0; v < rig.rest.size(); ++v) out.source.push_back(static_cast<int>(v));
  }
  if (config.tets.file.empty()) {
    build_tets(config, out);
  } else {
    if (!std::filesystem::exists(config.tets.file.path))
      throw InputError(config.locate("tets.file"), fmt::format("there is no file {}", config.tets.file.path),
                       "Relative paths start at the scene file.");
    out.mesh = read_tet_mesh(config.tets.file.path, &out.warnings);
    for (Vec3& x : out.mesh.vertices) x *= config.tets.scale;
    if (config.tets.repair) repair(out.mesh);
    require_simulable(out.mesh, config.tets.file.text);
    out.tet_of = embed(out.mesh, out.surface.vertices).tet;
    const std::vector<int> boundary = boundary_vertices(out.mesh);
    const size_t near = near_surface(out.mesh, out.surface, boundary).size();
    if (near < boundary.size() / 2)
      throw InputError(
          {.file = config.tets.file.text},
          fmt::format("these tets are not around the surface: {} of {} vertices on their boundary are more "
                      "than an edge away from it",
                      boundary.size() - near, boundary.size()),
          "check surface.scale and tets.scale, and that both were made from the same mesh");
  }
  out.rigged = boundary_vertices(out.mesh);
  out.edge = tet_edge(out.mesh);
  const double size = std::max(rig.size(), longest_side(out.mesh.vertices));
  if (!config.tets.file.empty()) snap(out.surface.vertices, out.rigged, size, out.mesh);
  map_tets(config, rig, out);
  return out;
}

CurvesTets finer_tets(const SceneConfig& config, const CurvesRig& rig, const CurvesTets& tets,
                      const std::vector<int>& kept) {
  std::vector<char> in(tets.mesh.tets.size(), 0);
  for (int t : kept) in[t] = 1;
  CurvesTets out;
  std::vector<int> number(tets.surface.vertices.size(), -1);
  for (Tri t : tets.surface.triangles) {
    if (!std::all_of(t.begin(), t.end(), [&](int v) { return in[tets.tet_of[v]] != 0; })) continue;
    for (int& v : t) {
      if (number[v] < 0) {
        number[v] = out.surface.n_vertices();
        out.surface.vertices.push_back(tets.surface.vertices[v]);
        out.source.push_back(tets.source[v]);
      }
      v = number[v];
    }
    out.surface.triangles.push_back(t);
  }
  build_tets(config, out);
  out.edge = tet_edge(out.mesh);
  out.rigged = near_surface(out.mesh, out.surface, boundary_vertices(out.mesh));
  map_tets(config, rig, out);
  return out;
}

}  // namespace supple::pipeline::curves
