#include "supple/attach/flesh_core.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple {
namespace {

constexpr double kBoneCounts = 0.15;                       // weight from which a bone has a core around it
constexpr double kNeighbourCounts = 0.02;                  // likewise of the parent or a child of the bone that leads
constexpr double kJointShare = 0.75;                       // of the core where two bones meet: elbows bend as drawn
constexpr double kJointFrom = 0.15, kJointFull = 0.25;     // second-largest weight
constexpr double kJointThin = 0.035, kJointThick = 0.055;  // half-thickness over height: hips and bellies are no elbows
constexpr double kBareBone = 0.5;   // of the layer of flesh a core would have around it that it has above a bone
constexpr double kSoftFrom = 0.08;  // of the width over which softness rises
// Lobes that no bone runs in (fingers of a hand with one bone): as far from the bone, in half-thicknesses, and thin.
constexpr double kLobeFrom = 2.2, kLobeFull = 3, kLobeThin = 0.035, kLobeThick = 0.065;
constexpr double kBackShare = 0.9;  // of the core above a bone that lies: backs are firm and bellies hang

struct VertexRule {
  double share = 1;     // of the half-thickness that is core
  double hard = 0;      // 1: all of it is core, whatever its distance from bones
  double distance = 0;  // to the nearest bone that counts [m]
};

VertexRule rule_at(const CoreInput& in, int v, int leader, const std::vector<double>& painted) {
  const Skeleton& s = *in.skeleton;
  const SkinWeights& w = *in.weights;
  const double relative = in.height > 0 ? in.thickness->half[v] / in.height : 0;
  VertexRule rule;
  rule.share = core_share(relative);
  const Vec3& x = in.cage->vertices[v];
  double first = 0, second = 0, solid = 0, back = 0;
  rule.distance = std::numeric_limits<double>::infinity();
  for (int k = w.first[v]; k < w.first[v + 1]; ++k) {
    const int b = s.index[w.bone[k]];
    if (b < 0) continue;
    const double weight = w.weight[k];
    if (weight > first) {
      second = first;
      first = weight;
    } else {
      second = std::max(second, weight);
    }
    // Next to a joint the bone behind it has little weight and is what runs there.
    if (weight > kBoneCounts || (weight > kNeighbourCounts && s.related(b, leader))) {
      Vec3 along = Vec3::Zero();
      const Vec3 arm = x - s.nearest(b, x, &along);
      if (arm.norm() < rule.distance) {
        rule.distance = arm.norm();
        const double lies = 1 - smooth_step((std::abs(along.dot(in.up)) - 0.5) / 0.3);
        back = rule.distance > 0 ? lies * smooth_step(arm.dot(in.up) / rule.distance) : 0;
      }
    }
    if (in.kinds->solid[b]) solid += weight;
  }
  if (!painted.empty() && !std::isnan(painted[v])) {
    rule.share = 1 - (1 - kCoreOfThick) * painted[v];
    rule.hard = 1 - painted[v];
    return rule;
  }
  const double joint = smooth_step((second - kJointFrom) / (kJointFull - kJointFrom)) *
                       (1 - smooth_step((relative - kJointThin) / (kJointThick - kJointThin)));
  rule.share = std::max(rule.share, rule.share + (kJointShare - rule.share) * joint);
  rule.hard = std::max(smooth_step((rule.share - 0.85) / 0.15), smooth_step((solid - 0.35) / 0.35));
  if (in.thickness->half[v] > 0) {
    const double lobe = smooth_step((rule.distance / in.thickness->half[v] - kLobeFrom) / (kLobeFull - kLobeFrom)) *
                        (1 - smooth_step((relative - kLobeThin) / (kLobeThick - kLobeThin)));
    rule.hard = std::max(rule.hard, lobe);
  }
  rule.share += std::max(0.0, kBackShare - rule.share) * back * smooth_step((relative - kThick) / kThick);
  return rule;
}

}  // namespace

double core_share(double relative) {
  return 1 - (1 - kCoreOfThick) * smooth_step((relative - kThin) / (kThick - kThin));
}

