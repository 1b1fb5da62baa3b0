// The points that a skeleton deformer moves.
#include <algorithm>

#include "supple/rigs/skeleton_deformer_data.h"

namespace supple {

SkeletonDeformer::Bound::Bound(const Data& data, SkinWeights weights, std::vector<Morph> targets)
    : n_points(weights.size()), skin(std::move(weights)), morphs(std::move(targets)) {
  const std::vector<Bone>& bones = data.drawn->bones;
  std::vector<char> used(bones.size(), 0);
  for (int b : skin.bone) used[b] = 1;
  for (const Data::Joint& joint : data.joints) {
    std::vector<char> inside(data.character->nodes.size(), 0);
    for (int node : joint.below) inside[node] = 1;
    Under u;
    u.slot.assign(bones.size(), -1);
    for (size_t b = 0; b < bones.size(); ++b) {
      if (!used[b] || !inside[bones[b].node]) continue;
      u.slot[b] = static_cast<int>(u.bones.size());
      u.bones.push_back(static_cast<int>(b));
    }
    for (int i = 0; i < n_points; ++i) {
      const auto *begin = &skin.bone[skin.first[i]], *end = begin + (skin.first[i + 1] - skin.first[i]);
      if (std::any_of(begin, end, [&](int b) { return u.slot[b] >= 0; })) u.points.push_back(i);
    }
    under.push_back(std::move(u));
  }
}

VecX SkeletonDeformer::Bound::shaped(const VecX& x, const std::vector<double>& weights) const {
  VecX at = x;
  for (size_t m = 0; m < morphs.size(); ++m) {
    if (weights[m] == 0) continue;
    for (size_t k = 0; k < morphs[m].points.size(); ++k)
      at.segment<3>(3 * morphs[m].points[k]) += weights[m] * morphs[m].offsets[k];
  }
  return at;
}

Mat34 SkeletonDeformer::Bound::blended(int point, const std::vector<Affine>& bones) const {
  Mat34 map = Mat34::Zero();
  for (int k = skin.first[point]; k < skin.first[point + 1]; ++k) map += skin.weight[k] * bones[skin.bone[k]].matrix();
  return map;
}

}  // namespace supple
