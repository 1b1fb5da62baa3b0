#include "supple/pipeline/files/check_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "supple/anim/motion_cuts.h"
#include "supple/anim/teleport.h"
#include "supple/io/bvh.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/motion_csv.h"
#include "supple/io/obj.h"
#include "supple/io/point_cache.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/character/clip_motion.h"
#include "supple/pipeline/files/check_scene.h"
#include "supple/report/cuts_json.h"

namespace supple::pipeline {

namespace {

Json box_of(const Points& points, std::vector<std::string>& lines) {
  Json json;
  if (points.empty()) return json;
  const Box box = bounding_box(points);
  json["low"] = Json::list(std::vector<double>(box.low.data(), box.low.data() + 3));
  json["high"] = Json::list(std::vector<double>(box.high.data(), box.high.data() + 3));
  lines.push_back(
      fmt::format("box {:.4g} x {:.4g} x {:.4g}, in file units", box.size().x(), box.size().y(), box.size().z()));
  return json;
}

void check_tets(FileCheck& check) {
  const TetMesh mesh = read_tet_mesh(check.file, &check.warnings);
  Json& f = check.facts;
  f["vertices"] = mesh.n_vertices();
  f["tets"] = mesh.n_tets();
  check.lines.push_back(fmt::format("{} vertices, {} tets", mesh.n_vertices(), mesh.n_tets()));
  f["regions"] = Json::list(mesh.region_names);
  if (!mesh.region_names.empty()) check.lines.push_back(fmt::format("regions: {}", fmt::join(mesh.region_names, ", ")));
  std::vector<std::string> maps;
  for (const auto& [name, values] : mesh.tet_maps) maps.push_back(name);
  for (const auto& [name, values] : mesh.vertex_maps) maps.push_back(name);
  f["maps"] = Json::list(maps);
  if (!maps.empty()) check.lines.push_back(fmt::format("maps: {}", fmt::join(maps, ", ")));
  f["box"] = box_of(mesh.vertices, check.lines);
  require_simulable(mesh, check.file);

  const QualityReport q = measure_quality(mesh);
  f["volume"] = q.volume;
  f["edge"] = Json::list(std::vector<double>{q.min_edge, q.mean_edge, q.max_edge});
  f["dihedral_deg"] = Json::list(std::vector<double>{q.min_dihedral_deg, q.max_dihedral_deg});
  f["slivers"] = q.n_slivers;
  f["components"] = q.n_components;
  f["boundary_triangles"] = q.n_boundary_triangles;
  f["unused_vertices"] = q.unused_vertices.size();
  check.lines.push_back(
      fmt::format("edges {:.4g} to {:.4g}, mean {:.4g}; volume {:.4g}", q.min_edge, q.max_edge, q.mean_edge, q.volume));
  check.lines.push_back(fmt::format("dihedral angles {:.1f} to {:.1f} degrees; {} boundary triangles, {} part{}",
                                    q.min_dihedral_deg, q.max_dihedral_deg, q.n_boundary_triangles, q.n_components,
                                    q.n_components == 1 ? "" : "s"));
  if (q.n_slivers > 0)
    check.warnings.push_back(
        fmt::format("{} slivers (an angle below 5 or above 175 degrees) will slow the solver", q.n_slivers));
  if (!q.unused_vertices.empty())
    check.warnings.push_back(fmt::format("{} vertices belong to no tet", q.unused_vertices.size()));
}

// What `supple run` would make of it, short of tets: that is for the run.
void check_character(FileCheck& check) {
  const Character character = read_gltf(check.file);
  check.warnings = character.warnings;
  const Drawn drawn = lay_out(character);
  check.warnings.insert(check.warnings.end(), drawn.warnings.begin(), drawn.warnings.end());
  Json& f = check.facts;
  f["vertices"] = drawn.n_vertices(), f["triangles"] = drawn.triangles.size(), f["bones"] = drawn.bones.size();
  f["morph_targets"] = drawn.vertices.morphs.size();
  check.lines.push_back(fmt::format("{} vertices, {} triangles, {} bones, {} morph targets", drawn.n_vertices(),
                                    drawn.triangles.size(), drawn.bones.size(), drawn.vertices.morphs.size()));
  f["box"] = box_of(drawn.vertices.rest, check.lines);
  Json clips(Json::Array{});
  std::vector<Pose> poses;
  for (const Clip& clip : character.clips) {
    const double fps = frame_rate(clip);
    const ClipFrames frames = frames_of(character, drawn, clip, fps);
    const MotionCuts cuts = find_clip_cuts(character, drawn, frames, frames, true).frames;
    Json one;
    one["name"] = clip.name, one["seconds"] = clip.end - clip.start, one["fps"] = fps, one["cuts"] = json_of(cuts);
    clips.push_back(one);
    check.lines.push_back(
        fmt::format("clip '{}': {:.3g} s at {:g} frames a second", clip.name, clip.end - clip.start, fps));
    if (const std::string leaps = describe_leaps(cuts); !leaps.empty())
      check.warnings.push_back(fmt::format("clip '{}' will be cut at frame {}", clip.name, leaps));
    if (const std::string bridged = describe_bridged(cuts); !bridged.empty())
      check.warnings.push_back(
          fmt::format("frame {} is no part of the motion of clip '{}', which will pass over it", bridged, clip.name));
    poses.insert(poses.end(), frames.poses.begin(), frames.poses.end());
  }
  f["clips"] = clips;
  if (poses.empty()) {
    check.warnings.push_back("there is no clip: nothing moves it");
    poses.push_back(rest_pose(character, drawn));
  }
  Json pieces(Json::Array{});
  for (const Piece& p : find_pieces(character, drawn, poses, {}, check.warnings)) {
    Json one;
    one["name"] = p.name, one["role"] = to_string(p.role), one["why"] = p.why;
    pieces.push_back(one);
    check.lines.push_back(fmt::format("piece '{}': {}, {}", p.name, to_string(p.role), p.why));
  }
  f["pieces"] = pieces;
}

void check_surface(FileCheck& check) {
  if (extension(check.file) != ".obj") return check_character(check);
  const TriMesh mesh = read_obj(check.file);
  std::map<std::pair<int, int>, int> faces_of_edge;
  for (const Tri& t : mesh.triangles)
    for (size_t c = 0; c < 3; ++c) ++faces_of_edge[std::minmax(t[c], t[(c + 1) % 3])];
  size_t open = 0, branching = 0;
  for (const auto& [edge, n] : faces_of_edge) open += n == 1, branching += n > 2;
  Json& f = check.facts;
  f["vertices"] = mesh.n_vertices();
  f["triangles"] = mesh.triangles.size();
  f["open_edges"] = open;
  f["branching_edges"] = branching;
  check.lines.push_back(fmt::format("{} vertices, {} triangles", mesh.n_vertices(), mesh.triangles.size()));
  f["box"] = box_of(mesh.vertices, check.lines);
  if (mesh.vertices.empty()) throw InputError({check.file}, "it holds no vertices");
  if (mesh.triangles.empty()) check.lines.push_back("no faces: a point cloud");
  if (open > 0) check.lines.push_back(fmt::format("{} open edges", open));
  if (branching > 0) check.warnings.push_back(fmt::format("{} edges have more than two faces", branching));
}

void check_cache(FileCheck& check) {
  const PointCache cache = read_point_cache(check.file);
  Json& f = check.facts;
  f["points"] = cache.n_points;
  f["samples"] = cache.n_samples;
  check.lines.push_back(fmt::format("{} points, {} samples", cache.n_points, cache.n_samples));
  if (cache.n_samples == 0 || cache.n_points == 0) throw InputError({check.file}, "it holds no motion");
  Points all = cache.points(0);
  std::vector<VecX> samples;
  std::vector<double> times;
  for (int s = 0; s < cache.n_samples; ++s) {
    samples.push_back(flatten(cache.points(s)));
    times.push_back(s / 24.0);
  }
  f["box"] = box_of(all, check.lines);
  const MotionCuts cuts = find_motion_cuts(samples, times, {.drives_only = true});
  bridge_frames(samples, times, cuts);
  size_t partial = 0;
  for (const std::vector<int>& points : find_jumps(samples, times).partial) partial += points.empty() ? 0 : 1;
  Json::Array at;
  for (int k : cuts.leaps()) at.emplace_back(k + 1);
  f["jumps"] = at;
  f["cuts"] = json_of(cuts);
  f["partial_jumps"] = partial;
  if (const std::string leaps = describe_leaps(cuts); !leaps.empty())
    check.warnings.push_back(fmt::format("the motion will be cut at sample {}", leaps));
  if (const std::string bridged = describe_bridged(cuts); !bridged.empty())
    check.warnings.push_back(fmt::format("sample {} is no part of the motion, which will pass over it", bridged));
  if (partial > 0)
    check.warnings.push_back(fmt::format("single points jump at {} other sample{}", partial, partial == 1 ? "" : "s"));
}

void check_rigid(FileCheck& check) {
  const std::vector<RigidKey> keys = read_motion_csv(check.file);
  make_rigid_track(keys, {Vec3::Zero()});
  check.facts["keys"] = keys.size();
  check.facts["duration_s"] = keys.back().t;
  check.lines.push_back(fmt::format("{} keys up to {:.4g} s", keys.size(), keys.back().t));
}

void check_motion(FileCheck& check) {
  const BvhMotion motion = read_bvh(check.file);
  check.facts["joints"] = motion.joints.size();
  check.facts["frames"] = motion.n_frames;
  check.facts["fps"] = 1 / motion.frame_time;
  check.lines.push_back(fmt::format("{} joints, {} frames at {:.4g} a second", motion.joints.size(), motion.n_frames,
                                    1 / motion.frame_time));
}

}  // namespace

FileCheck check_file(const std::string& path, const Overrides& overrides) {
  FileCheck check;
  check.file = path;
  try {
    const std::string ext = extension(path);
    if (ext != ".toml" && !overrides.empty())
      throw InputError({path}, "it is no scene, so no key can be set", "Leave --set out.");
    if (ext == ".toml") {
      check.kind = "scene";
      check_scene(check, overrides);
    } else if (ext == ".csv") {
      check.kind = "rigid motion";
      check_rigid(check);
    } else {
      switch (require_known_kind(path)) {
        case FileKind::tets:
          check.kind = "tets";
          check_tets(check);
          break;
        case FileKind::surface:
          check.kind = "surface";
          check_surface(check);
          break;
        case FileKind::cache:
          check.kind = "cache";
          check_cache(check);
          break;
        case FileKind::motion:
          check.kind = "motion";
          check_motion(check);
          break;
        case FileKind::unknown:
          break;
      }
    }
  } catch (const InputError& e) {
    check.problems.push_back(e);
  }
  return check;
}

}  // namespace supple::pipeline
