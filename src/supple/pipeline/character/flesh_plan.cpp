#include "supple/pipeline/character/flesh_plan.h"

#include <algorithm>
#include <cmath>

#include "supple/attach/reach.h"
#include "supple/attach/soft_skin.h"
#include "supple/pipeline/character/flesh_body.h"
#include "supple/pipeline/character/flesh_entries.h"
#include "supple/pipeline/character/plan_bytes.h"
#include "supple/pipeline/setup/character_stages.h"
#include "supple/pipeline/setup/stage_cache.h"
#include "supple/scene/looks.h"
#include "supple/scene/write_scene.h"
#include "supple/tune/carried_motion.h"
#include "supple/tune/mirrored_parts.h"

namespace supple::pipeline {

namespace {

constexpr double kLongestHalfLife = 0.35;  // [s] slow flesh too is to stand soon
constexpr double kMostPlanned = 6;  // inertia: flesh that hardly gives way beside the rest is not driven to go as far

// What trails: as long as kLongTail heights, or shorter and faster in proportion.
struct Manner {
  double slowest_hz, fastest_hz, half_life_periods, inertia;
};
constexpr Manner kDrag{0.7, 2, 0.175, 0.4}, kBounce{1.2, 2.5, 0.48, 0.5};
constexpr double kLongTail = 0.4;

const Manner& manner_of(const SceneConfig& config) { return config.attach.trailing == "bounce" ? kBounce : kDrag; }

bool trails(const Flesh& flesh, const Part& region) {
  const auto g = static_cast<size_t>(region.group);
  return region.group >= 0 && g < flesh.regions.size() && flesh.regions[g].trailing;
}

// Of each piece, whether most of it trails.
std::vector<char> trailing_pieces(const Flesh& flesh, const Parts& pieces, const Parts& regions) {
  std::vector<double> share(pieces.list.size(), 0);
  for (const Part& r : regions.list)
    if (!r.vertices.empty() && trails(flesh, r) && pieces.of_vertex[r.vertices[0]] >= 0)
      share[static_cast<size_t>(pieces.of_vertex[r.vertices[0]])] += r.mass;
  std::vector<char> out;
  for (size_t k = 0; k < share.size(); ++k) out.push_back(share[k] > 0.5 * pieces.list[k].mass);
  return out;
}

constexpr const char* kPlanningPreset = "preview";

bool same(const CageOptions& a, const CageOptions& b) {
  return a.preset == b.preset && a.edge == b.edge && a.count == b.count && a.graded == b.graded &&
         a.keep_apart == b.keep_apart;
}

// The frequency that suits each piece, by where its slowest swing is; 0: leave it.
std::vector<double> suitable_frequencies(const SceneConfig& config, const Planning& on, const Parts& pieces,
                                         const std::vector<char>& trailing, const std::vector<PieceSwing>& swings) {
  std::vector<double> wanted(pieces.list.size(), 0);
  if (config.material.youngs_modulus) return wanted;
  const std::vector<double> way = distance_from_root(on.mesh, on.flesh);
  const Manner& manner = manner_of(config);
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (swings[k].frequency_hz <= 0) continue;
    double length = 0;
    for (int v : pieces.list[k].vertices) length = std::max(length, way[static_cast<size_t>(v)]);
    wanted[k] = trailing[k] && length > 0 ? std::clamp(manner.slowest_hz * kLongTail * on.flesh.height / length,
                                                       manner.slowest_hz, manner.fastest_hz)
                                          : frequency_for_thickness(2 * swings[k].half_thickness);
  }
  even_out(mirrored_parts(on.mesh, pieces, up_of(config.world)), wanted);
  return wanted;
}

double half_life_for(double frequency_hz, bool trailing, const Manner& manner) {
  return trailing ? manner.half_life_periods / frequency_hz : std::min(kUsualPeriods / frequency_hz, kLongestHalfLife);
}

// One entry a name, of the heaviest part that has it.
std::vector<FleshConfig> entries_of(const SceneConfig& config, const Parts& regions, const Parts& pieces,
                                    const std::vector<char>& trailing, const std::vector<double>& frequency_hz) {
  std::vector<FleshConfig> plan;
  for (const Part& r : regions.list) {
    const bool known = std::any_of(plan.begin(), plan.end(), [&](const FleshConfig& f) { return f.bone == r.name; });
    if (known || r.vertices.empty()) continue;
    const auto piece = static_cast<size_t>(pieces.of_vertex[r.vertices[0]]);
    if (frequency_hz[piece] <= 0) continue;
    FleshConfig f{.bone = r.name};
    f.frequency_hz = frequency_hz[piece];
    f.half_life_s = has_damping(config.material)
                        ? config.material.half_life_s.value_or(0.2)
                        : half_life_for(frequency_hz[piece], trailing[piece], manner_of(config));
    plan.push_back(f);
  }
  return plan;
}

std::vector<double> swings_of(const GivingWay& way, const Flesh& flesh, const std::vector<double>& inertia) {
  std::vector<double> out;
  for (double share : way.shares(inertia)) out.push_back(share / share_of_swing(1, flesh));
  return out;
}

// How far each entry goes, by its thickness; what trails by how much it feels.
struct Swings {
  std::vector<double> swing, inertia;
};
Swings first_swings(const SceneConfig& config, const Flesh& flesh, const Parts& regions, const SwingGroups& groups,
                    const GivingWay& way) {
  Swings out;
  std::vector<double> wanted, given;
  for (size_t e = 0; e < groups.entries.size(); ++e) {
    wanted.push_back(share_of_swing(usual_swing({}, flesh, percentile(groups.regions[e].reach, 0.5)), flesh));
    bool trailing = false;
    for (size_t k = 0; k < regions.list.size(); ++k)
      trailing = trailing || (groups.of_part[k] == static_cast<int>(e) && trails(flesh, regions.list[k]));
    given.push_back(trailing ? manner_of(config).inertia : std::numeric_limits<double>::quiet_NaN());
  }
  out.inertia = way.inertia_for(wanted, std::vector<double>(wanted.size(), kMostPlanned), given);
  out.swing = swings_of(way, flesh, out.inertia);
  return out;
}

// Entries whose parts are mirror images of each other.
std::vector<int> mirrored_entries(const SceneConfig& config, const TetMesh& mesh, const Parts& regions,
                                  const SwingGroups& groups) {
  std::vector<int> out(groups.entries.size(), -1);
  const std::vector<int> part = mirrored_parts(mesh, regions, up_of(config.world));
  for (size_t k = 0; k < part.size(); ++k) {
    const int a = groups.of_part[k], b = part[k] < 0 ? -1 : groups.of_part[static_cast<size_t>(part[k])];
    if (a >= 0 && b >= 0 && a != b) out[static_cast<size_t>(a)] = b, out[static_cast<size_t>(b)] = a;
  }
  return out;
}

VecX shares_in_tets(const Parts& pieces, const std::vector<PieceSwing>& swings) {
  std::vector<double> of_piece;
  for (const PieceSwing& s : swings) of_piece.push_back(s.in_tets);
  return on_vertices(pieces, of_piece);
}

FleshPlan make_plan(const SceneConfig& config, const CharacterSetup& c) {
  const Planning on = planning_flesh(config, c);
  SceneConfig own = config;  // maps of the tets that are simulated do not fit these
  own.material.youngs_modulus_map = own.material.density_map = {};
  own.material.stiffness_damping_map = {};
  Notes unheard;
  Body body = flesh_body(own, on.mesh, on.flesh, unheard);
  const Model bound(body.spec);
  const Parts pieces = split_into_parts(bound), regions = regions_of(own, on.flesh, bound);
  const std::vector<char> trailing = trailing_pieces(on.flesh, pieces, regions);
  const std::vector<PieceSwing> swings = piece_swings(bound, on.flesh, pieces, config.solver.linear);
  const std::vector<double> wanted = suitable_frequencies(config, on, pieces, trailing, swings);
  const Calibration reached = calibrate(body, on.flesh, pieces, wanted, false, config.solver.linear);

  FleshPlan plan;
  std::vector<double> frequency = reached.frequency_hz;
  for (size_t k = 0; k < frequency.size(); ++k)
    if (wanted[k] > 0) frequency[k] = wanted[k];
  plan.flesh = entries_of(config, regions, pieces, trailing, frequency);
  const Model& model = *reached.model;
  const SwingGroups groups = swing_groups(model, on.skin, regions, flesh_of(plan.flesh, regions, pieces));
  const GivingWay way(model, groups.regions, config.solver.linear);
  Swings chosen = first_swings(config, on.flesh, regions, groups, way);
  const std::vector<int> pairs = mirrored_entries(config, on.mesh, regions, groups);
  even_out(pairs, chosen.inertia);
  chosen.swing = swings_of(way, on.flesh, chosen.inertia);
  const ForecastBody forecast_body{.character = c,
                                   .flesh = on.flesh,
                                   .skin = on.skin,
                                   .model = model,
                                   .parts = regions,
                                   .groups = groups,
                                   .inertia = chosen.inertia,
                                   .swing = chosen.swing,
                                   .swing_rate = swing_rates(pieces, frequency),
                                   .in_tets = shares_in_tets(pieces, swings),
                                   .gives = way.shares_of_points(chosen.inertia)};
  FleshForecast forecast(config, forecast_body);
  const double knee = OutputConfig().limit, more = config.material.swing / MaterialConfig().swing;
  std::vector<double> gain = forecast.gains(knee);
  even_out(pairs, gain);
  const std::vector<double> before = chosen.inertia;
  for (size_t e = 0; e < gain.size(); ++e) chosen.inertia[e] *= gain[e] * more;
  chosen.swing = swings_of(way, on.flesh, chosen.inertia);
  even_out(pairs, chosen.swing);
  // What is kept are the swings, so what is forecast is what runs make of them.
  const std::vector<double> as_run = inertia_for_swings(way, on.flesh, chosen.swing);
  for (size_t e = 0; e < gain.size(); ++e) gain[e] = before[e] > 0 ? as_run[e] / before[e] : 0;
  plan.clips = forecast.clips(gain, knee);
  for (FleshConfig& f : plan.flesh) {
    for (size_t e = 0; e < groups.entries.size(); ++e)
      if (groups.entries[e] == &f) f.swing = chosen.swing[e];
    // A few vertices that only follow here may be more in other tets: they go as the heaviest flesh does.
    if (!f.swing && !chosen.swing.empty()) f.swing = chosen.swing.front();
    if (config.material.youngs_modulus) f.frequency_hz.reset();
    if (has_damping(config.material)) f.half_life_s.reset();
  }
  return plan;
}

// Of the scene, what the flesh of the file depends on: not what some of it is held by, nor how dials are asked for.
std::string plan_key(const SceneConfig& config, const CharacterSetup& c) {
  if (c.key.empty()) return "";
  SceneConfig plain = config;
  plain.controls = {}, plain.output = {}, plain.solver.threads = 0, plain.timeline = {}, plain.surface.clip.clear();
  plain.tets = {}, plain.flesh.clear(), plain.tuned.clear(), plain.surface.rest = {};
  plain.attach.soft.clear(), plain.attach.only.clear(), plain.attach.hold.clear();
  plain.contact = {}, plain.obstacles.clear(), plain.planes.clear(), plain.bodies.clear();
  Digest d = stage_digest();
  d.add(c.key).add(to_toml(plain, ""));
  for (const Clip& clip : c.character.clips) {
    d.add(clip.name).add(clip.start).add(clip.end);
    for (const Channel& channel : clip.channels)
      d.add(channel.node).add(channel.path).add(channel.interpolation).add(channel.times).add(channel.values);
  }
  return d.text();
}

}  // namespace

