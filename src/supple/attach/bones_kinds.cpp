// Which bones end in something solid (a head, a hand, a hoof), by shape only.
#include <algorithm>
#include <cmath>

#include "supple/attach/bones.h"
#include "supple/attach/trailing.h"
#include "supple/linalg/dense.h"

namespace supple {
namespace {

constexpr double kLongest = 2.4;     // of a blob: its length over its width
constexpr double kFlattest = 0.3;    // of a blob: its thickness over its length; fins and ears are flatter
constexpr double kPure = 0.95;       // weight of an end's own bones where it is carried as one solid
constexpr double kPureShare = 0.75;  // of its skin vertices that are
constexpr double kPureTwin = 0.55;   // likewise of an end of a pair: hands and feet
constexpr double kPureAlone = 0.62;  // likewise of the largest bone of an end without a twin

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
  Kinds(const Skeleton& skeleton, const BoneKindInput& input)
      : s_(skeleton), in_(input), chains_(chains_of(skeleton, *input.half_thickness)) {
    result_.solid.assign(s_.bones.size(), 0);
    find_carriers();
    find_solid_ends();
    // What one side is the other is.
    const std::vector<char> solid = result_.solid;
    for (size_t b = 0; b < solid.size(); ++b) {
      if (solid[b] && s_.bones[b].twin >= 0) result_.solid[s_.bones[b].twin] = 1;
    }
  }
  BoneKinds take() { return std::move(result_); }

 private:
  // Bones that solid things hang on: eyes, teeth, what a hand holds.
  void find_carriers() {
    result_.carries.assign(s_.bones.size(), 0);
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
      if (b >= 0 && s_.index[b] >= 0) result_.carries[s_.index[b]] = 1;
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
      if (s_.bones[b].parent < 0 || s_.height(b) > (result_.carries[b] ? 4 : 2)) continue;
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
      if (!result_.carries[b] && (!pure || axes[2] < kFlattest * axes[0])) continue;
      for (const int k : family) result_.solid[k] = 1;
    }
  }

  // What slender chains hang on them (ears, fingers) is no part of the blob.
  std::vector<int> without_slender(std::vector<int> family) const {
    for (const BoneChain& chain : chains_) {
      if (!is_slender(chain) || !contains(family, s_.bones[chain.bones.front()].parent)) continue;
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

  const Skeleton& s_;
  const BoneKindInput& in_;
  const std::vector<BoneChain> chains_;
  BoneKinds result_;
};

}  // namespace

BoneKinds find_bone_kinds(const Skeleton& skeleton, const BoneKindInput& input) {
  return Kinds(skeleton, input).take();
}

}  // namespace supple
