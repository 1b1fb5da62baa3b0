#include "supple/attach/carry.h"

#include <algorithm>
#include <cmath>

#include "supple/mesh/embedding.h"

namespace supple {

namespace {

constexpr double kDrivenExactly = 0.05;  // softness below which a vertex is driven exactly

// Barycentric weights that stay within the tet: values beyond it are those of its boundary.
Eigen::Vector4d within(const Eigen::Vector4d& weights) {
  const Eigen::Vector4d w = weights.cwiseMax(0);
  return w / w.sum();
}

double at(const std::vector<double>& values, const Tet& tet, const Eigen::Vector4d& weights) {
  double sum = 0;
  for (int c = 0; c < 4; ++c) sum += weights[c] * values[tet[c]];
  return sum;
}

// Means over the shares of the fine vertices that each coarse one has; NaN: it has none.
std::vector<double> gathered(const std::vector<double>& values, const TetMesh& from, const TetMesh& cage) {
  const std::vector<double> volumes = tet_volumes(from);
  std::vector<double> weight(from.vertices.size(), 0), sum(cage.vertices.size(), 0), share(cage.vertices.size(), 0);
  for (size_t t = 0; t < volumes.size(); ++t)
    for (int v : from.tets[t]) weight[v] += 0.25 * std::abs(volumes[t]);
  const Embedding e = embed(cage, from.vertices);
  for (size_t v = 0; v < from.vertices.size(); ++v) {
    const Eigen::Vector4d w = within(e.weights[v]) * weight[v];
    for (int c = 0; c < 4; ++c) {
      const int to = cage.tets[e.tet[v]][c];
      sum[to] += w[c] * values[v], share[to] += w[c];
    }
  }
  for (size_t v = 0; v < sum.size(); ++v) sum[v] /= share[v];
  return sum;
}

// Per tet the region at its place. Soft tets in places that were driven take that of a neighbour.
std::vector<int> regions_there(const std::vector<int>& from, const std::vector<int>& place,
                               const std::vector<char>& soft, const TetMesh& cage) {
  std::vector<int> region(cage.tets.size(), -1);
  for (size_t t = 0; t < cage.tets.size(); ++t)
    if (soft[t]) region[t] = from[static_cast<size_t>(place[t])];
  for (bool again = true; again;) {
    again = false;
    std::vector<int> of_vertex(cage.vertices.size(), -1);
    for (size_t t = 0; t < cage.tets.size(); ++t)
      for (int v : cage.tets[t])
        if (region[t] >= 0 && of_vertex[v] < 0) of_vertex[v] = region[t];
    for (size_t t = 0; t < cage.tets.size(); ++t) {
      if (region[t] >= 0 || !soft[t]) continue;
      for (int v : cage.tets[t])
        if (region[t] < 0) region[t] = of_vertex[v];
      again = again || region[t] >= 0;
    }
  }
  for (size_t t = 0; t < cage.tets.size(); ++t)
    if (region[t] < 0 && soft[t]) region[t] = 0;
  return region;
}

}  // namespace

CarriedFlesh carry_to_cage(const Flesh& from, const TetMesh& from_cage, const TetMesh& cage) {
  CarriedFlesh out;
  const Embedding e = embed(from_cage, cage.vertices);
  const std::vector<double> mean = gathered(from.softness, from_cage, cage);
  for (size_t v = 0; v < cage.vertices.size(); ++v) {
    const Eigen::Vector4d w = within(e.weights[v]);
    const Tet& tet = from_cage.tets[e.tet[v]];
    double softness = at(from.softness, tet, w);
    if (mean[v] < softness) softness = mean[v];
    out.softness.push_back(softness < kDrivenExactly ? 0 : std::min(softness, 1.0));
    out.half_thickness.push_back(at(from.half_thickness, tet, w));
  }
  return out;
}

void carry_regions(const Flesh& from, const TetMesh& from_cage, const TetMesh& cage, Flesh& to) {
  Points middles;
  for (const Tet& t : cage.tets)
    middles.push_back((cage.vertices[t[0]] + cage.vertices[t[1]] + cage.vertices[t[2]] + cage.vertices[t[3]]) / 4);
  const Embedding e = embed(from_cage, middles);
  std::vector<char> soft;
  for (const Tet& t : cage.tets)
    soft.push_back(std::any_of(t.begin(), t.end(), [&](int v) { return to.softness[v] > 0; }));
  to.region =
      from.regions.empty() ? std::vector<int>(cage.tets.size(), -1) : regions_there(from.region, e.tet, soft, cage);
  if (!from.found_region.empty()) to.found_region = regions_there(from.found_region, e.tet, soft, cage);

  to.regions.clear();
  for (const FleshRegion& r : from.regions) to.regions.push_back({r.name, r.half_thickness, 0, r.trailing});
  std::vector<char> counted(cage.vertices.size(), 0);
  for (size_t t = 0; t < cage.tets.size(); ++t) {
    if (to.region[t] < 0) continue;
    for (int v : cage.tets[t])
      if (to.softness[v] > 0 && !counted[v]) counted[v] = 1, ++to.regions[to.region[t]].n_free;
  }
}

}  // namespace supple