bool is_planning_cage(const SceneConfig& config, const CharacterSetup& c) {
  // Vertices that are named belong to the tets of the scene alone.
  if (!c.attached.bound.empty()) return true;
  const TetsConfig coarse{.preset = kPlanningPreset};
  return config.tets.smooth && !c.finer && same(cage_options_of(coarse), cage_options_of(config.tets));
}

Planning planning_flesh(const SceneConfig& config, const CharacterSetup& c) {
  const Flesh& whole = c.whole_flesh();
  if (!c.attached.bound.empty()) return {c.cage.mesh, whole, soft_skin(c.cage.mesh, whole, c.blend)};
  const TetsConfig coarse{.preset = kPlanningPreset};
  StagesFound unheard;
  CageStage cage;
  VertexBlend blend;
  if (is_planning_cage(config, c)) {
    cage.cage = c.cage, blend = c.blend;
  } else {
    cage = cage_stage(c.skin, cage_options_of(coarse), unheard), blend = blend_stage(cage, c.skin, unheard);
  }
  const std::vector<Pose> none;
  FleshInput input;
  input.drawn = &c.drawn, input.pieces = &c.pieces, input.poses = &none;
  input.up = up_of(config.world);
  input.cage = &cage.cage.mesh, input.skin = c.skin, input.blend = &blend, input.skin_source = c.skin_source;
  input.morphs_carry = c.cached;
  const Flesh& from = c.reference ? c.reference->flesh : whole;
  const TetMesh& from_mesh = c.reference ? c.reference->mesh : c.cage.mesh;
  Flesh flesh = carry_flesh(input, from, from_mesh);
  SoftSkin skin = soft_skin(cage.cage.mesh, flesh, blend);
  return {cage.cage.mesh, std::move(flesh), std::move(skin)};
}

FleshPlan plan_flesh(const SceneConfig& config, const CharacterSetup& c) {
  FleshPlan plan;
  const std::string key = plan_key(config, c);
  if (!key.empty() && unpack_plan(stage_cache().find("plan", key), plan)) {
    plan.found = true;
    return plan;
  }
  plan = make_plan(config, c);
  if (!key.empty()) stage_cache().keep("plan", key, pack_plan(plan));
  return plan;
}

}  // namespace supple::pipeline
