#include "supple/pipeline/character/flesh_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/pipeline/character/flesh_body.h"
#include "supple/pipeline/character/flesh_swing.h"
#include "supple/pipeline/setup/dial_requests.h"
#include "supple/tune/carried_motion.h"

namespace supple::pipeline {

namespace {

constexpr double kHalfLifePeriods = 1.25;
constexpr double kStiffer = 1.15;      // times the frequency of flesh that cannot carry its weight...
constexpr int kStifferRounds = 6;      // ...at most so often
constexpr size_t kSamplePoints = 400;  // of a region, that its motion is judged by

// Where a mode has its energy.
double half_thickness_of_mode(const Flesh& flesh, const Model& alone, const std::vector<int>& kept, const VecX& shape) {
  double sum = 0, all = 0;
  for (int v = 0; v < alone.n_vertices(); ++v) {
    const double energy = alone.mass()->per_vertex()[v] * shape.segment<3>(3 * v).squaredNorm();
    sum += energy * flesh.half_thickness[kept[v]], all += energy;
  }
  return all > 0 ? sum / all : 0;
}

// The frequency that suits each piece by where its slowest swing is, away from what shakes it; 0: leave it.
std::vector<double> suitable_frequencies(const SceneConfig& config, const ClipFrames& clip, const Model& model,
                                         const Flesh& flesh, const Parts& pieces) {
  std::vector<double> wanted(pieces.list.size(), 0);
  if (config.material.youngs_modulus) return wanted;
  for (size_t k = 0; k < pieces.list.size(); ++k) {
    const Part& piece = pieces.list[k];
    std::vector<int> kept;
    const Model alone = held_around(model, piece.vertices, &kept);
    const Modes modes = natural_modes(alone, 1, config.solver.linear);
    if (modes.frequencies_hz.size() == 0 || modes.frequencies_hz[0] <= 0) continue;
    const double half = half_thickness_of_mode(flesh, alone, kept, modes.shapes.col(0));
    const CarriedPoints points = carried(clip, flesh.points, some_of(piece.vertices, kSamplePoints));
    const double line = strongest_line(local_accelerations(points), points.fps);
    wanted[k] = move_away(frequency_for_thickness(2 * half), line);
  }
  return wanted;
}

Parts regions_of(const SceneConfig& config, const Model& model) {
  return split_into_parts(model, groups_of_regions(config, model.mesh(), true).groups);
}

// For each part the flesh that the scene has for it: by its region, else that of the heaviest around it.
std::vector<const FleshConfig*> flesh_of(const std::vector<FleshConfig>& flesh, const Parts& regions,
                                         const Parts& pieces) {
  std::map<std::string, const FleshConfig*> by_name;
  for (const FleshConfig& f : flesh) by_name.emplace(f.bone, &f);
  std::vector<const FleshConfig*> of_region(regions.list.size(), nullptr);
  std::map<int, std::pair<double, const FleshConfig*>> heaviest;
  const auto piece_of = [&](const Part& r) { return r.vertices.empty() ? -1 : pieces.of_vertex[r.vertices[0]]; };
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& r = regions.list[k];
    auto it = by_name.find(r.name);
    // Another piece of the same: "Head (2)".
    if (it == by_name.end()) it = by_name.find(r.name.substr(0, r.name.rfind(" (")));
    if (it == by_name.end()) continue;
    of_region[k] = it->second;
    auto& most = heaviest[piece_of(r)];
    if (!most.second || r.mass > most.first) most = {r.mass, it->second};
  }
  for (size_t k = 0; k < regions.list.size(); ++k) {
    if (of_region[k]) continue;
    const auto it = heaviest.find(piece_of(regions.list[k]));
    of_region[k] = it != heaviest.end() ? it->second.second : flesh.empty() ? nullptr : &flesh.front();
  }
  return of_region;
}

// Of all regions of a piece, the frequency of the heaviest that has one.
std::vector<double> frequencies_of(const Parts& pieces, const Parts& regions,
                                   const std::vector<const FleshConfig*>& of_region) {
  std::vector<double> wanted(pieces.list.size(), 0), heaviest(pieces.list.size(), -1);
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& r = regions.list[k];
    if (r.vertices.empty() || !of_region[k] || !of_region[k]->frequency_hz) continue;
    const int piece = pieces.of_vertex[r.vertices[0]];
    if (piece < 0 || r.mass <= heaviest[piece]) continue;
    heaviest[piece] = r.mass, wanted[piece] = *of_region[k]->frequency_hz;
  }
  return wanted;
}

bool has_damping(const MaterialConfig& m) { return m.half_life_s || m.stiffness_damping || m.mass_damping; }

}  // namespace

