// Which bones end in something solid (a head, a hand, a hoof) and which swing (an ear, a tail, a trunk), by shape only.
#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/attach/bones.h"
#include "supple/linalg/dense.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

constexpr double kLongest = 2.4;     // of a blob: its length over its width
constexpr double kFlattest = 0.3;    // of a blob: its thickness over its length; fins and ears are flatter
constexpr double kPure = 0.95;       // weight of an end's own bones where it is carried as one solid
constexpr double kPureShare = 0.75;  // of its skin vertices that are
constexpr double kPureTwin = 0.55;   // likewise of an end of a pair: hands and feet
constexpr double kPureAlone = 0.62;  // likewise of the largest bone of an end without a twin
constexpr double kSlender = 6;       // an appendage's length over its half-thickness: three times its thickness
constexpr double kThickEnd =
    0.045;                        // half-thickness over height: what ends thicker is soft by its thickness, or a head
constexpr double kStands = 0.05;  // of the height: limbs of a pair that reach so far down are legs

// Standard deviations of points along their main axes, largest first.
Vec3 spread(const TriMesh& skin, const std::vector<int>& vertices) {
  Vec3 mean = Vec3::Zero();
  for (const int v : vertices) mean += skin.vertices[v];
  mean /= static_cast<double>(vertices.size());
  Mat3 moment = Mat3::Zero();
  for (const int v : vertices) {
    const Vec3 d = skin.vertices[v] - mean;
    moment += d * d.transpose();
  }
  const Vec3 values = symmetric_eigen3(moment / static_cast<double>(vertices.size())).values;
  return values.cwiseMax(0).cwiseSqrt().reverse();
}

class Kinds {
 public:
  Kinds(const Skeleton& skeleton, const BoneKindInput& input) : s_(skeleton), in_(input) {
    result_.solid.assign(s_.bones.size(), 0);
    result_.appendage.assign(s_.bones.size(), -1);
    find_carriers();
    find_chains();
    find_solid_ends();
    find_appendages();
  }
  BoneKinds take() { return std::move(result_); }

 private:
  struct Chain {
    std::vector<int> bones;  // root first
    double length = 0, half = 0, area = 0;
  };

  // Bones that solid things hang on: eyes, teeth, what a hand holds.
  void find_carriers() {
    carries_.assign(s_.bones.size(), 0);
    if (!in_.pieces) return;
    const Drawn& drawn = *in_.drawn;
    const SkinWeights& weights = drawn.vertices.skin;
    for (const Piece& piece : *in_.pieces) {
      const bool solid = piece.role == Role::rigid || (piece.role == Role::rides && piece.hard);
      if (!solid) continue;
      std::vector<double> sum(drawn.bones.size(), 0);
      double all = 0;
      for (const int v : piece.vertices) {
        for (int k = weights.first[v]; k < weights.first[v + 1]; ++k) {
          sum[weights.bone[k]] += weights.weight[k];
          all += weights.weight[k];
        }
      }
      const auto most = std::max_element(sum.begin(), sum.end());
      if (most == sum.end() || !(*most > 0.5 * all)) continue;
      int b = static_cast<int>(most - sum.begin());
      for (size_t steps = 0; b >= 0 && s_.index[b] < 0 && steps < sum.size(); ++steps) b = drawn.bones[b].parent;
      if (b >= 0 && s_.index[b] >= 0) carries_[s_.index[b]] = 1;
    }
  }

  // From each leaf up to where the skeleton branches.
  void find_chains() {
    for (int b = 0; b < static_cast<int>(s_.bones.size()); ++b) {
      if (!s_.bones[b].children.empty()) continue;
      Chain chain;
      for (int k = b; k >= 0 && s_.bones[k].parent >= 0 && s_.bones[k].children.size() <= 1; k = s_.bones[k].parent) {
        chain.bones.insert(chain.bones.begin(), k);
      }
      if (chain.bones.empty()) continue;
      double weight = 0;
      for (const int k : chain.bones) {
        const auto& [from, to] = s_.bones[k].segments.front();
        chain.length += (to - from).norm();
        chain.area += s_.bones[k].led_area;
        chain.half += s_.bones[k].led_area * (*in_.half_thickness)[k];
        weight += s_.bones[k].led_area;
      }
      chain.half = weight > 0 ? chain.half / weight : 0;
      chains_.push_back(std::move(chain));
    }
  }

  double weight_of(int skin_vertex, const std::vector<int>& family) const {
    const SkinWeights& w = in_.drawn->vertices.skin;
    double sum = 0;
    for (int k = w.first[(*in_.source)[skin_vertex]]; k < w.first[(*in_.source)[skin_vertex] + 1]; ++k) {
      const int b = s_.index[w.bone[k]];
      if (b >= 0 && contains(family, b)) sum += w.weight[k];
    }
    return sum;
  }

  // An end of the body (few bones below it, under half of the skin) that is a blob and carried almost wholly by its own
  // bones is one solid: a skull, a fist, a shoe. Flesh that a bone merely leads is blended with its neighbours. An end
  // of the middle must have one bone that carries it so: the end of a thick tail is blended from bone to bone. Where
  // eyes or the like hang on a bone, how it is weighted does not matter.
  void find_solid_ends() {
    for (int b = 0; b < static_cast<int>(s_.bones.size()); ++b) {
      if (s_.bones[b].parent < 0 || s_.height(b) > (carries_[b] ? 4 : 2)) continue;
      const std::vector<int> family = without_slender(s_.family(b));
      const std::vector<int> vertices = led_by(family);
      double area = 0;
      int largest = b;
      for (const int k : family) {
        area += s_.bones[k].led_area;
        if (s_.bones[k].led_area > s_.bones[largest].led_area) largest = k;
      }
      if (vertices.size() < 4 || area > 0.45 * s_.area) continue;
      const Vec3 axes = spread(*in_.skin, vertices);
      if (axes[0] > kLongest * axes[1]) continue;
      const double whole = purity(vertices, family);
      const bool pure = s_.bones[b].twin >= 0
                            ? whole > kPureTwin
                            : whole > kPureShare && purity(s_.bones[largest].led, {largest}) > kPureAlone;
      if (!carries_[b] && (!pure || axes[2] < kFlattest * axes[0])) continue;
      for (const int k : family) result_.solid[k] = 1;
    }
  }