std::vector<int> leaders(const SkinWeights& weights, const Skeleton& skeleton) {
  std::vector<int> result(weights.size(), -1);
  for (int v = 0; v < weights.size(); ++v) {
    double best = 0;
    for (int k = weights.first[v]; k < weights.first[v + 1]; ++k) {
      const int b = skeleton.index[weights.bone[k]];
      if (b < 0 || weights.weight[k] <= best) continue;
      best = weights.weight[k];
      result[v] = b;
    }
  }
  return result;
}

CoreField core_by_rule(const CoreInput& in, const std::vector<double>& painted) {
  const int n = in.cage->n_vertices();
  const Skeleton& s = *in.skeleton;
  const std::vector<double>&half = in.thickness->half, &depth = in.thickness->depth;
  const std::vector<int> leader = leaders(*in.weights, s);
  std::vector<VertexRule> rules(n);
  // Groups by leading bone; the last one is for vertices without a bone.
  const int none = static_cast<int>(s.bones.size());
  std::vector<char> has_core(none + 1, 0);
  auto group = [&](int v) { return leader[v] < 0 ? none : leader[v]; };
  for (int v = 0; v < n; ++v) {
    rules[v] = rule_at(in, v, leader[v], painted);
    if (rules[v].distance <= rules[v].share * half[v] && depth[v] > 0) has_core[group(v)] = 1;
  }
  // One bone for a whole body says where it is, not where its core is.
  if (s.bones.size() == 1) has_core[0] = 0;
  has_core[none] = 0;
  // Where bones run outside of what they carry the core is what lies deep; where tets are too large to have a vertex
  // that deep, the deepest there are.
  std::vector<double> deepest(none + 1, 0);
  for (int v = 0; v < n; ++v) {
    if (half[v] > 0) deepest[group(v)] = std::max(deepest[group(v)], depth[v] / half[v]);
  }

  CoreField core;
  core.beyond.assign(n, 0);
  core.width.assign(n, 0);
  core.swings.assign(n, 0);
  for (int v = 0; v < n; ++v) {
    const VertexRule& r = rules[v];
    core.width[v] = std::max(2 * in.graph->edge[v], 0.6 * (1 - r.share) * half[v]);
    const double needed = std::min(1 - r.share, 0.95 * deepest[group(v)]);
    double beyond = needed * half[v] - depth[v];
    // A bone that runs close below the skin of a thick body does not make that skin hard.
    if (has_core[group(v)]) {
      const double thick = smooth_step((half[v] - kThick * in.height) / (kThick * in.height));
      beyond = std::max(r.distance - r.share * half[v], thick * kBareBone * needed * half[v] - depth[v]);
    }
    if (std::isinf(beyond)) beyond = core.width[v];  // none of its bones counts: its neighbours decide
    core.beyond[v] = std::max(0.0, beyond) * (1 - r.hard);
    // Flesh that somebody asked for is not given up for being thin.
    if (!painted.empty() && painted[v] > 0.5) core.swings[v] = 1;
  }
  return core;
}

CoreField core_by_bones(const CoreInput& in, const std::vector<int>& bones, double radius) {
  const int n = in.cage->n_vertices();
  CoreField core;
  core.beyond.assign(n, 0);
  core.width.assign(n, 0);
  core.swings.assign(n, 1);  // the user has said what is soft
  for (int v = 0; v < n; ++v) {
    double distance = std::numeric_limits<double>::infinity();
    for (const int b : bones) distance = std::min(distance, in.skeleton->distance(b, in.cage->vertices[v]));
    core.width[v] = 2 * in.graph->edge[v];
    core.beyond[v] = std::isinf(distance) ? core.width[v] : std::max(0.0, distance - radius);
  }
  return core;
}

std::vector<double> softness_of(const CageGraph& graph, const CoreField& core) {
  const std::vector<double> beyond = limit_slope(graph, core.beyond);
  std::vector<double> softness(beyond.size(), 0);
  for (size_t v = 0; v < softness.size(); ++v) {
    // What would be next to nothing is driven exactly: it is not worth a spring.
    const double t = core.width[v] > 0 ? beyond[v] / core.width[v] : 0;
    softness[v] = smooth_step((t - kSoftFrom) / (1 - kSoftFrom));
  }
  return softness;
}

}  // namespace supple
