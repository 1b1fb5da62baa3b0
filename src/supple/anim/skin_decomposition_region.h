// One region of a skin decomposition: how many helpers, where, and what of each vertex they carry.
// Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/skin_decomposition.h"

namespace supple {

struct Influence {
  int bone;
  double weight;
};

struct DecomposedRegion {
  std::vector<std::vector<Influence>> influences;  // of its vertices
  std::vector<HelperJoint> helpers;
  RegionFit fit;
};

// size: of the character [m]. first: the number that its first helper has among all bones.
DecomposedRegion decompose_region(const SoftMotion& motion, const SoftRegion& region,
                                  const DecompositionOptions& options, double size, int first);

Vec3 skinned(const SkinWeights& skin, const std::vector<Affine>& bones, int vertex, const Vec3& x);
// Where a vertex is before the skin, at a frame.
const Vec3& rest_at(const SoftMotion& motion, int frame, int vertex);

}  // namespace supple
