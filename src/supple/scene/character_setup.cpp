#include "supple/scene/character_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/io/gltf_read.h"

namespace supple {

namespace {

double extent_along(const Points& points, const Vec3& up) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& x : points) low = std::min(low, x.dot(up)), high = std::max(high, x.dot(up));
  return points.empty() ? 0 : high - low;
}

double choose_scale(const SceneConfig& config, const Character& character) {
  const SurfaceConfig& s = config.surface;
  if (s.scale) return *s.scale;
  const Points& rest = lay_out(character).vertices.rest;
  const double size = longest_side(rest), height = extent_along(rest, up_of(config.world));
  const auto flat = [&](const char* what) {
    throw InputError({.file = s.file.text}, fmt::format("the character has no {} as it is bound", what),
                     "give surface.scale instead");
  };
  if (s.height && height <= 0) flat("height");
  if (size <= 0) flat("size");
  return s.height ? *s.height / height : kNominalSize / size;
}

// The soft pieces as one welded surface.
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

// A map painted on the character, by the name of the attribute or colour channel, on the skin.
std::vector<double> painted(const SceneConfig& config, const CharacterSetup& c) {
  const std::string& name = config.attach.soft;
  if (name.empty()) return {};
  std::vector<double> on_drawn(static_cast<size_t>(c.drawn.n_vertices()), 0);
  std::vector<std::string> known;
  bool found = false;
  for (const DrawnPrimitive& p : c.drawn.primitives) {
    const Primitive& source = c.character.meshes[p.mesh].primitives[p.primitive];
    for (const auto& [map, values] : source.maps)
      if (std::find(known.begin(), known.end(), map) == known.end()) known.push_back(map);
    auto it = source.maps.find(name);
    if (it == source.maps.end()) it = source.maps.find("_" + name);
    if (it == source.maps.end()) continue;
    found = true;
    for (int v = 0; v < p.n_vertices; ++v) on_drawn[p.first_vertex + v] = std::clamp(it->second[v], 0.0, 1.0);
  }
  if (!found) {
    std::string list;
    for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
    throw InputError(config.locate("attach.soft"), fmt::format("no mesh of the character has a map '{}'", name),
                     list.empty() ? "it has no painted maps at all" : "its maps are: " + list);
  }
  std::vector<double> on_skin;
  for (int v : c.skin_source) on_skin.push_back(on_drawn[v]);
  return on_skin;
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

void make_tets(const SceneConfig& config, CharacterSetup& c) {
  const TetsConfig& t = config.tets;
  CageOptions options{.edge = t.edge.value_or(0),
                      .count = t.count.value_or(0),
                      .preset = t.edge || t.count ? "" : t.preset,
                      .graded = t.graded,
                      .keep_apart = t.keep_apart};
  c.cage = make_cage(c.skin, options, &c.cage_report);
  c.warnings.insert(c.warnings.end(), c.cage_report.warnings.begin(), c.cage_report.warnings.end());
  c.blend = t.smooth ? smooth_blend(c.cage.mesh, c.cage.tet, c.skin.vertices) : c.cage.surface;
}

}  // namespace

ClipFrames frames_of(const Character& character, const Drawn& drawn, const Clip& clip, double fps) {
  ClipFrames f{.fps = fps, .times = {}, .poses = {}};
  // A clip that ends between two frames has its end as last frame.
  const int n = std::max(1, static_cast<int>(std::ceil((clip.end - clip.start) * fps - 1e-3)) + 1);
  for (int k = 0; k < n; ++k) {
    f.times.push_back(std::min(clip.start + k / fps, clip.end));
    f.poses.push_back(pose_at(character, drawn, clip, f.times.back()));
  }
  return f;
}

double CharacterSetup::size() const { return longest_side(drawn.vertices.rest); }

std::shared_ptr<const CharacterSetup> set_up_character(const SceneConfig& config,
                                                       const std::vector<std::string>& clips) {
  auto made = std::make_shared<CharacterSetup>();
  CharacterSetup& c = *made;
  c.character = read_gltf(config.surface.file.path);
  c.warnings = c.character.warnings;
  c.scale = choose_scale(config, c.character);
  c.drawn = lay_out(c.character, c.scale);
  c.warnings.insert(c.warnings.end(), c.drawn.warnings.begin(), c.drawn.warnings.end());
  std::vector<Pose> poses;
  double fps = 24;
  if (c.character.clips.empty()) poses.push_back(rest_pose(c.character, c.drawn));
  for (const std::string& name : clips) {
    const Clip& clip = find_clip(c.character, name);
    fps = config.timeline.fps.value_or(frame_rate(clip));
    const ClipFrames f = frames_of(c.character, c.drawn, clip, fps);
    poses.insert(poses.end(), f.poses.begin(), f.poses.end());
  }
  std::vector<PieceRule> rules;
  for (const PartConfig& part : config.parts) rules.push_back({part.match, role_from_name(part.role)});
  c.pieces = find_pieces(c.character, c.drawn, poses, rules, c.warnings);
  weld_skin(c);
  if (c.skin.triangles.empty()) nothing_soft(config, c, "every piece is rigid, rides or is ignored");
  make_tets(config, c);
  FleshInput input;
  input.drawn = &c.drawn;
  input.pieces = &c.pieces;
  input.poses = &poses;
  input.fps = fps;
  input.up = up_of(config.world);
  input.cage = &c.cage.mesh;
  input.skin = c.skin;
  input.blend = &c.blend;
  input.skin_source = c.skin_source;
  FleshOptions options;
  options.joints = config.attach.joints;
  options.radius = config.attach.radius;
  options.painted = painted(config, c);
  c.flesh = find_flesh(input, options);
  c.warnings.insert(c.warnings.end(), c.flesh.warnings.begin(), c.flesh.warnings.end());
  if (std::none_of(c.flesh.softness.begin(), c.flesh.softness.end(), [](double s) { return s > 0; }))
    nothing_soft(config, c, "all of it is too thin, moved by morph targets, planted or beside rigid pieces");
  return made;
}

}  // namespace supple
