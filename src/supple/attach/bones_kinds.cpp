// Which bones end in something solid (a head, a hand, a hoof) and which swing (an ear, a tail, a trunk), by shape only.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "supple/attach/bones.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

constexpr double kLongest = 2.4;     // of a blob: its length over its width
constexpr double kPure = 0.95;       // weight of an end's own bones where it is carried as one solid
constexpr double kSlender = 6;       // an appendage's length over its half-thickness: three times its thickness
constexpr double kThickEnd = 0.045;  // half-thickness over height: what ends thicker is a head, not the tip of a tail

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
  const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(moment / static_cast<double>(vertices.size())).eigenvalues();
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

  // Bones that rigid things hang on: eyes, teeth, what a hand holds.
  void find_carriers() {
    carries_.assign(s_.bones.size(), 0);
    if (!in_.pieces) return;
    const Drawn& drawn = *in_.drawn;
    const SkinWeights& weights = drawn.vertices.skin;
    for (const Piece& piece : *in_.pieces) {
      if (piece.role != Role::rigid) continue;
      std::vector<double> sum(drawn.bones.size(), 0);
      double all = 0;
      for (const int v : piece.vertices) {
        for (int k = weights.first[v]; k < weights.first[v + 1]; ++k) {
          sum[weights.bone[k]] += weights.weight[k];
          all += weights.weight[k];
        }
      }
      const auto most = std::max_element(sum.begin(), sum.end());
      if (most == sum.end() || !(*most > 0.9 * all)) continue;
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
      if (b >= 0 && std::find(family.begin(), family.end(), b) != family.end()) sum += w.weight[k];
    }
    return sum;
  }

  // An end of the body (few bones below it, under half of the skin) that is a blob and carried almost wholly by its own
  // bones is one solid: a skull, a fist, a shoe. Flesh that a bone merely leads is blended with its neighbours. Where
  // eyes or the like hang on it, it need not be a blob: a muzzle is long.
  void find_solid_ends() {
    for (int b = 0; b < static_cast<int>(s_.bones.size()); ++b) {
      if (s_.bones[b].parent < 0 || s_.height(b) > 3) continue;
      const std::vector<int> family = s_.family(b);
      std::vector<int> vertices;
      double area = 0;
      bool carrier = false;
      for (const int k : family) {
        vertices.insert(vertices.end(), s_.bones[k].led.begin(), s_.bones[k].led.end());
        area += s_.bones[k].led_area;
        carrier = carrier || carries_[k];
      }
      if (vertices.size() < 4 || area > 0.5 * s_.area) continue;
      int pure = 0;
      for (const int v : vertices) pure += weight_of(v, family) >= kPure;
      const Vec3 axes = spread(*in_.skin, vertices);
      const bool blob = axes[0] <= kLongest * axes[1] && pure > 0.6 * static_cast<double>(vertices.size());
      const bool muzzle =
          carrier && axes[0] <= 1.5 * kLongest * axes[1] && pure > 0.3 * static_cast<double>(vertices.size());
      if (!blob && !muzzle) continue;
      for (const int k : family) result_.solid[k] = 1;
    }
  }

  // Fingers: three or more chains at a small part.
  bool is_finger(const Chain& chain) const {
    const int hand = s_.bones[chain.bones.front()].parent;
    int siblings = 0;
    double area = s_.bones[hand].led_area;
    for (const Chain& other : chains_) {
      if (s_.bones[other.bones.front()].parent != hand) continue;
      ++siblings;
      area += other.area;
    }
    return siblings >= 3 && s_.bones[hand].parent >= 0 && area < 0.15 * s_.area;
  }

  // A limb has a twin: a chain of as many bones, as long and as thick.
  bool has_twin(const Chain& chain) const {
    for (const Chain& other : chains_) {
      if (&other == &chain || other.bones.size() != chain.bones.size()) continue;
      const double longer = std::max(other.length, chain.length), thicker = std::max(other.half, chain.half);
      if (std::abs(other.length - chain.length) < 0.1 * longer && std::abs(other.half - chain.half) < 0.2 * thicker) {
        return true;
      }
    }
    return false;
  }

  // What hangs on a chain that is not a limb: it does not stand on the floor, is no finger, no neck with a head, and is
  // slender. Legs, arms and wings come in pairs of three bones or more; pairs of one or two bones are ears.
  bool swings(const Chain& chain) const {
    const int tip = chain.bones.back();
    if (!(chain.half > 0) || chain.length < kSlender * chain.half || chain.length < 0.04 * in_.height) return false;
    if (chain.area > 0.4 * s_.area || (*in_.half_thickness)[tip] > kThickEnd * in_.height) return false;
    for (const int b : chain.bones) {
      if (carries_[b]) return false;
      for (const int v : s_.bones[b].led) {
        if ((*in_.planted)[v]) return false;
      }
    }
    return !is_finger(chain) && !(chain.bones.size() >= 3 && has_twin(chain));
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
