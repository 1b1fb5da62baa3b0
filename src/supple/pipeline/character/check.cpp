#include "supple/pipeline/character/character_subject.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/pipeline/character/reach.h"
#include "supple/tune/carried_motion.h"

namespace supple::pipeline {

namespace {

constexpr double kWhollyFree = 0.99;

Vec3 at(const PointCache& c, int s, int v) {
  const float* x = c.sample(s) + 3 * static_cast<size_t>(v);
  return {x[0], x[1], x[2]};
}

Vec3 box_size(const PointCache& c, int s) {
  Vec3 low = at(c, s, 0), high = low;
  for (int v = 1; v < c.n_points; ++v) low = low.cwiseMin(at(c, s, v)), high = high.cwiseMax(at(c, s, v));
  return high - low;
}

// For each region those with a tet at a common vertex.
std::vector<std::set<int>> neighbours(const std::vector<Tet>& tets, const Flesh& flesh, size_t n_vertices) {
  std::vector<std::set<int>> at(n_vertices), beside(flesh.regions.size());
  for (size_t t = 0; t < tets.size(); ++t)
    for (int v : tets[t])
      if (flesh.region[t] >= 0) at[v].insert(flesh.region[t]);
  for (const std::set<int>& here : at)
    for (int r : here)
      for (int other : here)
        if (other != r) beside[r].insert(other);
  return beside;
}

}  // namespace

std::optional<MotionCheck> CharacterSubject::check(const MotionCheckInput& run) const {
  const PointCache &tets = run.tets, &statics = run.statics, &drawn = run.frames, &input = run.input;
  const ModelSpec& base = run.base;
  MotionCheck c;
  const Flesh& flesh = setup_->flesh;
  std::vector<char> is_free(base.mesh.vertices.size(), 1);
  for (int v : base.driven) is_free[v] = 0;
  c.finite = std::all_of(drawn.xyz.begin(), drawn.xyz.end(), [](float x) { return std::isfinite(x); });

  std::vector<int> region(base.mesh.vertices.size(), -1);
  for (size_t t = 0; t < base.mesh.tets.size(); ++t)
    for (int v : base.mesh.tets[t])
      if (flesh.region[t] >= 0) region[v] = flesh.region[t];
  // What springs hold halfway is not free; where nothing is, thin flesh, it is what there is.
  std::vector<char> counted(is_free.size(), 0);
  bool any = false;
  for (size_t v = 0; v < counted.size(); ++v) any = (counted[v] = is_free[v] && flesh.softness[v] > kWhollyFree) || any;
  if (!any) counted = is_free;
  const std::vector<double> reach = reach_of(base.mesh, flesh);
  const double limit = run.config.output.limit;
  double sum = 0, count = 0, held = 0;
  std::vector<double> swings;
  std::vector<std::vector<double>> of_region(flesh.regions.size());
  for (int s = 0; s < tets.n_samples; ++s)
    for (int v = 0; v < tets.n_points; ++v) {
      if (!is_free[v]) continue;
      const double d = (at(tets, s, v) - at(statics, s, v)).norm();
      if (counted[v]) sum += d * d, count += 1;
      if (reach[v] <= 0) continue;
      swings.push_back(d / reach[v]);
      if (limit > 0 && swings.back() > limit) held += 1;
      if (region[v] >= 0) of_region[region[v]].push_back(swings.back());
    }
  const auto beside = neighbours(base.mesh.tets, flesh, base.mesh.vertices.size());
  for (size_t r = 0; r < of_region.size(); ++r) {
    const int n = tets.n_samples > 0 ? static_cast<int>(of_region[r].size()) / tets.n_samples : 0;
    if (n == 0) continue;
    c.regions.push_back({flesh.regions[r].name, n, percentile(std::move(of_region[r]), 0.99), {}});
    for (int other : beside[r]) c.regions.back().beside.push_back(flesh.regions[other].name);
  }
  c.rms_share = count > 0 ? std::sqrt(sum / count) / setup_->size() : 0;
  if (!swings.empty()) c.held_share = held / static_cast<double>(swings.size());
  c.swing99 = percentile(std::move(swings), 0.99);

  const Points& rest = base.mesh.vertices;
  const auto edges = unique_edges(base.mesh.tets);
  for (const auto& [a, b] : edges) {
    if (!is_free[a] && !is_free[b]) continue;
    const double length = (rest[a] - rest[b]).norm();
    for (int s = 0; s < tets.n_samples; ++s)
      c.worst_stretch = std::max(c.worst_stretch, (at(tets, s, a) - at(tets, s, b)).norm() / length);
  }
  for (const Pose& pose : clip_.poses) {
    const Points x = posed(flesh.points, pose);
    for (const auto& [a, b] : edges)
      if (is_free[a] || is_free[b])
        c.worst_input_stretch = std::max(c.worst_input_stretch, (x[a] - x[b]).norm() / (rest[a] - rest[b]).norm());
  }
  for (int s = 0; s < drawn.n_samples; ++s) {
    for (int v = 0; v < drawn.n_points; ++v)
      c.peak_share = std::max(c.peak_share, (at(drawn, s, v) - at(input, s, v)).norm());
    const Vec3 out = box_size(drawn, s), in = box_size(input, s);
    // A flat side has no ratio worth the name.
    for (int k = 0; k < 3; ++k) c.box_ratio = std::max(c.box_ratio, out[k] / std::max(in[k], 0.1 * in.maxCoeff()));
  }
  const Vec3 size = box_size(input, 0);
  if (size.maxCoeff() > 0) c.peak_share /= size.maxCoeff();
  return c;
}

}  // namespace supple::pipeline
