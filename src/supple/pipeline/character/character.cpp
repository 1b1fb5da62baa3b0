#include "supple/pipeline/character/character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/anim/test_clip.h"
#include "supple/anim/test_motion.h"
#include "supple/base/digest.h"
#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/rest_shape.h"
#include "supple/pipeline/character/scale.h"
#include "supple/pipeline/character/stages.h"

namespace supple::pipeline {

void weld_skin(CharacterSetup& c) {
  std::vector<char> wanted(static_cast<size_t>(c.drawn.n_vertices()), 0);
  for (const Piece& piece : c.pieces)
    if (piece.role == Role::soft)
      for (int v : piece.vertices) wanted[v] = 1;
  const int n = weld(c.drawn, wanted, c.skin_of);
  c.skin_source.assign(static_cast<size_t>(n), -1);
  for (int v = 0; v < c.drawn.n_vertices(); ++v)
    if (c.skin_of[v] >= 0 && c.skin_source[c.skin_of[v]] < 0) c.skin_source[c.skin_of[v]] = v;
  for (int v : c.skin_source) c.skin.vertices.push_back(c.drawn.vertices.rest[v]);
  for (const Piece& piece : c.pieces) {
    if (piece.role != Role::soft) continue;
    for (int t : piece.triangles) {
      Tri tri = c.drawn.triangles[t];
      for (int& v : tri) v = c.skin_of[v];
      if (tri[0] != tri[1] && tri[1] != tri[2] && tri[2] != tri[0]) c.skin.triangles.push_back(tri);
    }
  }
}

Places places_of(const SceneConfig& config, const CharacterSetup& c) {
  return {
      config,
      {.character = &c.character, .drawn = &c.drawn, .pieces = &c.pieces, .skin = &c.skin, .source = &c.skin_source}};
}

namespace {

[[noreturn]] void nothing_soft(const SceneConfig& config, const CharacterSetup& c, const std::string& why) {
  std::string list;
  for (const Piece& p : c.pieces) list += fmt::format("\n  {}: {} ({})", p.name, to_string(p.role), p.why);
  throw InputError(
      {.file = config.surface.file.text}, "nothing of it is soft: " + why,
      "say what is with [[part]] match = \"...\" role = \"soft\", or paint it and name the map in [attach] "
      "soft. Its pieces:" +
          list);
}

// The preset whose tets decide what is flesh, whatever is simulated.
constexpr const char* kReferencePreset = "final";

// Returns what the tets are made of.
std::string make_tets(const SceneConfig& config, CharacterSetup& c, StagesFound& found) {
  CageStage made = cage_stage(c.skin, cage_options_of(config.tets), found);
  c.blend = config.tets.smooth ? blend_stage(made, c.skin, found) : made.cage.surface;
  c.cage = std::move(made.cage);
  c.cage_report = std::move(made.report);
  c.warnings.insert(c.warnings.end(), c.cage_report.warnings.begin(), c.cage_report.warnings.end());
  return made.key + (config.tets.smooth ? " smooth" : " plain");
}

// Preview and final are to be soft in the same places, so one cage decides where.
void find_flesh_in_cage(const SceneConfig& config, FleshInput input, const FleshOptions& options,
                        const std::vector<NamedRegion>& named, const std::vector<Pose>& rest_poses,
                        const std::string& tets_key, StagesFound& found, CharacterSetup& c) {
  CageOptions o = cage_options_of(config.tets);
  const std::string said = flesh_key(input, options, named);
  const auto key = [&](const std::string& tets) {
    return said.empty() ? "" : c.key = Digest().add(said).add(tets).text();
  };
  const auto in_these_tets = [&] {
    Flesh flesh = find_flesh(input, options);
    put_regions(named, *input.cage, c.skin, flesh);
    return flesh;
  };
  const Points drawn_rest = drawn_at_rest(config, c);
  const auto put_rest = [&](const TetMesh& cage, const VertexBlend& blend, Flesh& flesh) {
    put_rest_shape(config, c, cage, blend, rest_poses, drawn_rest, flesh);
    if (!c.key.empty()) c.key = Digest().add(c.key).add(flesh.at_rest).text();
  };
  // Vertices that are named belong to these tets alone.
  if (o.preset == kReferencePreset || !c.attached.bound.empty()) {
    c.flesh = flesh_stage(key(tets_key), in_these_tets, found);
    c.flesh.held_points = c.attached.points;
    put_rest(c.cage.mesh, c.blend, c.flesh);
    for (const PointTie& p : c.attached.points)
      if (!c.key.empty()) c.key = Digest().add(c.key).add(p.vertices).add(p.weights).text();
    return;
  }
  o.edge = 0, o.count = 0, o.preset = kReferencePreset;
  const CageStage cage = cage_stage(c.skin, o, found);
  const VertexBlend blend = blend_stage(cage, c.skin, found);
  const FleshInput own = input;
  input.cage = &cage.cage.mesh, input.blend = &blend;
  auto reference = std::make_shared<ReferenceFlesh>();
  reference->mesh = cage.cage.mesh;
  reference->flesh = flesh_stage(key(cage.key), in_these_tets, found);
  c.flesh = flesh_stage(
      key(cage.key + " in " + tets_key), [&] { return carry_flesh(own, reference->flesh, reference->mesh); }, found);
  put_rest(reference->mesh, blend, reference->flesh);
  put_rest(c.cage.mesh, c.blend, c.flesh);
  c.reference = std::move(reference);
}

// A file without clips has the test motion that is asked for as one.
void add_test_clip(const SceneConfig& config, CharacterSetup& c) {
  const std::vector<std::string>& names = test_motion_names();
  if (!c.character.clips.empty() || std::find(names.begin(), names.end(), config.surface.clip) == names.end()) return;
  Points drawn = c.drawn.vertices.rest;
  for (Vec3& x : drawn) x /= c.scale;
  c.character.clips.push_back(make_test_clip(c.character, drawn, config.surface.clip, up_of(config.world)));
}

}  // namespace

double CharacterSetup::size() const { return longest_side(drawn.vertices.rest); }

std::shared_ptr<const CharacterSetup> set_up_character(const SceneConfig& config, const std::string& clip_of_rest) {
  auto made = std::make_shared<CharacterSetup>();
  CharacterSetup& c = *made;
  c.character = read_character_file(config);
  c.cached = !config.surface.cache.empty();
  c.warnings = c.character.warnings;
  c.scale = scale_of(config, c.character);
  c.drawn = lay_out(c.character, c.scale);
  c.warnings.insert(c.warnings.end(), c.drawn.warnings.begin(), c.drawn.warnings.end());
  add_test_clip(config, c);
  std::vector<Pose> poses, rest_poses;
  std::vector<ClipPoses> clip_poses;
  if (c.character.clips.empty()) poses.push_back(rest_pose(c.character, c.drawn));
  // What is soft is the same for every clip that is asked for, and at any frame rate.
  for (const Clip& clip : c.character.clips) {
    // A test motion moves all as one, which tells nothing of it.
    if (clip.is_test) {
      poses.push_back(rest_pose(c.character, c.drawn));
      continue;
    }
    const double fps = keyed_rate_of(config, clip);
    const std::vector<Pose> keyed = frames_of(c.character, c.drawn, clip, fps).poses;
    clip_poses.push_back({poses.size(), keyed.size(), fps});
    poses.insert(poses.end(), keyed.begin(), keyed.end());
  }
  if (!c.character.clips.empty() && config.surface.rest.frame >= 0) {
    const Clip& clip = find_clip(c.character, clip_of_rest);
    const ClipFrames f = frames_of(c.character, c.drawn, clip, rate_of(config, clip));
    rest_poses = f.poses;
    const auto frame = static_cast<size_t>(config.surface.rest.frame);
    if (frame < f.times.size()) c.rest_clip = clip.name, c.rest_time = f.times[frame];
  }
  if (rest_poses.empty()) rest_poses = poses;
  std::vector<PieceRule> rules;
  for (const PartConfig& part : config.parts) rules.push_back({part.match, role_from_name(part.role)});
  c.pieces = find_pieces(c.character, c.drawn, poses, rules, c.warnings, clip_poses, up_of(config.world));
  weld_skin(c);
  if (c.skin.triangles.empty()) {
    const bool hard =
        std::all_of(c.pieces.begin(), c.pieces.end(), [](const Piece& p) { return p.role == Role::rigid; });
    nothing_soft(config, c,
                 hard ? "it is hard all over, each piece moving as one, as a machine does"
                      : "every piece is rigid, rides or is ignored");
  }
  StagesFound found;
  const std::string tets_key = make_tets(config, c, found);
  FleshInput input;
  input.drawn = &c.drawn;
  input.pieces = &c.pieces;
  input.poses = &poses;
  input.clips = clip_poses;
  input.up = up_of(config.world);
  input.cage = &c.cage.mesh;
  input.skin = c.skin;
  input.blend = &c.blend;
  input.skin_source = c.skin_source;
  FleshOptions options;
  options.joints = config.attach.joints;
  options.radius = config.attach.radius;
  options.trailing = config.attach.trailing != "off";
  options.trail = config.attach.trail;
  input.morphs_carry = c.cached;
  Places places = places_of(config, c);
  input.kept = places.kept();
  c.attached = find_attached(config, c.cage.mesh, c.scale, c.warnings);
  put_attached(config, c.attached, options);
  const std::vector<NamedRegion>& named = places.regions();
  options.painted = places.softness();
  find_flesh_in_cage(config, input, options, named, rest_poses, tets_key, found, c);
  c.reused = found.all_found();
  c.warnings.insert(c.warnings.end(), c.flesh.warnings.begin(), c.flesh.warnings.end());
  if (std::none_of(c.flesh.softness.begin(), c.flesh.softness.end(), [](double s) { return s > 0; }))
    nothing_soft(config, c, "all of it is too thin, moved by morph targets, planted or beside rigid pieces");
  return made;
}

}  // namespace supple::pipeline