  // What slender chains hang on them (ears, fingers) is no part of the blob.
  std::vector<int> without_slender(std::vector<int> family) const {
    for (const Chain& chain : chains_) {
      if (chain.length < kSlender * chain.half || !contains(family, s_.bones[chain.bones.front()].parent)) continue;
      std::erase_if(family, [&](int b) { return contains(chain.bones, b); });
    }
    return family;
  }
  static bool contains(const std::vector<int>& list, int item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }

  // Share of these vertices that the bones carry almost wholly.
  double purity(const std::vector<int>& vertices, const std::vector<int>& bones) const {
    double pure = 0;
    for (const int v : vertices) pure += weight_of(v, bones) >= kPure;
    return vertices.empty() ? 0 : pure / static_cast<double>(vertices.size());
  }

  std::vector<int> led_by(const std::vector<int>& bones) const {
    std::vector<int> vertices;
    for (const int b : bones) vertices.insert(vertices.end(), s_.bones[b].led.begin(), s_.bones[b].led.end());
    return vertices;
  }

  // A limb has a twin: one of its bones has, or there is a chain of as many bones, as long and as thick.
  bool has_twin(const Chain& chain) const {
    for (const int b : chain.bones) {
      if (s_.bones[b].twin >= 0 && !contains(chain.bones, s_.bones[b].twin)) return true;
    }
    for (const Chain& other : chains_) {
      if (&other == &chain || other.bones.size() != chain.bones.size()) continue;
      const double longer = std::max(other.length, chain.length), thicker = std::max(other.half, chain.half);
      if (std::abs(other.length - chain.length) < 0.1 * longer && std::abs(other.half - chain.half) < 0.2 * thicker) {
        return true;
      }
    }
    return false;
  }

  bool stands(const Chain& chain) const {
    double lowest = std::numeric_limits<double>::infinity();
    for (const int v : led_by(chain.bones)) lowest = std::min(lowest, in_.up.dot(in_.skin->vertices[v]));
    return lowest < in_.bottom + kStands * in_.height;
  }

  // What hangs on a chain and is no limb. It is slender, and longer than wide. It does not stand on the floor and holds
  // nothing. It does not end in a solid: necks end in heads. It hangs on a bone of the middle: fingers hang on one of a
  // pair. Legs and arms come in pairs of three bones or more, unless it is a head that such a pair hangs on (long ears)
  // or they are flat (wings, fins).
  bool swings(const Chain& chain) const {
    const std::vector<int> vertices = led_by(chain.bones);
    if (vertices.size() < 3 || !(chain.half > 0) || chain.area > 0.4 * s_.area) return false;
    const Vec3 axes = spread(*in_.skin, vertices);
    const double half_width = std::sqrt(3.0) * axes[1];
    if (chain.length < kSlender * chain.half || chain.length < 0.04 * in_.height) return false;
    if (chain.length < 2.4 * half_width) return false;
    for (const int b : chain.bones) {
      if (carries_[b]) return false;
    }
    for (const int v : vertices) {
      if ((*in_.planted)[v]) return false;
    }
    const int root = s_.bones[chain.bones.front()].parent;
    if (s_.bones[root].twin >= 0) return false;
    if (result_.solid[chain.bones.back()] && !result_.solid[root]) return false;
    if ((*in_.half_thickness)[chain.bones.back()] > kThickEnd * in_.height) return false;
    if (!has_twin(chain)) return true;
    if (stands(chain)) return false;
    const bool flat = half_width > 3.5 * chain.half && axes[1] > 2.5 * axes[2];
    return chain.bones.size() < 3 || result_.solid[root] || flat;
  }

  void find_appendages() {
    for (const Chain& chain : chains_) {
      if (!swings(chain)) continue;
      Appendage a;
      a.chain = chain.bones;
      for (const int b : chain.bones) {
        a.start.push_back(a.length);
        const auto& [from, to] = s_.bones[b].segments.front();
        a.length += (to - from).norm();
        result_.solid[b] = 0;
        result_.appendage[b] = static_cast<int>(result_.appendages.size());
      }
      result_.appendages.push_back(std::move(a));
    }
  }

  const Skeleton& s_;
  const BoneKindInput& in_;
  std::vector<char> carries_;
  std::vector<Chain> chains_;
  BoneKinds result_;
};

}  // namespace

double Appendage::along(const Skeleton& s, const Vec3& x) const {
  double nearest = std::numeric_limits<double>::infinity(), where = 0;
  for (size_t k = 0; k < chain.size(); ++k) {
    const auto& [from, to] = s.bones[chain[k]].segments.front();
    const Vec3 q = closest_on_segment(x, from, to);
    const double d = (x - q).squaredNorm();
    if (d >= nearest) continue;
    nearest = d;
    where = start[k] + (q - from).norm();
  }
  return length > 0 ? where / length : 0;
}

BoneKinds find_bone_kinds(const Skeleton& skeleton, const BoneKindInput& input) {
  return Kinds(skeleton, input).take();
}

}  // namespace supple
