#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/attach/soft_skin.h"
#include "supple/pipeline/character/flesh_body.h"
#include "supple/pipeline/character/flesh_entries.h"
#include "supple/pipeline/character/flesh_plan.h"
#include "supple/pipeline/character/flesh_swing.h"

namespace supple::pipeline {

namespace {

// Of flesh beside what is held: how much softer or stiffer it is made, and how much more it is thrown, to give way as
// before. Slivers would need more.
constexpr double kSoftest = 0.25, kStiffest = 4.0 / 3, kMostThrown = 2;

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
    body.inertia = inertia_for_swings(config, flesh, Model(std::move(about)), soft_skin(spec.mesh, flesh, c.blend), regions,
                                      of_region);
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
  const SwingGroups groups = swing_groups(held, soft_skin(body.spec.mesh, c.flesh, c.blend), regions,
                                          flesh_of(body.flesh, regions, pieces));
  if (groups.entries.empty()) return;
  const std::vector<double> wanted = given_way(Model(whole.spec), groups, whole.inertia, solver);
  scale_pieces(pieces, lost(pieces, groups, wanted, given_way(held, groups, whole.inertia, solver)), c.flesh, body);
  std::vector<SwayRegion> own = groups.regions;
  for (SwayRegion& r : own) r.weight = r.weight.cwiseProduct(whole.inertia);
  const GivingWay way(Model(body.spec), own, solver);
  const std::vector<double> more = way.inertia_for(wanted, std::vector<double>(wanted.size(), kMostThrown),
                                                   std::vector<double>(wanted.size(), std::nan("")));
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
