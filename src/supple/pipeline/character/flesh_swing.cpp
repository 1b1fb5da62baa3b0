#include "supple/pipeline/character/flesh_swing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"
#include "supple/pipeline/character/character.h"
#include "supple/tune/swing_model.h"

namespace supple::pipeline {

namespace {

// An idle is not blown up to a storm.
constexpr double kMostInertia = 600;
constexpr double kSafeSpin = 0.6;  // of sqrt(inertia) x rate of turning, beside the flesh's own angular frequency
constexpr size_t kWatched = 64;    // of a region, that its swing is judged by
constexpr double kFewTurnFaster = 0.5;
constexpr double kSteadiest = 0.1;
constexpr size_t kHandful = 12;
constexpr double kRepeats = 1e-3;  // of the size: a clip whose end is so near to its beginning repeats
constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();
constexpr double kUsualHalfLife = 0.2;  // [s]

// The rate [1/s] that a point turns at and nearly never exceeds.
double fastest_spin(const CarriedPoints& points, size_t i) {
  std::vector<double> rates;
  for (size_t f = 1; f < points.rotations.size(); ++f)
    rates.push_back(points.rotations[f][i].angularDistance(points.rotations[f - 1][i]) * points.fps);
  return percentile(std::move(rates), 0.98);
}

bool repeats(const CarriedPoints& points) {
  if (points.positions.size() < 3) return false;
  const VecX &first = points.positions.front(), &last = points.positions.back();
  double size = 0, apart = 0;
  for (Eigen::Index i = 0; i < first.size(); i += 3) {
    size = std::max(size, (first.segment<3>(i) - first.head<3>()).norm());
    apart = std::max(apart, (first.segment<3>(i) - last.segment<3>(i)).norm());
  }
  return apart < kRepeats * size;
}

// A single layer of large tets, or a handful of vertices, cannot tell how a thin part bends, and would flap: the share
// of the inertial forces that each vertex feels for that.
VecX steadiness(const Flesh& flesh, const TetMesh& mesh, const Parts& regions) {
  VecX length = VecX::Zero(mesh.n_vertices()), count = length, share = VecX::Ones(mesh.n_vertices());
  for (const auto& [a, b] : unique_edges(mesh.tets)) {
    const double l = (mesh.vertices[a] - mesh.vertices[b]).norm();
    for (int v : {a, b}) length[v] += l, count[v] += 1;
  }
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (length[v] > 0) share[v] = std::clamp(4 * flesh.half_thickness[v] * count[v] / length[v] - 1, kSteadiest, 1.0);
  for (const Part& r : regions.list)
    for (int v : r.vertices)
      if (r.vertices.size() < kHandful) share[v] = kSteadiest;
  return share;
}

// The regions by the entries of [[flesh]] they go by.
struct ByEntry {
  std::vector<const FleshConfig*> entries;
  std::vector<std::vector<int>> vertices;
  std::vector<SwingRegion> regions;
  VecX steady;  // per vertex
};

ByEntry by_entry(const Flesh& flesh, const Model& model, const Parts& regions,
                 const std::vector<const FleshConfig*>& of_region) {
  ByEntry out;
  out.steady = steadiness(flesh, model.mesh(), regions);
  for (const FleshConfig* f : of_region)
    if (f && std::find(out.entries.begin(), out.entries.end(), f) == out.entries.end()) out.entries.push_back(f);
  for (const FleshConfig* f : out.entries) {
    std::vector<double> mine;
    std::vector<int> vertices;
    for (size_t k = 0; k < regions.list.size(); ++k) {
      mine.push_back(of_region[k] == f ? 1 : 0);
      if (of_region[k] != f) continue;
      const Part& r = regions.list[k];
      vertices.insert(vertices.end(), r.vertices.begin(), r.vertices.end());
    }
    std::vector<int> thick;
    for (int v : vertices)
      if (flesh.half_thickness[v] > 0) thick.push_back(v);
    out.regions.push_back({.weight = smooth_on_vertices(model.mesh(), regions, mine).cwiseProduct(out.steady),
                           .watched = some_of(thick, kWatched),
                           .frequency_hz = f->frequency_hz.value_or(kUsualFrequency),
                           .half_life_s = f->half_life_s.value_or(kUsualHalfLife)});
    out.vertices.push_back(std::move(vertices));
  }
  return out;
}

// What the clip does with the flesh.
struct Thrown {
  SwingModel swinging;
  std::vector<double> most;  // inertia of each entry that is safe...
  VecX most_here;            // ...and of each vertex
};

Thrown thrown(const SceneConfig& config, const ClipFrames& clip, const Flesh& flesh, const Model& model,
              const VecX& hanging, const Parts& regions, const ByEntry& by) {
  std::vector<int> free, place(model.mesh().vertices.size(), -1);
  for (int v = 0; v < model.n_vertices(); ++v)
    if (regions.of_vertex[v] >= 0) place[v] = static_cast<int>(free.size()), free.push_back(v);
  const CarriedPoints points = carried(clip, flesh.points, free);
  std::vector<double> thickness;
  for (double half : flesh.half_thickness) thickness.push_back(2 * half);
  Thrown out{{model, hanging, by.regions, free, points, thickness, repeats(points), config.solver.linear}, {}, {}};
  out.most_here = VecX::Constant(model.n_vertices(), kMostInertia);
  for (size_t r = 0; r < by.entries.size(); ++r) {
    std::vector<double> most;
    for (int v : by.vertices[r]) {
      // Turning fast, scaled inertia would outdo the stiffness.
      const double spin = fastest_spin(points, place[v]) / (2 * std::numbers::pi * by.regions[r].frequency_hz);
      if (spin > 0) out.most_here[v] = std::min(kMostInertia, std::pow(kSafeSpin / spin, 2));
      most.push_back(out.most_here[v]);
    }
    // Where the region is as it mostly is: single vertices have a bound of their own. Crumbs are as they are.
    const double usual = percentile(std::move(most), kFewTurnFaster);
    out.most.push_back(by.vertices[r].size() < kHandful ? std::min(usual, 1.0) : usual);
  }
  return out;
}

}  // namespace

// Where the bones would take some vertices, frame by frame.
CarriedPoints carried(const ClipFrames& clip, const SkinnedPoints& all, const std::vector<int>& vertices) {
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
  CarriedPoints out{.fps = clip.fps, .positions = {}, .rotations = {}};
  out.positions.resize(clip.poses.size()), out.rotations.resize(clip.poses.size());
  parallel_for(clip.poses.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      out.positions[f] = flatten(posed(some, clip.poses[f]));
      for (const Mat3& m : posed_frames(some, clip.poses[f])) out.rotations[f].emplace_back(polar3(m).R);
    }
  });
  return out;
}

