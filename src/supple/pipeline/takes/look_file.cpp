#include "supple/pipeline/takes/look_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>

#include "supple/attach/pattern.h"
#include "supple/attach/place_text.h"
#include "supple/base/error.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/character/scale.h"
#include "supple/pipeline/job/job.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace {

// A name but for what differs between rigs of the same kind.
std::string plain(const std::string& name) {
  std::string out;
  const size_t colon = name.rfind(':'), bar = name.rfind('|');
  size_t from = 0;
  if (colon != std::string::npos) from = colon + 1;
  if (bar != std::string::npos) from = std::max(from, bar + 1);
  for (size_t i = from; i < name.size(); ++i)
    if (std::isalpha(static_cast<unsigned char>(name[i])))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  return out;
}

std::vector<std::string> bones_of(const Drawn& drawn) {
  std::vector<std::string> names;
  for (const Bone& b : drawn.bones) names.push_back(b.name);
  return names;
}

// Which of the bones the pattern means, exactly or nearly.
std::vector<std::string> bones_like(const std::string& pattern, const std::vector<std::string>& bones) {
  std::vector<std::string> found;
  for (const std::string& b : bones)
    if (matches(pattern, b)) found.push_back(b);
  const bool simple = pattern.find_first_of("*?") == std::string::npos;
  for (const std::string& b : bones)
    if (found.empty() && simple && plain(pattern) == plain(b) && !plain(b).empty()) found.push_back(b);
  return found;
}

bool empty(const RegionConfig& r) {
  return !r.frequency && !r.amplitude && !r.sag && !r.half_life && r.look.empty() && !r.soft && !r.mix && !r.limit_m &&
         !r.axis;
}

// Everything of a look that a region has, on another.
void dress(const RegionConfig& look, double size, RegionConfig& to) {
  const auto give = [](const auto& from, auto& value) {
    if (from) value = from;
  };
  if (look.frequency) to.frequency_hz.reset();
  if (look.sag) to.sag_m.reset();
  if (look.half_life) to.half_life_s.reset();
  give(look.frequency, to.frequency), give(look.amplitude, to.amplitude), give(look.sag, to.sag);
  give(look.half_life, to.half_life), give(look.soft, to.soft), give(look.mix, to.mix), give(look.axis, to.axis);
  if (!look.look.empty()) to.look = look.look;
  if (look.limit_m) to.limit_m = *look.limit_m * size;
}

}  // namespace

namespace {

// Where a region of a character is on its skin, whichever way the scene says it; empty: nowhere.
std::vector<char> skin_of_region(const CharacterSetup& c, Places& places, const RegionConfig& region) {
  for (const NamedRegion& n : places.regions())
    if (n.name == region.name) return n.on_skin;
  std::vector<char> on(c.skin.vertices.size(), 0);
  for (size_t i = 0; i < on.size(); ++i) {
    const int r = c.flesh.region[static_cast<size_t>(c.cage.tet[i])];
    on[i] = r >= 0 && c.flesh.regions[static_cast<size_t>(r)].name == region.name;
  }
  return on;
}

}  // namespace

