#include "supple/scene/flesh_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/linalg/svd3.h"
#include "supple/scene/asked.h"
#include "supple/scene/flesh_body.h"
#include "supple/scene/job.h"
#include "supple/tune/expected_response.h"

namespace supple {

namespace {

constexpr double kHalfLifePeriods = 1.25;
// An idle is not blown up to a storm, nor is a storm to stand still.
constexpr double kLeastInertia = 1e-3, kMostInertia = 100;
constexpr double kSafeSpin = 0.6;      // of sqrt(inertia) x rate of turning, beside the flesh's own angular frequency
constexpr double kThrownMost = 0.2;    // this share of a piece's vertices leads it...
constexpr double kQuietFlesh = 3;      // ...and none has so many times their inertia
constexpr double kStiffer = 1.15;      // times the frequency of flesh that cannot carry its weight...
constexpr int kStifferRounds = 6;      // ...at most so often
constexpr size_t kSamplePoints = 400;  // of a region, that its motion is judged by

// Where the bones would take some vertices, frame by frame.
CarriedPoints carried(const Job& job, const SkinnedPoints& all, const std::vector<int>& vertices) {
  SkinnedPoints some;
  std::vector<int> place(all.rest.size(), -1);
  for (int v : vertices) {
    place[v] = static_cast<int>(some.rest.size());
    some.rest.push_back(all.rest[v]);
    for (int k = all.skin.first[v]; k < all.skin.first[v + 1]; ++k)
      some.skin.bone.push_back(all.skin.bone[k]), some.skin.weight.push_back(all.skin.weight[k]);
    some.skin.first.push_back(static_cast<int>(some.skin.bone.size()));
  }
  for (const Morph& m : all.morphs) {
    Morph mine{.node = m.node, .target = m.target, .points = {}, .offsets = {}};
    for (size_t i = 0; i < m.points.size(); ++i)
      if (place[m.points[i]] >= 0) mine.points.push_back(place[m.points[i]]), mine.offsets.push_back(m.offsets[i]);
    some.morphs.push_back(std::move(mine));
  }
  CarriedPoints out{.fps = job.fps, .positions = {}, .rotations = {}};
  for (const Pose& pose : job.clip.poses) {
    out.positions.push_back(flatten(posed(some, pose)));
    std::vector<Quat> turns;
    for (const Mat3& m : posed_frames(some, pose)) turns.emplace_back(polar3(m).R);
    out.rotations.push_back(std::move(turns));
  }
  return out;
}

std::vector<int> some_of(const std::vector<int>& vertices, size_t most) {
  std::vector<int> some;
  const double step = std::max(1.0, static_cast<double>(vertices.size()) / static_cast<double>(most));
  for (double at = 0; at < static_cast<double>(vertices.size()); at += step)
    some.push_back(vertices[static_cast<size_t>(at)]);
  return some;
}

double mean_half_thickness(const Flesh& flesh, const std::vector<int>& vertices) {
  double sum = 0;
  for (int v : vertices) sum += flesh.half_thickness[v];
  return vertices.empty() ? 0 : sum / static_cast<double>(vertices.size());
}

// Where a mode has its energy.
double half_thickness_of_mode(const Flesh& flesh, const Model& alone, const std::vector<int>& kept, const VecX& shape) {
  double sum = 0, all = 0;
  for (int v = 0; v < alone.n_vertices(); ++v) {
    const double energy = alone.mass()->per_vertex()[v] * shape.segment<3>(3 * v).squaredNorm();
    sum += energy * flesh.half_thickness[kept[v]], all += energy;
  }
  return all > 0 ? sum / all : 0;
}

// The rate [1/s] that points turn at and nearly never exceed.
double fastest_spin(const CarriedPoints& points) {
  std::vector<double> rates;
  for (size_t f = 1; f < points.rotations.size(); ++f)
    for (size_t i = 0; i < points.rotations[f].size(); ++i)
      rates.push_back(points.rotations[f][i].angularDistance(points.rotations[f - 1][i]) * points.fps);
  return percentile(std::move(rates), 0.98);
}

// Flesh that is quiet itself is shaken by what it is joined to: no region may have much more inertia than those of its
// piece that are thrown most.
void calm_down(const Parts& pieces, const Parts& regions, std::vector<double>& inertia) {
  std::map<int, std::vector<double>> of_piece;
  const auto piece_of = [&](const Part& region) {
    return region.vertices.empty() ? -1 : pieces.of_vertex[region.vertices[0]];
  };
  for (size_t k = 0; k < regions.list.size(); ++k) {
    std::vector<double>& list = of_piece[piece_of(regions.list[k])];
    list.insert(list.end(), regions.list[k].vertices.size(), inertia[k]);
  }
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const double low = percentile(of_piece[piece_of(regions.list[k])], kThrownMost);
    if (low > 0) inertia[k] = std::min(inertia[k], kQuietFlesh * low);
  }
}

// The frequency that suits each piece by where its slowest swing is, away from what shakes it; 0: leave it.
std::vector<double> suitable_frequencies(const Job& job, const Body& body, const Flesh& flesh, const Parts& pieces) {
  std::vector<double> wanted(pieces.list.size(), 0);
  if (job.config.material.youngs_modulus) return wanted;
  const Model model(body.spec);
  for (size_t k = 0; k < pieces.list.size(); ++k) {
    const Part& piece = pieces.list[k];
    std::vector<int> kept;
    const Model alone = held_around(model, piece.vertices, &kept);
    const Modes modes = natural_modes(alone, 1, job.config.solver.linear);
    if (modes.frequencies_hz.size() == 0 || modes.frequencies_hz[0] <= 0) continue;
    const double half = half_thickness_of_mode(flesh, alone, kept, modes.shapes.col(0));
    const double line = strongest_line(
        local_accelerations(carried(job, flesh.points, some_of(piece.vertices, kSamplePoints))), job.fps);
    wanted[k] = move_away(frequency_for_thickness(2 * half), line);
  }
  return wanted;
}

// How much of the inertial forces throws a region as far as the scene wants it.
double suitable_inertia(const Job& job, const Flesh& flesh, const Part& region, double frequency_hz,
                        double half_life_s) {
  const double half = mean_half_thickness(flesh, region.vertices);
  if (frequency_hz <= 0 || half <= 0) return 1;
  const CarriedPoints points = carried(job, flesh.points, some_of(region.vertices, kSamplePoints));
  const ExpectedResponse r = expected_response(
      points, {.frequency_hz = {frequency_hz}, .half_life_s = {half_life_s}, .half_thickness = {half}});
  const double inertia =
      std::clamp(2 * job.config.material.swing / std::max(r.share99, 1e-9), kLeastInertia, kMostInertia);
  // Turning fast, scaled inertia would outdo the stiffness.
  const double spin = fastest_spin(points) / (2 * M_PI * frequency_hz);
  return spin > 0 ? std::min(inertia, std::pow(kSafeSpin / spin, 2)) : inertia;
}

Parts regions_of(const Job& job, const Model& model) {
  return split_into_parts(model, groups_of_regions(job.config, model.mesh(), true).groups);
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
    const auto it = by_name.find(r.name);
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

std::vector<FleshConfig> plan_flesh(const Job& job) {
  const CharacterSetup& c = *job.character;
  const Flesh& flesh = c.reference ? c.reference->flesh : c.flesh;
  const TetMesh& mesh = c.reference ? c.reference->mesh : c.cage.mesh;
  Job own;  // maps of the tets that are simulated do not fit these
  own.config = job.config;
  own.config.material.youngs_modulus_map = own.config.material.density_map = {};
  own.config.material.stiffness_damping_map = {};
  const Body as_bound = flesh_body(own, mesh, flesh);
  const Parts pieces = split_into_parts(Model(as_bound.spec));
  std::vector<double> wanted = suitable_frequencies(job, as_bound, flesh, pieces);
  Body body;
  Calibration reached;
  for (int round = 1;; ++round) {
    body = as_bound;
    reached = calibrate(body, flesh, pieces, wanted, job.config.surface.rest == "authored", job.config.solver.linear);
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

  // Each region is thrown as its own bones throw it.
  const Parts regions = regions_of(job, Model(body.spec));
  std::vector<double> frequency(regions.list.size(), 0), half_life(regions.list.size(), 0);
  std::vector<double> inertia(regions.list.size(), 1);
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& r = regions.list[k];
    if (r.vertices.empty()) continue;
    const int piece = pieces.of_vertex[r.vertices[0]];
    frequency[k] = wanted[piece] > 0 ? wanted[piece] : reached.frequency_hz[piece];
    half_life[k] = has_damping(job.config.material) || frequency[k] <= 0 ? job.config.material.half_life_s.value_or(0.2)
                                                                         : kHalfLifePeriods / frequency[k];
    inertia[k] = suitable_inertia(job, flesh, r, frequency[k], half_life[k]);
  }
  calm_down(pieces, regions, inertia);

  // One entry a name, of the heaviest part that has it.
  std::vector<FleshConfig> plan;
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& r = regions.list[k];
    const bool known = std::any_of(plan.begin(), plan.end(), [&](const FleshConfig& f) { return f.bone == r.name; });
    if (known || r.vertices.empty() || frequency[k] <= 0) continue;
    FleshConfig f{.bone = r.name, .inertia = inertia[k]};
    if (!job.config.material.youngs_modulus) f.frequency_hz = frequency[k];
    if (!has_damping(job.config.material)) f.half_life_s = half_life[k];
    if (body.spec.gravity_scale.size() > 0) {
      f.gravity = 0;
      for (int v : r.vertices) f.gravity += body.spec.gravity_scale[v] / static_cast<double>(r.vertices.size());
    }
    plan.push_back(f);
  }
  return plan;
}

void set_flesh(Job& job, Body& body) {
  const CharacterSetup& c = *job.character;
  const MaterialConfig& m = job.config.material;
  ModelSpec& spec = body.spec;
  job.flesh = job.config.flesh.empty() ? plan_flesh(job) : job.config.flesh;
  const Model as_bound(spec);
  const Parts pieces = split_into_parts(as_bound), regions = regions_of(job, as_bound);
  const std::vector<const FleshConfig*> of_region = flesh_of(job.flesh, regions, pieces);
  std::vector<double> wanted = frequencies_of(pieces, regions, of_region);
  if (m.youngs_modulus) std::fill(wanted.begin(), wanted.end(), 0);

  const auto values = [&](const auto& value) {
    std::vector<double> list;
    for (const FleshConfig* f : of_region) list.push_back(f ? value(*f) : 1);
    return smooth_on_vertices(spec.mesh, regions, list);
  };
  const VecX gravity = values([](const FleshConfig& f) { return f.gravity; });
  if (!(gravity.array() == 1).all()) spec.gravity_scale = gravity;
  const bool authored = job.config.surface.rest == "authored";
  const Points bound = spec.mesh.vertices;
  const Calibration reached = calibrate(body, c.flesh, pieces, wanted, authored, job.config.solver.linear);
  job.warnings.insert(job.warnings.end(), reached.warnings.begin(), reached.warnings.end());
  if (authored) job.hanging = flatten(bound) - flatten(spec.mesh.vertices);

  if (!has_damping(m)) job.half_life = values([](const FleshConfig& f) { return f.half_life_s.value_or(0.2); });
  if (m.inertia) {
    job.inertia = VecX::Constant(spec.mesh.n_vertices(), *m.inertia);
  } else if (job.config.timeline.test_motion.empty()) {
    job.inertia = values([](const FleshConfig& f) { return f.inertia.value_or(1); });
  }
}

}  // namespace supple