std::vector<int> some_of(const std::vector<int>& vertices, size_t most) {
  std::vector<int> some;
  const double step = std::max(1.0, static_cast<double>(vertices.size()) / static_cast<double>(most));
  for (double at = 0; at < static_cast<double>(vertices.size()); at += step)
    some.push_back(vertices[static_cast<size_t>(at)]);
  return some;
}

void plan_swings(const SceneConfig& config, const ClipFrames& clip, const Flesh& flesh, const Model& model,
                 const VecX& hanging, const Parts& regions, const std::vector<const FleshConfig*>& of_region,
                 std::vector<FleshConfig>& plan) {
  const ByEntry by = by_entry(flesh, model, regions, of_region);
  const size_t n = by.entries.size();
  const std::vector<double> wanted(n, config.material.swing), free(n, kNotGiven);
  const Thrown t = thrown(config, clip, flesh, model, hanging, regions, by);
  const std::vector<double> swings = t.swinging.swings(t.swinging.inertia_for(wanted, t.most, free));
  for (FleshConfig& f : plan)
    for (size_t r = 0; r < n; ++r)
      if (by.entries[r] == &f) f.swing = t.swinging.ok() ? swings[r] : config.material.swing;
}

VecX inertia_for_swings(const SceneConfig& config, const ClipFrames& clip, const Flesh& flesh, const Model& model,
                        const VecX& hanging, const Parts& regions, const std::vector<const FleshConfig*>& of_region) {
  const ByEntry by = by_entry(flesh, model, regions, of_region);
  std::vector<double> wanted, given;
  for (const FleshConfig* f : by.entries) {
    wanted.push_back(f->swing.value_or(config.material.swing));
    given.push_back(f->inertia.value_or(kNotGiven));
  }
  const Thrown t = thrown(config, clip, flesh, model, hanging, regions, by);
  const std::vector<double> inertia = t.swinging.inertia_for(wanted, t.most, given);
  std::vector<double> of_part;
  for (const FleshConfig* f : of_region) {
    const auto at = std::find(by.entries.begin(), by.entries.end(), f);
    of_part.push_back(f ? inertia[static_cast<size_t>(at - by.entries.begin())] : 1);
  }
  return smooth_on_vertices(model.mesh(), regions, of_part).cwiseProduct(by.steady).cwiseMin(t.most_here);
}

}  // namespace supple::pipeline