std::vector<FleshConfig> plan_flesh(const SceneConfig& config, const CharacterSetup& c, const ClipFrames& clip) {
  const Flesh& flesh = c.reference ? c.reference->flesh : c.flesh;
  const TetMesh& mesh = c.reference ? c.reference->mesh : c.cage.mesh;
  SceneConfig own = config;  // maps of the tets that are simulated do not fit these
  own.material.youngs_modulus_map = own.material.density_map = {};
  own.material.stiffness_damping_map = {};
  Notes unheard;
  const Body as_bound = flesh_body(own, mesh, flesh, unheard);
  const Model bound(as_bound.spec);
  const Parts pieces = split_into_parts(bound);
  std::vector<double> wanted = suitable_frequencies(config, clip, bound, flesh, pieces);
  Body body;
  Calibration reached;
  for (int round = 1;; ++round) {
    body = as_bound;
    reached = calibrate(body, flesh, pieces, wanted, config.surface.rest == "authored", config.solver.linear);
    // Flesh that cannot carry its own weight in the shape it was drawn in would not bear being thrown either.
    bool carries = true;
    for (size_t k = 0; k < wanted.size() && body.spec.gravity_scale.size() > 0; ++k) {
      double share = 0;
      for (int v : pieces.list[k].vertices) share += body.spec.gravity_scale[v];
      if (wanted[k] <= 0 || share > 0.999 * static_cast<double>(pieces.list[k].vertices.size())) continue;
      if (wanted[k] * kStiffer > kFastestFlesh) continue;
      wanted[k] *= kStiffer;
      carries = false;
    }
    if (carries || round == kStifferRounds) break;
  }

  // One entry a name, of the heaviest part that has it.
  const Parts regions = regions_of(config, *reached.model);
  std::vector<FleshConfig> plan;
  for (const Part& r : regions.list) {
    const bool known = std::any_of(plan.begin(), plan.end(), [&](const FleshConfig& f) { return f.bone == r.name; });
    if (known || r.vertices.empty()) continue;
    const int piece = pieces.of_vertex[r.vertices[0]];
    const double frequency = wanted[piece] > 0 ? wanted[piece] : reached.frequency_hz[piece];
    if (frequency <= 0) continue;
    FleshConfig f{.bone = r.name};
    f.frequency_hz = frequency;
    f.half_life_s =
        has_damping(config.material) ? config.material.half_life_s.value_or(0.2) : kHalfLifePeriods / frequency;
    if (body.spec.gravity_scale.size() > 0) {
      f.gravity = 0;
      for (int v : r.vertices) f.gravity += body.spec.gravity_scale[v] / static_cast<double>(r.vertices.size());
      f.gravity = std::min(f.gravity, 1.0);
    }
    plan.push_back(f);
  }
  const VecX hanging = flatten(as_bound.spec.mesh.vertices) - flatten(body.spec.mesh.vertices);
  plan_swings(config, clip, flesh, *reached.model, hanging, regions, flesh_of(plan, regions, pieces), plan);
  for (FleshConfig& f : plan) {
    if (config.material.youngs_modulus) f.frequency_hz.reset();
    if (has_damping(config.material)) f.half_life_s.reset();
  }
  return plan;
}

void set_flesh(const SceneConfig& config, const CharacterSetup& c, const ClipFrames& clip, Body& body, Notes& notes) {
  const MaterialConfig& m = config.material;
  ModelSpec& spec = body.spec;
  const Model as_bound(spec);
  const Parts pieces = split_into_parts(as_bound), regions = regions_of(config, as_bound);
  const std::vector<const FleshConfig*> of_region = flesh_of(body.flesh, regions, pieces);
  std::vector<double> wanted = frequencies_of(pieces, regions, of_region);
  if (m.youngs_modulus) std::fill(wanted.begin(), wanted.end(), 0);

  const auto values = [&](const auto& value) {
    std::vector<double> list;
    for (const FleshConfig* f : of_region) list.push_back(f ? value(*f) : 1);
    return smooth_on_vertices(spec.mesh, regions, list);
  };
  const VecX gravity = values([](const FleshConfig& f) { return f.gravity; });
  if (!(gravity.array() == 1).all()) spec.gravity_scale = gravity;
  const bool authored = config.surface.rest == "authored";
  const Points bound = spec.mesh.vertices;
  const Calibration reached = calibrate(body, c.flesh, pieces, wanted, authored, config.solver.linear);
  notes.warn(reached.warnings);
  if (authored) body.hanging = flatten(bound) - flatten(spec.mesh.vertices);

  if (!has_damping(m)) body.half_life = values([](const FleshConfig& f) { return f.half_life_s.value_or(0.2); });
  if (m.inertia) {
    body.inertia = VecX::Constant(spec.mesh.n_vertices(), *m.inertia);
  } else if (config.timeline.test_motion.empty()) {
    const VecX hanging = flatten(bound) - flatten(spec.mesh.vertices);
    body.inertia = inertia_for_swings(config, clip, c.flesh, *reached.model, hanging, regions, of_region);
  }
}

}  // namespace supple::pipeline
