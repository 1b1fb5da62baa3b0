#include "supple/pipeline/places/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "supple/attach/pattern.h"
#include "supple/attach/place_text.h"
#include "supple/base/error.h"
#include "supple/scene/spelling.h"

namespace supple::pipeline {

std::vector<double> Places::painted(const std::string& name, const Location& where, double elsewhere) const {
  if (name.empty()) return {};
  std::vector<double> on_drawn(static_cast<size_t>(on_.drawn->n_vertices()), elsewhere);
  std::vector<std::string> known;
  bool found = false;
  for (const DrawnPrimitive& p : on_.drawn->primitives) {
    const Primitive& source =
        on_.character->meshes[static_cast<size_t>(p.mesh)].primitives[static_cast<size_t>(p.primitive)];
    for (const auto& [map, values] : source.maps)
      if (std::find(known.begin(), known.end(), map) == known.end()) known.push_back(map);
    auto it = source.maps.find(name);
    if (it == source.maps.end()) it = source.maps.find("_" + name);
    if (it == source.maps.end()) continue;
    found = true;
    for (int v = 0; v < p.n_vertices; ++v)
      on_drawn[static_cast<size_t>(p.first_vertex + v)] = std::clamp(it->second[static_cast<size_t>(v)], 0.0, 1.0);
  }
  if (!found) {
    const std::string list = fmt::format("its maps are: {}", fmt::join(known, ", "));
    const std::string near = nearest_word(name, known.data(), known.data() + known.size());
    throw InputError(where, fmt::format("no mesh of the character has a map '{}'", name),
                     known.empty()  ? "it has no painted maps at all: export vertex colours (COLOR_0) or an attribute "
                                      "whose name begins with an underscore (_SOFT)"
                     : near.empty() ? list
                                    : fmt::format("Did you mean {}? {}", near, list));
  }
  std::vector<double> on_skin;
  for (const int v : *on_.source) on_skin.push_back(on_drawn[static_cast<size_t>(v)]);
  return on_skin;
}

const BodyPlan& Places::plan() {
  if (!plan_)
    plan_ = std::make_unique<const BodyPlan>(find_body_plan({.drawn = on_.drawn,
                                                             .pieces = on_.pieces,
                                                             .skin = on_.skin,
                                                             .source = on_.source,
                                                             .up = up_of(config_.world)}));
  return *plan_;
}

const PlaceNames& Places::unnamed() {
  if (!unnamed_)
    unnamed_ = std::make_unique<const PlaceNames>(plan(), *on_.drawn, *on_.source, std::vector<NamedRegion>());
  return *unnamed_;
}

const PlaceNames& Places::names() {
  if (!names_) names_ = std::make_unique<const PlaceNames>(plan(), *on_.drawn, *on_.source, regions());
  return *names_;
}

// A piece of what a bone leads is called after it, with a number: "Head (2)".
bool Places::is_bone(const std::string& name) const {
  const std::string alone = name.substr(0, name.rfind(" ("));
  return std::any_of(on_.drawn->bones.begin(), on_.drawn->bones.end(),
                     [&](const Bone& b) { return b.name == name || b.name == alone; });
}

const std::vector<NamedRegion>& Places::regions() {
  if (regions_) return *regions_;
  std::vector<RegionRule> rules;
  for (size_t k = 0; k < config_.regions.size(); ++k) {
    const RegionConfig& r = config_.regions[k];
    const auto at = [&](const char* key) { return config_.locate(fmt::format("region.{}.{}", k, key)); };
    std::vector<std::string> said = r.bones;
    if (!r.selects()) {
      if (is_bone(r.name) && !r.soft) continue;
      // Without bones it is the whole body that has the name.
      if (on_.drawn->bones.empty() || (on_.drawn->bones.size() == 1 && r.name == "body")) continue;
      said = {r.name};
    }
    RegionRule rule{.name = r.name, .material = r.material, .mesh = r.mesh, .where = at("name")};
    for (const std::string& name : said) {
      const bool bones = std::any_of(on_.drawn->bones.begin(), on_.drawn->bones.end(),
                                     [&](const Bone& b) { return matches(name, b.name); });
      if (bones) {
        rule.bones.push_back(name);
        continue;
      }
      const std::vector<char> on = unnamed().skin_of(name, r.bones.empty() ? at("name") : at("bones"));
      rule.words.resize(on.size(), 0);
      for (size_t i = 0; i < on.size(); ++i) rule.words[i] = rule.words[i] || on[i];
    }
    rule.map = painted(r.map, at("map"));
    for (const std::string& name : names_of(r)) {
      rule.mirrored = name != r.name;
      rule.name = name;
      if (!r.place.empty()) {
        // The other side of a shape is known by the shape, unless something else has a say.
        const bool alone =
            rule.bones.empty() && rule.words.empty() && rule.map.empty() && r.material.empty() && r.mesh.empty();
        rule.place = skin_of_place(plan(), r.place, rule.mirrored && alone, at("place"));
        rule.mirrored = rule.mirrored && !alone;
      }
      rules.push_back(rule);
    }
  }
  regions_ = std::make_unique<const std::vector<NamedRegion>>(
      regions_on_skin(rules, *on_.drawn, *on_.skin, *on_.source, up_of(config_.world)));
  return *regions_;
}

std::vector<char> Places::skin_of(const std::vector<std::string>& list, const std::string& key) {
  std::vector<char> on(on_.skin->vertices.size(), 0);
  for (const std::string& name : list) {
    const std::vector<char> some = names().skin_of(name, config_.locate(key));
    for (size_t i = 0; i < on.size(); ++i) on[i] = on[i] || some[i];
  }
  return on;
}

std::vector<char> Places::kept() {
  std::vector<char> kept;
  if (!config_.attach.only.empty()) {
    kept = skin_of(config_.attach.only, "attach.only");
    for (char& k : kept) k = !k;
  }
  if (config_.attach.hold.empty()) return kept;
  const std::vector<char> held = skin_of(config_.attach.hold, "attach.hold");
  kept.resize(held.size(), 0);
  for (size_t i = 0; i < held.size(); ++i) kept[i] = kept[i] || held[i];
  return kept;
}

std::vector<double> Places::softness() {
  std::vector<double> soft = painted(config_.attach.soft, config_.locate("attach.soft"));
  for (const NamedRegion& n : regions()) {
    const RegionConfig& r = *region_named(config_, n.name);
    if (!r.soft) continue;
    if (soft.empty()) soft.assign(on_.skin->vertices.size(), std::numeric_limits<double>::quiet_NaN());
    for (size_t i = 0; i < soft.size(); ++i)
      if (n.on_skin[i]) soft[i] = *r.soft;
  }
  return soft;
}

}  // namespace supple::pipeline
