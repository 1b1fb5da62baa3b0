#include "supple/attach/trailing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/most.h"
#include "supple/linalg/dense.h"

namespace supple {
namespace {

constexpr double kSlender = 6;         // length over half-thickness: three times the thickness
constexpr double kShortest = 0.04;     // of the height
constexpr double kSlenderOnSolid = 3;  // likewise of what hangs on a solid: ears
constexpr double kLongerThanWide = 1.2;
constexpr double kSameGirth = 0.95;
constexpr double kOfSkull = 1.5;       // times as thick as the rest of an ear
constexpr double kThickEnd = 0.045;    // half-thickness over height: what ends thicker than that...
constexpr double kSwells = 1.15;       // ...and than it begins is a head
constexpr double kLargest = 0.4;       // of all skin
constexpr double kStands = 0.05;       // of the height: of a pair what reaches so far down is a leg
constexpr double kPlanted = 0.05;      // of its skin: what stands on more of it does not trail
constexpr double kThinForALimb = 0.5;  // of the half-thickness of the body's limbs: a pair of coat-tails is thinner
constexpr double kOwn = 0.5;           // weight of a part's bones where a vertex is of the part

bool contains(const std::vector<int>& list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void measure(const Skeleton& s, const std::vector<double>& half_thickness, BoneChain& chain) {
  chain.length = chain.half = chain.area = 0;
  for (const int k : chain.bones) {
    const auto& [from, to] = s.bones[k].segments.front();
    chain.length += (to - from).norm();
    chain.area += s.bones[k].led_area;
    chain.half += s.bones[k].led_area * half_thickness[k];
  }
  chain.half = chain.area > 0 ? chain.half / chain.area : 0;
}

class TrailingFinder {
 public:
  TrailingFinder(const Skeleton& skeleton, const BoneKindInput& input, const BoneKinds& kinds)
      : s_(skeleton), in_(input), kinds_(kinds), chains_(chains_of(skeleton, *input.half_thickness)) {}

  // Per bone, whether it trails.
  std::vector<char> by_shape() const {
    std::vector<char> trails(s_.bones.size(), 0);
    for (const BoneChain& chain : chains_) {
      for (const int b : trailing_end(chain).bones) {
        trails[b] = 1;
        if (s_.bones[b].twin >= 0) trails[s_.bones[b].twin] = 1;
      }
    }
    return trails;
  }

 private:
  std::vector<int> skin_of(const std::vector<int>& bones) const {
    std::vector<int> vertices;
    for (const int b : bones) vertices.insert(vertices.end(), s_.bones[b].led.begin(), s_.bones[b].led.end());
    return vertices;
  }
  double share_planted(const std::vector<int>& vertices) const {
    double sum = 0;
    for (const int v : vertices) sum += (*in_.planted)[v];
    return vertices.empty() ? 0 : sum / static_cast<double>(vertices.size());
  }
  bool stands(const std::vector<int>& vertices) const {
    double lowest = std::numeric_limits<double>::infinity();
    for (const int v : vertices) lowest = std::min(lowest, in_.up.dot(in_.skin->vertices[v]));
    return lowest < in_.bottom + kStands * in_.height || share_planted(vertices) > 0;
  }
  // Half the width across a part of skin, in the direction in which it is the second longest.
  double half_width(const std::vector<int>& vertices) const {
    Vec3 mean = Vec3::Zero();
    for (const int v : vertices) mean += in_.skin->vertices[v];
    mean /= static_cast<double>(vertices.size());
    Mat3 moment = Mat3::Zero();
    for (const int v : vertices) {
      const Vec3 d = in_.skin->vertices[v] - mean;
      moment += d * d.transpose();
    }
    const Vec3 values = symmetric_eigen3(moment / static_cast<double>(vertices.size())).values;
    return std::sqrt(3 * std::max(0.0, values[1]));
  }

  // One of its bones has a twin that is not of the chain, or there is a chain of as many bones, as long and as thick.
  bool is_one_of_a_pair(const BoneChain& chain) const {
    for (const int b : chain.bones) {
      if (s_.bones[b].twin >= 0 && !contains(chain.bones, s_.bones[b].twin)) return true;
    }
    if (s_.mirrored) return false;
    for (const BoneChain& other : chains_) {
      if (other.bones.back() == chain.bones.back() || other.bones.size() != chain.bones.size()) continue;
      const double longer = std::max(other.length, chain.length), thicker = std::max(other.half, chain.half);
      if (std::abs(other.length - chain.length) < 0.1 * longer && std::abs(other.half - chain.half) < 0.2 * thicker) {
        return true;
      }
    }
    return false;
  }

  // Skin that a bone leads for its length: how far it is around it.
  double girth(int b) const {
    double length = 0;
    for (const auto& [from, to] : s_.bones[b].segments) length = std::max(length, (to - from).norm());
    return length > 0 ? s_.bones[b].led_area / length : 0;
  }

  // Half-thickness of the thickest pair that hangs on the middle of the body and does not stand: arms or wings, with
  // all that hangs on them.
  double half_of_limbs() const {
    double most = 0;
    for (int b = 0; b < static_cast<int>(s_.bones.size()); ++b) {
      const int root = s_.bones[b].parent;
      if (s_.bones[b].twin < 0 || root < 0 || s_.bones[root].twin >= 0 || kinds_.solid[root]) continue;
      const std::vector<int> family = s_.family(b);
      double half = 0, area = 0;
      for (const int k : family) {
        half += s_.bones[k].led_area * (*in_.half_thickness)[k];
        area += s_.bones[k].led_area;
      }
      if (area > 0 && !stands(skin_of(family))) most = std::max(most, half / area);
    }
    return most;
  }

  // What of a chain trails; empty: nothing. Bones that are as far around as what they hang on are of the body (the rear
  // of a ray); of what hangs on a solid those that are thick are of that (the skull below an ear).
  BoneChain trailing_end(BoneChain chain) const {
    const int root = s_.bones[chain.bones.front()].parent;
    while (!chain.bones.empty()) {
      const int first = chain.bones.front();
      BoneChain rest = chain;
      rest.bones.erase(rest.bones.begin());
      measure(s_, *in_.half_thickness, rest);
      const bool of_body = kinds_.solid[root]
                               ? !is_trailing(chain, root) ||
                                     (!rest.bones.empty() && (*in_.half_thickness)[first] > kOfSkull * rest.half)
                               : girth(first) > kSameGirth * girth(s_.bones[first].parent);
      if (!of_body) break;
      chain = std::move(rest);
    }
    if (!chain.bones.empty() && !is_trailing(chain, root)) chain.bones.clear();
    return chain;
  }

  // Of a chain that hangs on `root`, or the end of one. Slender, and longer than wide. It does not stand on the floor
  // and holds nothing. It does not end in a solid: necks end in heads. It hangs on a bone of the middle: fingers hang
  // on one of a pair. A pair is one of arms or wings, unless it is a solid that it hangs on (ears, antennae) or it is
  // much thinner than those (coat-tails).
  bool is_trailing(const BoneChain& chain, int root) const {
    const std::vector<int> vertices = skin_of(chain.bones);
    if (vertices.size() < 3 || !(chain.half > 0) || chain.area > kLargest * s_.area) return false;
    const double slender = kinds_.solid[root] ? kSlenderOnSolid : kSlender;
    if (chain.length < slender * chain.half || chain.length < kShortest * in_.height) return false;
    if (chain.length < kLongerThanWide * 2 * half_width(vertices)) return false;
    if (std::any_of(chain.bones.begin(), chain.bones.end(), [&](int b) { return kinds_.carries[b]; })) return false;
    if (share_planted(vertices) > kPlanted) return false;
    if (s_.bones[root].twin >= 0) return false;
    if (kinds_.solid[chain.bones.back()] && !kinds_.solid[root]) return false;
    const double end = (*in_.half_thickness)[chain.bones.back()], begin = (*in_.half_thickness)[chain.bones.front()];
    if (end > kThickEnd * in_.height && end > kSwells * begin) return false;
    if (!is_one_of_a_pair(chain)) return true;
    if (stands(vertices)) return false;
    return kinds_.solid[root] || chain.half < kThinForALimb * half_of_limbs();
  }

  const Skeleton& s_;
  const BoneKindInput& in_;
  const BoneKinds& kinds_;
  const std::vector<BoneChain> chains_;
};

// Length along a part from its root to the place on its bones nearest to x [m].
class Along {
 public:
  Along(const Skeleton& s, const std::vector<int>& part_of, int part) : s_(s), start_(s.bones.size(), 0) {
    for (int b = 0; b < static_cast<int>(s.bones.size()); ++b) {
      if (part_of[b] == part) bones_.push_back(b);
    }
    // Parents may come after children in a file.
    for (const int b : bones_) {
      for (int k = b; s.bones[k].parent >= 0 && part_of[s.bones[k].parent] == part; k = s.bones[k].parent) {
        start_[b] += (head(k) - head(s.bones[k].parent)).norm();
      }
    }
  }
  double operator()(const Vec3& x) const {
    double nearest = std::numeric_limits<double>::infinity(), where = 0;
    for (const int b : bones_) {
      const Vec3 q = s_.nearest(b, x);
      const double d = (x - q).squaredNorm();
      if (d >= nearest) continue;
      nearest = d;
      where = start_[b] + (q - head(b)).norm();
    }
    return where;
  }

 private:
  const Vec3& head(int b) const { return s_.bones[b].segments.front()[0]; }
  const Skeleton& s_;
  std::vector<int> bones_;
  std::vector<double> start_;
};

}  // namespace

std::vector<BoneChain> chains_of(const Skeleton& s, const std::vector<double>& half_thickness) {
  std::vector<BoneChain> chains;
  for (int b = 0; b < static_cast<int>(s.bones.size()); ++b) {
    if (!s.bones[b].children.empty()) continue;
    BoneChain chain;
    for (int k = b; k >= 0 && s.bones[k].parent >= 0 && s.bones[k].children.size() <= 1; k = s.bones[k].parent) {
      chain.bones.insert(chain.bones.begin(), k);
    }
    if (chain.bones.empty()) continue;
    measure(s, half_thickness, chain);
    chains.push_back(std::move(chain));
  }
  return chains;
}

bool is_slender(const BoneChain& chain) { return chain.length >= kSlender * chain.half; }

std::vector<int> find_trailing(const Skeleton& s, const BoneKindInput& input, const BoneKinds& kinds,
                               const TrailingWishes& wishes) {
  const auto n = static_cast<int>(s.bones.size());
  std::vector<char> trails(n, 0);
  if (wishes.by_shape) trails = TrailingFinder(s, input, kinds).by_shape();
  for (const int b : wishes.trail) {
    for (const int k : s.family(b)) trails[k] = 1;
  }
  for (const int b : wishes.hold) trails[b] = 0;
  // Those that hang together are one part.
  std::vector<int> part(n, -1);
  int count = 0;
  for (int b = 0; b < n; ++b) {
    if (!trails[b] || (s.bones[b].parent >= 0 && trails[s.bones[b].parent])) continue;
    for (const int k : s.family(b)) {
      if (trails[k] && (k == b || part[s.bones[k].parent] == count)) part[k] = count;
    }
    ++count;
  }
  return part;
}

TrailingField trailing_field(const TetMesh& cage, const CageGraph& graph, const Skeleton& s, const SkinWeights& weights,
                             const std::vector<int>& part_of, const std::vector<double>& painted) {
  TrailingField field;
  const int n_parts = part_of.empty() ? 0 : 1 + *std::max_element(part_of.begin(), part_of.end());
  if (n_parts == 0) return field;
  const int n = cage.n_vertices();
  field.part.assign(n, -1);
  field.root.assign(n, 0);
  std::vector<double> sums(n_parts, 0);
  for (int v = 0; v < n; ++v) {
    if (!painted.empty() && painted[v] < kOwn) continue;
    std::fill(sums.begin(), sums.end(), 0);
    double all = 0;
    for (int k = weights.first[v]; k < weights.first[v + 1]; ++k) {
      const int b = s.index[weights.bone[k]];
      if (b < 0 || part_of[b] < 0) continue;
      sums[part_of[b]] += weights.weight[k];
      all += weights.weight[k];
    }
    if (all >= kOwn) field.part[v] = static_cast<int>(first_of_most(sums));
  }
  // Whatever way leads into a part leads through its ring.
  std::vector<int> ring(n_parts, 0);
  for (int v = 0; v < n; ++v) {
    if (field.part[v] < 0) continue;
    for (int k = graph.first[v]; k < graph.first[v + 1] && !field.root[v]; ++k) {
      field.root[v] = field.part[graph.neighbour[k]] < 0;
    }
    ring[field.part[v]] += field.root[v];
  }
  // A part with tets of its own, as a strand of hair may be, is rooted where it begins.
  for (int p = 0; p < n_parts; ++p) {
    if (ring[p] >= 3) continue;
    const Along along(s, part_of, p);
    double first = std::numeric_limits<double>::infinity();
    for (int v = 0; v < n; ++v) {
      if (field.part[v] == p) first = std::min(first, along(cage.vertices[v]));
    }
    for (int v = 0; v < n; ++v) {
      if (field.part[v] == p && along(cage.vertices[v]) <= first + graph.edge[v]) field.root[v] = 1;
    }
  }
  return field;
}

void free_trailing(const CageGraph& graph, const TrailingField& field, CoreField& core) {
  if (!field.any()) return;
  for (int v = 0; v < graph.size(); ++v) {
    if (field.part[v] < 0) continue;
    core.width[v] = 2 * graph.edge[v];
    core.beyond[v] = field.root[v] ? 0 : core.width[v];
    core.swings[v] = 1;
  }
}

}  // namespace supple
