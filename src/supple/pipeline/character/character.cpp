#include "supple/pipeline/character/character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/anim/test_clip.h"
#include "supple/anim/test_motion.h"
#include "supple/attach/confine.h"
#include "supple/base/digest.h"
#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/rest_shape.h"
#include "supple/pipeline/character/scale.h"
#include "supple/pipeline/setup/character_stages.h"

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

constexpr double kSoftEnough = 0.5;  // of what is asked for: skin that is as soft anyhow is let be

// What of its softness each vertex of skin keeps; empty: all of it, everywhere.
std::vector<double> allowed_softness(const std::vector<double>& asked, const std::vector<char>& kept) {
  std::vector<double> allowed(std::max(asked.size(), kept.size()), 1);
  for (size_t i = 0; i < asked.size(); ++i)
    if (!std::isnan(asked[i])) allowed[i] = std::clamp(asked[i], 0.0, 1.0);
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) allowed[i] = 0;
  if (std::all_of(allowed.begin(), allowed.end(), [](double a) { return a == 1; })) allowed.clear();
  return allowed;
}

// What is asked for where it is more than what skin has by nature; empty: nowhere.
std::vector<double> asked_beyond(const std::vector<double>& asked, const std::vector<double>& has) {
  std::vector<double> more(asked.size(), std::numeric_limits<double>::quiet_NaN());
  bool any = false;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (!(asked[i] > 0) || has[i] >= kSoftEnough * asked[i]) continue;
    more[i] = asked[i], any = true;
  }
  if (!any) more.clear();
  return more;
}

// Softness is a field of the body: what is asked for adds to it and what is held is held in it, and neither changes
// what is beside.
Flesh find_whole_flesh(const FleshInput& input, const FleshOptions& options, const std::vector<double>& asked) {
  Flesh flesh = find_flesh(input, options);
  FleshOptions more = options;
  more.painted = asked_beyond(asked, flesh.skin_softness);
  if (more.painted.empty()) return flesh;
  more.at_least = flesh.softness;
  return find_flesh(input, more);
}

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
std::string make_tets(const SceneConfig& config, const CageOptions& options, CharacterSetup& c, StagesFound& found) {
  CageStage made = cage_stage(c.skin, options, found);
  c.blend = config.tets.smooth ? blend_stage(made, c.skin, found) : made.cage.surface;
  c.cage = std::move(made.cage);
  c.cage_report = std::move(made.report);
  c.warnings.insert(c.warnings.end(), c.cage_report.warnings.begin(), c.cage_report.warnings.end());
  return made.key + (config.tets.smooth ? " smooth" : " plain");
}

constexpr double kEnoughFree = 100;  // tet vertices of flesh that can tell how it bends
constexpr double kMostFiner = 2;     // times finer than the tets would be

int n_free(const Flesh& flesh) {
  return static_cast<int>(std::count_if(flesh.softness.begin(), flesh.softness.end(), [](double s) { return s > 0; }));
}

// Tets for a small area that is left free: as they are elsewhere, and smaller there, so that as much can bend as in a
// body that is free all over. Unchanged where the size of tets was given, or there is enough.
CageOptions finer_where_free(const SceneConfig& config, const CharacterSetup& c) {
  CageOptions o = cage_options_of(config.tets);
  const double n = n_free(c.flesh), enough = std::min<double>(kEnoughFree, n_free(*c.whole));
  if (n <= 0 || n >= enough || o.edge > 0 || o.count > 0) return o;
  for (const Tet& t : c.cage.mesh.tets)
    if (std::any_of(t.begin(), t.end(), [&](int v) { return c.flesh.softness[v] > 0; }))
      for (const auto& [a, b] : {std::pair(0, 1), std::pair(2, 3)})
        for (const double s : {0.25, 0.75})
          o.finer_at.push_back((1 - s) * c.cage.mesh.vertices[t[a]] + s * c.cage.mesh.vertices[t[b]]);
  double sum = 0, count = 0;
  for (const auto& [a, b] : unique_edges(c.cage.mesh.tets))
    if (c.flesh.softness[a] > 0 || c.flesh.softness[b] > 0)
      sum += (c.cage.mesh.vertices[a] - c.cage.mesh.vertices[b]).norm(), count += 1;
  o.finer_edge = sum / count * std::max(std::cbrt(n / enough), 1 / kMostFiner);
  o.edge = c.cage_report.edge, o.preset.clear();
  return o;
}