SceneConfig look_of(const SceneConfig& scene) {
  SceneConfig out;
  const ControlsConfig& c = scene.controls;
  const Job job = build_job(scene, false);
  const double size = longest_side(job.surface.mesh.vertices);
  out.material.look = scene.material.look;
  out.controls.frequency = c.frequency, out.controls.amplitude = c.amplitude;
  out.controls.sag = c.sag, out.controls.half_life = c.half_life, out.controls.motion = c.motion;
  if (c.frequency_hz && job.body->baseline.frequency_hz > 0)
    out.controls.frequency = *c.frequency_hz / job.body->baseline.frequency_hz;
  if (c.sag_m && job.body->baseline.sag_m > 0) out.controls.sag = *c.sag_m / job.body->baseline.sag_m;
  if (c.half_life_s) out.controls.half_life = *c.half_life_s / job.body->baseline.half_life_s;
  out.output.mix = scene.output.mix, out.output.axis = scene.output.axis;
  out.output.smooth = scene.output.smooth;
  if (scene.output.limit_m) out.output.limit_m = *scene.output.limit_m / size;
  std::shared_ptr<const CharacterSetup> character;
  std::optional<Places> places;
  if (!scene.regions.empty() && drawn_character(scene)) {
    character = set_up_character(scene, scene.surface.clip);
    places.emplace(places_of(scene, *character));
  }
  for (const RegionConfig& r : scene.regions) {
    RegionConfig look;
    look.name = r.name, look.mirror = r.mirror, look.look = r.look;
    // By the shape of the body; names of bones only where that says nothing.
    if (places) look.place = place_text(places->plan(), skin_of_region(*character, *places, r), character->skin);
    if (look.place.empty()) look.bones = r.bones, look.map = r.map, look.material = r.material, look.mesh = r.mesh;
    look.frequency = r.frequency, look.amplitude = r.amplitude, look.sag = r.sag, look.half_life = r.half_life;
    look.soft = r.soft, look.mix = r.mix, look.axis = r.axis;
    if (r.limit_m) look.limit_m = *r.limit_m / size;
    // Either side will do: they are alike.
    const std::vector<std::string> names = names_of(r);
    const auto part = std::find_if(job.body->parts.begin(), job.body->parts.end(), [&](const PartNumbers& p) {
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& n) { return p.name == n || p.name.rfind(n + " ", 0) == 0; });
    });
    if (part == job.body->parts.end() && (r.frequency_hz || r.sag_m || r.half_life_s))
      throw InputError({.file = scene.file}, "region '" + r.name + "' has no free flesh, so its dials have no ratio",
                       "give ratios (frequency, sag, half_life), or leave the region out");
    if (part != job.body->parts.end()) {
      if (r.frequency_hz && part->baseline.frequency_hz > 0)
        look.frequency = *r.frequency_hz / part->baseline.frequency_hz;
      if (r.sag_m && part->baseline.sag_m > 0) look.sag = *r.sag_m / part->baseline.sag_m;
      if (r.half_life_s) look.half_life = *r.half_life_s / part->baseline.half_life_s;
    }
    if (!empty(look)) out.regions.push_back(look);
  }
  if (to_toml(out, "").empty())
    throw InputError({.file = scene.file}, "has no dials, looks or regions to save",
                     "set some in [controls], [material] look or [[region]]");
  return out;
}

void save_look(const SceneConfig& look, const std::string& path) {
  write_text(path,
             "# A look: dials as ratios to the flesh without them; limit_m is a share of the character's size here.\n" +
                 to_toml(look, ""));
}

void save_scene(const SceneConfig& scene, const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  write_text(path, to_toml(scene, folder.empty() ? "." : folder));
}

SceneConfig load_look(const std::string& path) {
  SceneConfig look = load_fragment(path);
  for (const char* table : {"surface.", "tets.", "attach.", "expert.", "part.", "flesh."})
    for (const auto& [key, place] : look.where)
      if (key.rfind(table, 0) == 0)
        throw InputError(place, "a look holds dials, looks and regions, and nothing of a certain character",
                         "make one with: supple look save SCENE.toml -o LOOK.toml");
  return look;
}

namespace {

// What of a character a region of a look is.
class LookMatcher {
 public:
  explicit LookMatcher(const SceneConfig& scene) : scene_(scene) {
    if (const std::optional<Drawn> drawn = drawn_character(scene)) {
      bones_ = bones_of(*drawn);
      size_ = longest_side(drawn->vertices.rest);
      is_character_ = true;
    } else {
      size_ = longest_side(build_job(scene, false).surface.mesh.vertices);
    }
  }
  double size() const { return size_; }

  // Fills `made` with where it is; false: nowhere, and why.
  bool match(const RegionConfig& look, RegionConfig& made, LookMatch& told) {
    if (is_character_ && !look.place.empty()) return by_shape(look, made, told);
    for (const std::string& pattern : look.selects() ? look.bones : std::vector<std::string>{look.name}) {
      std::vector<std::string> found = bones_like(pattern, bones_);
      if (found.empty() && is_character_ && !places().names().find(pattern).empty()) found = {pattern};
      if (found.empty()) told.missing.push_back(pattern);
      for (const std::string& b : found)
        if (std::find(made.bones.begin(), made.bones.end(), b) == made.bones.end()) made.bones.push_back(b);
    }
    told.bones = made.bones;
    told.how = made.bones.empty() ? "nothing of the character has these names" : "by names";
    return !made.bones.empty();
  }

