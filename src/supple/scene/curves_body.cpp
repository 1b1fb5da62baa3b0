#include "supple/scene/curves_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "supple/base/error.h"
#include "supple/io/gltf_read.h"
#include "supple/io/tet_formats.h"
#include "supple/mesh/bvh.h"
#include "supple/mesh/closest_point.h"
#include "supple/mesh/embedding.h"
#include "supple/mesh/quality.h"
#include "supple/rigspace/differenced_rig.h"
#include "supple/scene/character_stages.h"
#include "supple/scene/job.h"
#include "supple/scene/load_body.h"

namespace supple {

namespace {

constexpr double kMeantToCoincide = 1e-5;  // of the size: what files in single precision leave of coinciding vertices
constexpr double kFarOff = 0.5;      // of an edge: vertices of tets so far from the surface are worth a word
constexpr double kMoves = 1e-6;      // of the size, for a usual change of a parameter

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
  const double least = kMoves * rig.size();
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

// How the points of the rig move the rigged vertices.
void map_tets(const SceneConfig& config, int n_points, CurvesTets& out) {
  // What lies near but belongs to other tets has no say.
  std::vector<int> component, surface_parts, target_parts;
  if (connected_components(out.mesh, component) > 1) {
    for (int t : out.tet_of) surface_parts.push_back(component[out.mesh.tets[t][0]]);
    for (int v : out.rigged) target_parts.push_back(component[v]);
  }
  Points targets;
  for (int v : out.rigged) targets.push_back(out.mesh.vertices[v]);
  SurfaceMapFit fit;
  try {
    fit = fit_surface_map(out.surface.vertices, targets, out.edge, surface_parts, target_parts);
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
  out.map = std::move(fit.map);
  for (int& p : out.map.point) p = out.source[p];
  out.map.n_points = n_points;
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
  }
  out.rigged = boundary_vertices(out.mesh);
  out.edge = tet_edge(out.mesh);
  const double size = std::max(rig.size(), longest_side(out.mesh.vertices));
  if (!config.tets.file.empty()) snap(out.surface.vertices, out.rigged, size, out.mesh);
  map_tets(config, rig.rig->n_points(), out);
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
  map_tets(config, rig.rig->n_points(), out);
  return out;
}

CroppedTets crop_tets(const CurvesTets& tets, const RigMap& rig, const std::vector<int>& free, int margin,
                      const std::vector<std::pair<VecX, double>>& moments, const Location& where) {
  const size_t n = tets.mesh.vertices.size();
  const double least = kMoves * longest_side(tets.mesh.vertices);
  std::vector<char> moved(tets.rigged.size(), 0), in_reach(n, 0);
  for (const auto& [p, t] : moments) {
    const MatX J = tets.map.apply(rig.jacobian(p, t, free));
    for (size_t k = 0; k < tets.rigged.size(); ++k)
      for (size_t a = 0; a < free.size() && !moved[k]; ++a)
        moved[k] = J.block<3, 1>(3 * static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(a)).norm() *
                       rig.parameters()[static_cast<size_t>(free[a])].unit >
                   least;
  }
  for (size_t k = 0; k < moved.size(); ++k)
    if (moved[k]) in_reach[tets.rigged[k]] = 1;
  if (std::none_of(moved.begin(), moved.end(), [](char c) { return c != 0; }))
    throw InputError(where, "what is free moves nothing of the tets",
                     "free other parameters, or make the pieces that they move soft with [[part]]");
  CroppedTets out;
  const auto touches = [&](const Tet& t) {
    return std::any_of(t.begin(), t.end(), [&](int v) { return in_reach[v] != 0; });
  };
  std::vector<char> kept(tets.mesh.tets.size(), margin == 0);
  for (int ring = 0; ring <= margin && margin > 0; ++ring) {
    for (size_t t = 0; t < kept.size(); ++t) kept[t] = kept[t] || touches(tets.mesh.tets[t]);
    for (size_t t = 0; t < kept.size(); ++t)
      if (kept[t])
        for (int v : tets.mesh.tets[t]) in_reach[v] = 1;
  }
  std::vector<int> number(n, -1);
  for (size_t t = 0; t < kept.size(); ++t) {
    if (!kept[t]) continue;
    out.tet.push_back(static_cast<int>(t));
    for (int v : tets.mesh.tets[t]) number[v] = 0;
  }
  for (size_t v = 0; v < n; ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(out.vertex.size());
    out.vertex.push_back(static_cast<int>(v));
    out.mesh.vertices.push_back(tets.mesh.vertices[v]);
  }
  for (int t : out.tet) {
    Tet tet = tets.mesh.tets[t];
    for (int& v : tet) v = number[v];
    out.mesh.tets.push_back(tet);
  }
  for (const auto& [name, values] : tets.mesh.tet_maps) {
    std::vector<double>& some = out.mesh.tet_maps[name];
    for (int t : out.tet) some.push_back(values[t]);
  }
  out.map.n_points = tets.map.n_points;
  for (size_t k = 0; k < tets.rigged.size(); ++k) {
    if (number[tets.rigged[k]] < 0) continue;
    out.rigged.push_back(number[tets.rigged[k]]);
    out.moved.push_back(moved[k]);
    for (int e = tets.map.first[k]; e < tets.map.first[k + 1]; ++e) {
      out.map.point.push_back(tets.map.point[e]);
      out.map.weight.push_back(tets.map.weight[e]);
    }
    out.map.first.push_back(static_cast<int>(out.map.point.size()));
  }
  return out;
}

ModelSpec curves_model(const SceneConfig& config, const CroppedTets& tets, std::vector<std::string>& warnings) {
  Job job;
  job.config = config;
  Body body;
  body.spec.mesh = tets.mesh;
  set_model_options(config, body.spec);
  set_materials(job, body);
  const auto fill = tets.mesh.tet_maps.find("fill");
  for (size_t t = 0; t < body.spec.per_tet.size() && fill != tets.mesh.tet_maps.end(); ++t) {
    body.spec.per_tet[t].youngs_modulus *= fill->second[t];
    body.spec.per_tet[t].density *= fill->second[t];
  }
  warnings.insert(warnings.end(), job.warnings.begin(), job.warnings.end());
  return std::move(body.spec);
}

}  // namespace supple