// What the scene says of softness, on the skin.
struct SaidOfSkin {
  const std::vector<NamedRegion>& named;
  const std::vector<double>& asked;
  const std::vector<double>& allowed;
};

// Preview and final are to be soft in the same places, so one cage decides where.
void find_flesh_in_cage(const SceneConfig& config, FleshInput input, const FleshOptions& options,
                        const SaidOfSkin& said, const std::vector<Pose>& rest_poses, const std::string& tets_key,
                        StagesFound& found, CharacterSetup& c) {
  CageOptions o = cage_options_of(config.tets);
  FleshOptions keyed = options;
  keyed.painted = asked_beyond(said.asked, std::vector<double>(said.asked.size(), 0));
  const std::string whole_key = flesh_key(input, keyed, said.named);
  const auto key = [&](const std::string& tets) {
    return whole_key.empty() ? "" : c.key = Digest().add(whole_key).add(tets).text();
  };
  const auto in_these_tets = [&] {
    Flesh flesh = find_whole_flesh(input, options, said.asked);
    put_regions(said.named, *input.cage, c.skin, flesh);
    return flesh;
  };
  const auto settle = [&](const FleshInput& own, Flesh whole, const TetMesh& found_on) {
    c.flesh = std::move(whole);
    if (!said.allowed.empty()) {
      c.whole = std::make_shared<const Flesh>(std::move(c.flesh));
      c.flesh = confined(own, *c.whole, said.allowed, usual_edge(found_on));
    }
    put_rest_shape(config, c, c.cage.mesh, c.blend, rest_poses, drawn_at_rest(config, c), c.flesh);
    if (!c.key.empty()) c.key = Digest().add(c.key).add(c.flesh.at_rest).text();
  };
  // Vertices that are named belong to these tets alone.
  if (o.preset == kReferencePreset || !c.attached.bound.empty()) {
    Flesh whole = flesh_stage(key(tets_key), in_these_tets, found);
    whole.held_points = c.attached.points;
    settle(input, std::move(whole), c.cage.mesh);
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
  const auto carry = [&](const std::string& tets) {
    Flesh whole = flesh_stage(
        key(cage.key + " in " + tets), [&] { return carry_flesh(own, reference->flesh, reference->mesh); }, found);
    settle(own, std::move(whole), reference->mesh);
  };
  carry(tets_key);
  if (c.whole) {
    const CageOptions finer = finer_where_free(config, c);
    if (!finer.finer_at.empty()) c.finer = true, carry(make_tets(config, finer, c, found));
  }
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
  if (const std::string doubt = doubt_of_height(config); !doubt.empty()) c.warnings.push_back(doubt);
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
  const std::string tets_key = make_tets(config, cage_options_of(config.tets), c, found);
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
  c.attached = find_attached(config, c.cage.mesh, c.scale, c.warnings);
  put_attached(config, c.attached, options);
  Places places = places_of(config, c);
  const std::vector<NamedRegion>& named = places.regions();
  const std::vector<double> asked = places.softness(), allowed = allowed_softness(asked, places.kept());
  find_flesh_in_cage(config, input, options, {named, asked, allowed}, rest_poses, tets_key, found, c);
  c.reused = found.all_found();
  c.warnings.insert(c.warnings.end(), c.flesh.warnings.begin(), c.flesh.warnings.end());
  if (std::none_of(c.flesh.softness.begin(), c.flesh.softness.end(), [](double s) { return s > 0; }))
    nothing_soft(config, c,
                 c.whole ? "all that is flesh is held, by paint, regions, attach.only or attach.hold"
                         : "all of it is too thin, moved by morph targets, planted or beside rigid pieces");
  return made;
}

}  // namespace supple::pipeline