 private:
  bool by_shape(const RegionConfig& look, RegionConfig& made, LookMatch& told) {
    const BodyPlan& plan = places().plan();
    const std::vector<char> on = skin_of_place(plan, look.place, false, {});
    const Drawn& drawn = character_->drawn;
    std::vector<double> inside(drawn.bones.size(), 0), all = inside;
    double soft = 0;
    int n = 0;
    for (size_t i = 0; i < on.size(); ++i) {
      const int v = character_->skin_source[i];
      const SkinWeights& w = drawn.vertices.skin;
      for (int k = w.first[static_cast<size_t>(v)]; k < w.first[static_cast<size_t>(v) + 1]; ++k) {
        all[static_cast<size_t>(w.bone[static_cast<size_t>(k)])] += w.weight[static_cast<size_t>(k)];
        if (on[i]) inside[static_cast<size_t>(w.bone[static_cast<size_t>(k)])] += w.weight[static_cast<size_t>(k)];
      }
      if (on[i]) ++n, soft += character_->flesh.skin_softness[i] > 0;
    }
    if (n == 0) {
      told.how = fmt::format("the body has no {}", look.place.front().substr(0, look.place.front().find(' ')));
      return false;
    }
    made.place = look.place;
    for (size_t b = 0; b < inside.size(); ++b)
      if (all[b] > 0 && inside[b] > 0.25 * all[b]) told.bones.push_back(drawn.bones[b].name);
    told.share = static_cast<double>(n) / static_cast<double>(on.size());
    told.soft = soft / n;
    told.how = fmt::format("by shape: {:.1f} % of the skin, {:.0f} % of it soft", 100 * told.share, 100 * told.soft);
    return true;
  }
  Places& places() {
    if (!places_) {
      character_ = set_up_character(scene_, scene_.surface.clip);
      places_.emplace(places_of(scene_, *character_));
    }
    return *places_;
  }

  const SceneConfig scene_;
  std::vector<std::string> bones_;
  double size_ = 0;
  bool is_character_ = false;
  std::shared_ptr<const CharacterSetup> character_;
  std::optional<Places> places_;
};

}  // namespace

AppliedLook apply_look(const SceneConfig& look, SceneConfig scene) {
  AppliedLook out;
  LookMatcher matcher(scene);
  const double size = matcher.size();
  if (!look.material.look.empty()) scene.material.look = look.material.look;
  const ControlsConfig& c = look.controls;
  if (c.frequency != 1) scene.controls.frequency = c.frequency, scene.controls.frequency_hz.reset();
  if (c.amplitude != 1) scene.controls.amplitude = c.amplitude;
  if (c.sag != 1) scene.controls.sag = c.sag, scene.controls.sag_m.reset();
  if (c.half_life != 1) scene.controls.half_life = c.half_life, scene.controls.half_life_s.reset();
  if (look.output.mix != 1) scene.output.mix = look.output.mix;
  if (look.output.axis) scene.output.axis = look.output.axis;
  if (look.output.smooth != 0) scene.output.smooth = look.output.smooth;
  if (look.output.limit_m) scene.output.limit_m = *look.output.limit_m * size;

  for (const RegionConfig& r : look.regions) {
    LookMatch match{.region = r.name};
    const auto mine = std::find_if(scene.regions.begin(), scene.regions.end(),
                                   [&](const RegionConfig& s) { return s.name == r.name; });
    if (mine != scene.regions.end()) {
      match.how = "by the name of the region", match.bones = mine->bones;
      dress(r, size, *mine);
      out.matches.push_back(match);
      continue;
    }
    RegionConfig made;
    made.name = r.name, made.mirror = r.mirror;
    match.used = matcher.match(r, made, match);
    if (match.used) {
      dress(r, size, made);
      scene.regions.push_back(made);
    }
    out.matches.push_back(match);
  }
  out.scene = std::move(scene);
  return out;
}

}  // namespace supple::pipeline
