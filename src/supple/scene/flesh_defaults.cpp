#include "supple/scene/flesh_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/linalg/svd3.h"
#include "supple/scene/asked.h"
#include "supple/scene/job.h"
#include "supple/sim/analysis.h"
#include "supple/sim/parts.h"
#include "supple/tune/expected_response.h"

namespace supple {

namespace {

constexpr double kHalfLifePeriods = 1.25;
// An idle is not blown up to a storm, nor is a storm to stand still.
constexpr double kLeastInertia = 1e-3, kMostInertia = 100;
constexpr double kSafeSpin = 0.8;        // of sqrt(inertia) x rate of turning, beside the flesh's own angular frequency
constexpr double kThrownMost = 0.2;      // this share of a piece's vertices leads it...
constexpr double kQuietFlesh = 2;        // ...and none has so many times their inertia
constexpr double kThinnest = 0.25;       // of the usual thickness: what is thinner is no softer still
constexpr double kStrongestSpring = 20;  // beside the stiffness of the flesh around

constexpr size_t kSamplePoints = 400;  // of a region, that its motion is judged by

// Springs as strong beside the flesh around them as their vertices are hard.
void set_springs(const Flesh& flesh, Body& body) {
  ModelSpec& spec = body.spec;
  const std::vector<double> volume = tet_volumes(spec.mesh);
  std::vector<double> stiffness(spec.mesh.vertices.size(), 0), around(spec.mesh.vertices.size(), 0);
  for (size_t t = 0; t < volume.size(); ++t)
    for (int v : spec.mesh.tets[t]) {
      stiffness[v] += 0.25 * volume[t] * spec.per_tet[t].youngs_modulus;
      around[v] += 0.25 * volume[t];
    }
  spec.spring_strengths.clear();
  for (int v : body.spring_vertices) {
    const double s = flesh.softness[v];
    const double share = std::min((1 - s) * (1 - s) / s, kStrongestSpring);
    // E times a length: what a cube of the vertex's volume resists.
    spec.spring_strengths.push_back(share * stiffness[v] / std::pow(around[v], 2.0 / 3));
  }
}

// Where the bones would take some vertices, frame by frame.
CarriedPoints carried(const Job& job, const std::vector<int>& vertices) {
  const SkinnedPoints& all = job.character->flesh.points;
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

// A value a part, on vertices, without a crease between parts.
VecX smooth_on_vertices(const TetMesh& mesh, const Parts& parts, const std::vector<double>& of_part) {
  VecX value = VecX::Ones(mesh.n_vertices());
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (parts.of_vertex[v] >= 0) value[v] = of_part[parts.of_vertex[v]];
  const auto edges = unique_edges(mesh.tets);
  for (int pass = 0; pass < 3; ++pass) {
    VecX sum = value, count = VecX::Ones(mesh.n_vertices());
    for (const auto& [a, b] : edges) {
      // Driven vertices are no bridge.
      if (parts.of_vertex[a] < 0 || parts.of_vertex[b] < 0) continue;
      sum[a] += value[b], sum[b] += value[a], count[a] += 1, count[b] += 1;
    }
    value = sum.cwiseQuotient(count);
  }
  return value;
}

double mean_half_thickness(const Flesh& flesh, const std::vector<int>& vertices) {
  double sum = 0;
  for (int v : vertices) sum += flesh.half_thickness[v];
  return vertices.empty() ? 0 : sum / static_cast<double>(vertices.size());
}

std::vector<int> free_vertices(const ModelSpec& spec) {
  std::vector<char> is_free(spec.mesh.vertices.size(), 1);
  for (int v : spec.driven) is_free[v] = 0;
  std::vector<int> list;
  for (int v = 0; v < spec.mesh.n_vertices(); ++v)
    if (is_free[v]) list.push_back(v);
  return list;
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

}  // namespace

void set_flesh_defaults(Job& job, Body& body) {
  const CharacterSetup& c = *job.character;
  const MaterialConfig& m = job.config.material;
  ModelSpec& spec = body.spec;
  const auto fill = c.cage.mesh.tet_maps.find("fill");
  for (size_t t = 0; t < spec.per_tet.size() && fill != c.cage.mesh.tet_maps.end(); ++t) {
    spec.per_tet[t].youngs_modulus *= fill->second[t];
    spec.per_tet[t].density *= fill->second[t];
  }
  set_springs(c.flesh, body);
  if (!m.half_life_s && !m.stiffness_damping && !m.mass_damping) job.half_life_periods = kHalfLifePeriods;

  // Under its own weight and on its way flesh is to give by the same share of its thickness everywhere. Frequencies
  // then go as the root of one over the thickness (expected_response.h), and with a frequency of sqrt(E) / thickness
  // the stiffness goes as the thickness.
  if (!m.youngs_modulus) {
    const double usual = mean_half_thickness(c.flesh, free_vertices(spec));
    for (size_t t = 0; t < spec.per_tet.size(); ++t) {
      double half = 0;
      for (int v : spec.mesh.tets[t]) half += 0.25 * c.flesh.half_thickness[v];
      spec.per_tet[t].youngs_modulus *= std::clamp(half / usual, kThinnest, 1 / kThinnest);
    }
    set_springs(c.flesh, body);
  }
  // One factor for each connected piece of flesh, whose slowest swing gets the frequency that suits it there.
  const Model model(spec);
  const Parts parts = split_into_parts(model);
  std::vector<double> stiffer(parts.list.size(), 1), frequency(parts.list.size(), 0);
  for (size_t k = 0; k < parts.list.size(); ++k) {
    const Part& part = parts.list[k];
    std::vector<int> kept;
    const Model alone = held_around(model, part.vertices, &kept);
    const Modes modes = natural_modes(alone, 1, job.config.solver.linear);
    if (modes.frequencies_hz.size() == 0 || modes.frequencies_hz[0] <= 0) continue;
    frequency[k] = modes.frequencies_hz[0];
    if (m.youngs_modulus) continue;
    const double half = half_thickness_of_mode(c.flesh, alone, kept, modes.shapes.col(0));
    const double line =
        strongest_line(local_accelerations(carried(job, some_of(part.vertices, kSamplePoints))), job.fps);
    const double wanted = move_away(frequency_for_thickness(2 * half), line);
    stiffer[k] = (wanted / frequency[k]) * (wanted / frequency[k]);
    frequency[k] = wanted;
  }
  if (!m.youngs_modulus) {
    for (size_t t = 0; t < spec.per_tet.size(); ++t)
      if (parts.of_tet[t] >= 0) spec.per_tet[t].youngs_modulus *= stiffer[parts.of_tet[t]];
    set_springs(c.flesh, body);
  }

  // Each region is thrown as its own bones throw it.
  const Parts regions = split_into_parts(model, groups_of_regions(job.config, spec.mesh, true).groups);
  std::vector<double> inertia(regions.list.size(), 1);
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& part = regions.list[k];
    if (part.vertices.empty()) continue;
    const double f = frequency[parts.of_vertex[part.vertices[0]]];
    const double half = mean_half_thickness(c.flesh, part.vertices);
    if (f <= 0 || half <= 0) continue;
    const double half_life = job.half_life_periods > 0 ? job.half_life_periods / f : m.half_life_s.value_or(0.2);
    const CarriedPoints points = carried(job, some_of(part.vertices, kSamplePoints));
    const ExpectedResponse r =
        expected_response(points, {.frequency_hz = {f}, .half_life_s = {half_life}, .half_thickness = {half}});
    inertia[k] = std::clamp(2 * m.swing / std::max(r.share99, 1e-9), kLeastInertia, kMostInertia);
    // Turning fast, scaled inertia would outdo the stiffness.
    const double spin = fastest_spin(points) / (2 * M_PI * f);
    if (spin > 0) inertia[k] = std::min(inertia[k], std::pow(kSafeSpin / spin, 2));
  }
  calm_down(parts, regions, inertia);
  if (m.inertia) {
    job.inertia = VecX::Constant(spec.mesh.n_vertices(), *m.inertia);
  } else if (job.config.timeline.test_motion.empty()) {
    job.inertia = smooth_on_vertices(spec.mesh, regions, inertia);
  }
}

}  // namespace supple
