// Parts that trail behind the body: tails, ears, trunks, antennae, strands of hair. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/bones.h"
#include "supple/attach/flesh_core.h"

namespace supple {

// A chain of bones from a leaf up to where the skeleton branches, root first.
struct BoneChain {
  std::vector<int> bones;                 // of Skeleton::bones
  double length = 0, half = 0, area = 0;  // [m]; mean half-thickness [m]; of skin that it leads [m^2]
};
std::vector<BoneChain> chains_of(const Skeleton& skeleton, const std::vector<double>& half_thickness);
bool is_slender(const BoneChain& chain);

// What an artist says, as bones of the skeleton: these and all below them trail, and those do not.
struct TrailingWishes {
  bool by_shape = true;  // what nobody named is found
  std::vector<int> trail, hold;
};

// Per bone of the skeleton the number of the trailing part it is of; -1: of none. By shape these are slender chains of
// leaf bones that are no limbs: they do not stand, end in no solid, hold nothing, and are no pair of arms or wings.
// Where one of a pair trails the other does. kinds: with solid ends.
std::vector<int> find_trailing(const Skeleton& skeleton, const BoneKindInput& input, const BoneKinds& kinds,
                               const TrailingWishes& wishes);

// What of a cage trails: where the weights of a part's bones are most.
struct TrailingField {
  std::vector<int> part;   // per vertex: number of its part, -1: none
  std::vector<char> root;  // per vertex: of the ring that roots its part, and driven
  bool any() const { return !part.empty(); }
};
// part_of: per bone of the skeleton. painted: how soft somebody wants each vertex (NaN: not said), or empty.
TrailingField trailing_field(const TetMesh& cage, const CageGraph& graph, const Skeleton& skeleton,
                             const SkinWeights& weights, const std::vector<int>& part_of,
                             const std::vector<double>& painted);
// Frees the parts as wholes, from their roots on.
void free_trailing(const CageGraph& graph, const TrailingField& field, CoreField& core);

}  // namespace supple
