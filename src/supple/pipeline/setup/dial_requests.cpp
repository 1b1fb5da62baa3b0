#include "supple/pipeline/setup/dial_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/scene/consistency.h"
#include "supple/scene/looks.h"

namespace supple::pipeline {

namespace {

// A dial is a ratio or a value itself; a region's stands in place of that of [controls].
struct Dial {
  double ratio = 1;
  std::optional<double> value;
  std::string key;  // of the value
};
Dial dial_of(const char* name, const char* value_name, int region, std::optional<double> region_ratio,
             std::optional<double> region_value, double ratio, std::optional<double> value) {
  const std::string prefix = region_ratio || region_value ? fmt::format("region.{}.", region) : "controls.";
  Dial d{.ratio = region_ratio.value_or(ratio), .value = region_value ? region_value : value, .key = prefix};
  if (region_ratio) d.value.reset();
  d.key += d.value ? value_name : name;
  return d;
}

bool sag_is_asked(const SceneConfig& c) {
  const bool region = std::any_of(c.regions.begin(), c.regions.end(),
                                  [](const RegionConfig& r) { return r.sag.value_or(1) != 1 || r.sag_m; });
  return region || c.controls.sag != 1 || c.controls.sag_m || !c.controls.sag_map.empty() ||
         !c.controls.sag_keys.empty();
}

// Whether the body was made to swing as asked, which its stiffness is not when that is given.
bool is_settled(const SceneConfig& c, const Body& body, int region) {
  if (!body.frequencies_met || c.material.youngs_modulus) return false;
  const bool own_ratio = region >= 0 && c.regions[region].frequency.has_value();
  return (region >= 0 && c.regions[region].frequency_hz) || (!own_ratio && c.controls.frequency_hz);
}

PartDials ask_of_part(const SceneConfig& c, const Body& body, const Part& part, int region_index, Notes& notes) {
  const ControlsConfig& k = c.controls;
  const RegionConfig none, &r = region_index >= 0 ? c.regions[region_index] : none;
  const auto too_little = [&](const Dial& d, const std::string& what) {
    notes.warn(fmt::format("{} leaves '{}' as it is: {}", d.key, part.name, what));
  };
  PartDials ask;
  // What the flesh is like comes first, dials turn that.
  const DialRatios look = look_ratios(r.look.empty() ? c.material.look : r.look);
  ask.ratios.amplitude = r.amplitude.value_or(k.amplitude) * look.amplitude;

  const Dial frequency =
      dial_of("frequency", "frequency_hz", region_index, r.frequency, r.frequency_hz, k.frequency, k.frequency_hz);
  ask.ratios.frequency = frequency.ratio * look.frequency;
  if (is_settled(c, body, region_index))
    ask.ratios.frequency = look.frequency;
  else if (frequency.value && part.frequency_hz > 0)
    ask.ratios.frequency = *frequency.value / part.frequency_hz;
  else if (frequency.value)
    too_little(frequency, "it has no natural frequency");
  ask.chi = ask.ratios.frequency;
  ask.own_frequency = r.frequency || (r.frequency_hz && !body.frequencies_met) || !r.look.empty();

  const Dial sag = dial_of("sag", "sag_m", region_index, r.sag, r.sag_m, k.sag, k.sag_m);
  ask.ratios.sag = sag.ratio * look.sag;
  if (sag.value && std::isnan(part.sag_m))
    throw InputError(c.locate(sag.key), "no equilibrium was found under gravity, so the sag cannot be set",
                     "raise material.youngs_modulus, or use the ratio sag");
  if (sag.value && part.sag_m > 0)
    ask.ratios.sag = *sag.value / part.sag_m;
  else if (sag.value && gravity_of(c.world) != Vec3::Zero())
    too_little(sag, "it does not sag");

  const Dial settle =
      dial_of("half_life", "half_life_s", region_index, r.half_life, r.half_life_s, k.half_life, k.half_life_s);
  ask.ratios.half_life = settle.ratio * look.half_life;
  ask.half_life_s = settle.value;

  ask.base_half_life_s = half_life_of(c.material);
  if (body.half_life.size() > 0 && !part.vertices.empty()) {
    double sum = 0;
    for (int v : part.vertices) sum += body.half_life[v];
    ask.base_half_life_s = sum / static_cast<double>(part.vertices.size());
  }
  if (r.stiffness_damping || !ask.base_half_life_s)
    ask.given_damping = r.stiffness_damping.value_or(c.material.stiffness_damping.value_or(0));
  return ask;
}

// What was found for each part. What belongs to none is told: it was found for other tets, or for other dials.
std::vector<Scalings> tuned_of(const SceneConfig& c, const Parts& parts, Notes& notes) {
  std::vector<Scalings> out(parts.list.size());
  for (size_t k = 0; k < c.tuned.size(); ++k) {
    const TunedConfig& t = c.tuned[k];
    const auto part =
        std::find_if(parts.list.begin(), parts.list.end(), [&](const Part& p) { return p.name == t.part; });
    if (part == parts.list.end())
      notes.warn(fmt::format("tuned: there is no part '{}' any more; tune the scene again", t.part));
    else
      out[static_cast<size_t>(part - parts.list.begin())] = {t.chi, t.mu, t.ck, t.epsilon};
  }
  return out;
}

}  // namespace

bool DialRequests::mapped() const { return any_map(maps); }

DialRatios DialRequests::map_on_tet(int t) const {
  const auto at = [&](int k) { return maps[k].empty() ? 1 : maps[k].tet[t]; };
  return {at(0), at(1), at(2), at(3)};
}

DialRatios DialRequests::map_on_vertex(int v) const {
  const auto at = [&](int k) { return maps[k].empty() ? 1 : maps[k].vertex[v]; };
  return {at(0), at(1), at(2), at(3)};
}

AskedValues asked_values(const SceneConfig& c, const std::string& part) {
  const std::string name = part.substr(0, part.find(", "));
  const RegionConfig* r = region_named(c, name);
  if (!r) r = region_named(c, name.substr(0, name.rfind(" (")));
  const ControlsConfig& k = c.controls;
  AskedValues v{k.frequency_hz, k.half_life_s, k.sag_m};
  if (!r) return v;
  if (r->frequency || r->frequency_hz) v.frequency_hz = r->frequency_hz;
  if (r->half_life || r->half_life_s) v.half_life_s = r->half_life_s;
  if (r->sag || r->sag_m) v.sag_m = r->sag_m;
  return v;
}

DialRequests read_dial_requests(const SceneConfig& c, const Body& body, const Parts& parts, const RegionGroups& regions,
                                const DialMaps& maps, Notes& notes) {
  const TetMesh& mesh = body.spec.mesh;
  // Scenes made in code have not been through the loader.
  std::vector<InputError> problems;
  check_raw(c, problems);
  if (!problems.empty()) throw problems.front();

  DialRequests asked;
  asked.sustained = c.controls.motion == "sustained";
  for (const Part& part : parts.list) {
    // Fragments have no numbers of their own to aim at.
    if (part.shared && !asked.parts.empty()) {
      asked.parts.push_back(asked.parts[0]);
    } else {
      asked.parts.push_back(ask_of_part(c, body, part, part.group >= 0 ? regions.region[part.group] : -1, notes));
    }
  }
  for (size_t g = 0; g < regions.region.size(); ++g)
    if (regions.region[g] >= 0 && std::none_of(parts.list.begin(), parts.list.end(),
                                               [&](const Part& p) { return p.group == static_cast<int>(g); }))
      notes.warn(fmt::format("region '{}' has fewer than {} free vertices: its dials do nothing",
                             regions.groups.names[g], kSmallestPart));
  if (sag_is_asked(c) && gravity_of(c.world) == Vec3::Zero()) notes.warn("nothing to sag: no gravity");
  asked.maps = maps;
  asked.tuned = tuned_of(c, parts, notes);
  if (c.expert.raw()) {
    const ExpertConfig& e = c.expert;
    asked.raw = {e.chi.value_or(1), e.mu.value_or(1), e.ck.value_or(1), e.inertia_scale.number.value_or(1)};
    if (!e.inertia_scale.file.empty())
      asked.raw_epsilon = vertex_values(c, mesh, e.inertia_scale.file, "expert.inertia_scale", notes);
  }
  return asked;
}

DialFactors read_dial_factors(const SceneConfig& config, double fps, Notes& notes) {
  const ControlsConfig& k = config.controls;
  const auto read = [&](const DialKeys& source, bool zero_allowed) {
    FactorKeys out;
    out.keys = source.keys;
    if (!source.file.empty()) {
      notes.input(source.file);
      out.keys = read_dial_keys(source.file.path, zero_allowed);
    }
    for (auto& key : out.keys) key[0] /= fps;
    return out;
  };
  return {.frequency = read(k.frequency_keys, false),
          .amplitude = read(k.amplitude_keys, true),
          .sag = read(k.sag_keys, true),
          .half_life = read(k.half_life_keys, false)};
}

}  // namespace supple::pipeline
