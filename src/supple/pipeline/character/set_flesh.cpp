#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "supple/attach/soft_skin.h"
#include "supple/pipeline/character/flesh_body.h"
#include "supple/pipeline/character/flesh_entries.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/character/flesh_swing.h"

namespace supple::pipeline {

namespace {

constexpr int kStiffnessRounds = 4;
constexpr double kStiffnessStep = 0.8, kMostStiffened = 4;
// Of flesh beside what is held: how much softer or stiffer it is made, and how much more it is thrown, to give way as
// before. Slivers would need more.
constexpr double kSoftest = 0.25, kStiffest = 4.0 / 3, kMostThrown = 2;

// How much each region of a body gives way under an even pull, by its entry of [[flesh]].
std::map<std::string, double> softness_of_regions(const SwingGroups& groups, const Model& model,
                                                  const std::string& linear_solver) {
  const GivingWay way(model, groups.regions, linear_solver);
  const std::vector<double> shares = way.shares(std::vector<double>(groups.entries.size(), 1));
  std::map<std::string, double> out;
  for (size_t e = 0; e < shares.size(); ++e) out[groups.entries[e]->bone] = shares[e];
  return out;
}

// What [[flesh]] says about the tets that it was found on.
std::map<std::string, double> planned_softness(const SceneConfig& config, const CharacterSetup& c,
                                               const std::vector<FleshConfig>& flesh) {
  const Planning on = planning_flesh(config, c);
  SceneConfig own = config;  // maps of the tets that are simulated do not fit these
  own.material.youngs_modulus_map = own.material.density_map = own.material.stiffness_damping_map = {};
  Notes unheard;
  Body body = flesh_body(own, on.mesh, on.flesh, unheard);
  const Model bound(body.spec);
  const Parts pieces = split_into_parts(bound), regions = regions_of(config, on.flesh, bound);
  const std::vector<const FleshConfig*> of_region = flesh_of(flesh, regions, pieces);
  const Calibration reached =
      calibrate(body, on.flesh, pieces, frequencies_of(pieces, regions, of_region), false, config.solver.linear);
  return softness_of_regions(swing_groups(*reached.model, on.skin, regions, of_region), *reached.model,
                             config.solver.linear);
}

// Tets of another size are stiffer in one part of a body and softer in the next, whatever the slowest swing of it all.
// Each region is made as stiff as it is where its numbers were found: then it swings at the same frequencies.
void stiffen_as_planned(const SceneConfig& config, const CharacterSetup& c, const Flesh& flesh, const Parts& regions,
                        const std::vector<const FleshConfig*>& of_region, Body& body) {
  const std::map<std::string, double> planned = planned_softness(config, c, body.flesh);
  const SoftSkin skin = soft_skin(body.spec.mesh, flesh, c.blend);
  std::vector<double> total(regions.list.size(), 1);
  for (int round = 0; round < kStiffnessRounds; ++round) {
    const Model model(body.spec);
    const SwingGroups groups = swing_groups(model, skin, regions, of_region);
    const std::map<std::string, double> now = softness_of_regions(groups, model, config.solver.linear);
    std::vector<double> stiffer(regions.list.size(), 1);
    for (size_t k = 0; k < stiffer.size(); ++k) {
      if (groups.of_part[k] < 0) continue;
      const std::string& name = groups.entries[static_cast<size_t>(groups.of_part[k])]->bone;
      const auto wanted = planned.find(name);
      if (wanted == planned.end() || !(wanted->second > 0) || !(now.at(name) > 0)) continue;
      const double step = std::pow(now.at(name) / wanted->second, kStiffnessStep);
      const double next = std::clamp(total[k] * step, 1 / kMostStiffened, kMostStiffened);
      stiffer[k] = next / total[k], total[k] = next;
    }
    const VecX field = smooth_on_vertices(body.spec.mesh, regions, stiffer);
    for (size_t t = 0; t < body.spec.per_tet.size(); ++t) {
      if (regions.of_tet[t] < 0) continue;
      double mean = 0;
      for (const int v : body.spec.mesh.tets[t]) mean += 0.25 * field[v];
      body.spec.per_tet[t].youngs_modulus *= mean;
    }
    set_springs(flesh, body);
  }
}

// All of it as [[flesh]] says.
void set_all(const SceneConfig& config, const CharacterSetup& c, const Flesh& flesh, Body& body, Notes& notes) {
  const MaterialConfig& m = config.material;
  ModelSpec& spec = body.spec;
  const Model as_bound(spec);
  const Parts pieces = split_into_parts(as_bound), regions = regions_of(config, flesh, as_bound);
  const std::vector<const FleshConfig*> of_region = flesh_of(body.flesh, regions, pieces);
  std::vector<double> wanted = frequencies_of(pieces, regions, of_region);
  if (m.youngs_modulus) std::fill(wanted.begin(), wanted.end(), 0);
  const bool authored = config.surface.rest == "authored";
  const Points bound = spec.mesh.vertices;
  if (!m.youngs_modulus && !authored && !is_planning_cage(config, c)) {
    calibrate(body, flesh, pieces, wanted, false, config.solver.linear);
    stiffen_as_planned(config, c, flesh, regions, of_region, body);
  }
  const Calibration reached = calibrate(body, flesh, pieces, wanted, authored, config.solver.linear);
  notes.warn(reached.warnings);
  if (authored) body.hanging = flatten(bound) - flatten(spec.mesh.vertices);

  body.swing_rate = swing_rates(pieces, reached.frequency_hz);
  if (!has_damping(m)) {
    std::vector<double> half_life;
    for (const FleshConfig* f : of_region) half_life.push_back(f ? f->half_life_s.value_or(0.2) : 0.2);
    body.half_life = smooth_on_vertices(spec.mesh, regions, half_life);
  }
  if (m.inertia) {
    body.inertia = VecX::Constant(spec.mesh.n_vertices(), *m.inertia);
  } else {
    ModelSpec about = reached.model->spec();
    about.mesh.vertices = bound;
    body.inertia = inertia_for_swings(config, flesh, Model(std::move(about)), soft_skin(spec.mesh, flesh, c.blend),
                                      regions, of_region);
  }
}

// How far each region gives way under the inertia that the whole body feels, as a share of its reach.
std::vector<double> given_way(const Model& model, const SwingGroups& groups, const VecX& inertia,
                              const std::string& linear_solver) {
  std::vector<SwayRegion> regions = groups.regions;
  for (SwayRegion& r : regions) r.weight = &r == &regions.front() ? inertia : VecX::Zero(inertia.size());
  return GivingWay(model, regions, linear_solver).shares(std::vector<double>(regions.size(), 1));
}

// Per piece by how much less it gives way than it did, over what it has of each region.
std::vector<double> lost(const Parts& pieces, const SwingGroups& groups, const std::vector<double>& before,
                         const std::vector<double>& now) {
  std::vector<double> logs(pieces.list.size(), 0), count(pieces.list.size(), 0);
  for (size_t e = 0; e < groups.entries.size(); ++e)
    for (const int v : groups.vertices[e]) {
      const int k = pieces.of_vertex[static_cast<size_t>(v)];
      if (k < 0 || !(before[e] > 0) || !(now[e] > 0)) continue;
      logs[static_cast<size_t>(k)] += std::log(now[e] / before[e]), count[static_cast<size_t>(k)] += 1;
    }
  for (size_t k = 0; k < logs.size(); ++k)
    logs[k] = count[k] > 0 ? std::clamp(std::exp(logs[k] / count[k]), kSoftest, kStiffest) : 1;
  return logs;
}

// What is held around flesh stiffens it. Stiffness and inertia are fields that were found on the whole body; they are
// changed by what it takes that the flesh gives way, and so swings, as it did there.
void give_way_as(const SceneConfig& config, const CharacterSetup& c, const Body& whole, Body& body) {
  const std::string& solver = config.solver.linear;
  const Model held(body.spec);
  const Parts pieces = split_into_parts(held), regions = regions_of(config, c.flesh, held);
  const SwingGroups groups =
      swing_groups(held, soft_skin(body.spec.mesh, c.flesh, c.blend), regions, flesh_of(body.flesh, regions, pieces));
  if (groups.entries.empty()) return;
  std::vector<double> wanted = given_way(Model(whole.spec), groups, whole.inertia, solver);
  scale_pieces(pieces, lost(pieces, groups, wanted, given_way(held, groups, whole.inertia, solver)), c.flesh, body);
  // Beside its regions there is flesh under skin that is held: it is thrown as it was.
  std::vector<SwayRegion> own = groups.regions;
  own.push_back(own.front());
  own.back().weight = whole.inertia;
  for (size_t e = 0; e + 1 < own.size(); ++e) {
    own[e].weight = own[e].weight.cwiseProduct(whole.inertia);
    own.back().weight -= own[e].weight;
  }
  std::vector<double> given(own.size(), std::nan(""));
  given.back() = 1;
  wanted.push_back(0);
  const GivingWay way(Model(body.spec), own, solver);
  const std::vector<double> more = way.inertia_for(wanted, std::vector<double>(own.size(), kMostThrown), given);
  body.inertia.setZero();
  for (size_t e = 0; e < own.size(); ++e) body.inertia += more[e] * own[e].weight;
}

}  // namespace

void set_flesh(const SceneConfig& config, const CharacterSetup& c, Body& body, Notes& notes) {
  if (!c.whole) {
    set_all(config, c, c.flesh, body, notes);
    return;
  }
  Notes unheard;
  Body whole = flesh_body(config, c.cage.mesh, *c.whole, unheard);
  whole.flesh = body.flesh;
  SceneConfig bound = config;
  bound.surface.rest.word = "bound";
  set_all(bound, c, *c.whole, whole, notes);
  body.spec.per_tet = whole.spec.per_tet;
  body.half_life = whole.half_life, body.swing_rate = whole.swing_rate, body.inertia = whole.inertia;
  set_springs(c.flesh, body);
  if (!config.material.youngs_modulus && !config.material.inertia) give_way_as(config, c, whole, body);
  if (config.surface.rest != "authored") return;
  const Points hangs = body.spec.mesh.vertices;
  const Parts pieces = split_into_parts(Model(body.spec));
  notes.warn(calibrate(body, c.flesh, pieces, std::vector<double>(pieces.list.size(), 0), true, config.solver.linear)
                 .warnings);
  body.hanging = flatten(hangs) - flatten(body.spec.mesh.vertices);
}

}  // namespace supple::pipeline
