// How far each tet vertex lies beyond the core that follows the bones. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/bones.h"
#include "supple/attach/flesh_graph.h"
#include "supple/attach/thickness.h"

namespace supple {

// The core fills this share of a body's half-thickness around its bones: all of it where the half-thickness is below
// kThin of the height, kCoreOfThick from kThick on.
constexpr double kThin = 0.015, kThick = 0.05, kCoreOfThick = 0.4;
double core_share(double half_thickness_over_height);

struct CoreInput {
  const TetMesh* cage = nullptr;
  const CageGraph* graph = nullptr;
  const Skeleton* skeleton = nullptr;
  const BoneKinds* kinds = nullptr;
  const SkinWeights* weights = nullptr;  // of tet vertices, bones of Drawn
  const Thickness* thickness = nullptr;
  double height = 0;    // of the body [m]
  Vec3 up = {0, 1, 0};  // unit
};

struct CoreField {
  std::vector<double> beyond;  // [m] from the core, 0 in it
  std::vector<double> width;   // [m] over which softness rises from 0 to 1
  std::vector<char> swings;    // is free whatever its thickness: it trails, or somebody asked for it
};

// For characters nobody said anything about. painted (per tet vertex, NaN where nothing is said, or empty): how soft
// skin is to be, which then decides in place of thickness, joints and solid ends.
CoreField core_by_rule(const CoreInput& input, const std::vector<double>& painted);

// Within `radius` of these bones (indices of Skeleton::bones), all else soft.
CoreField core_by_bones(const CoreInput& input, const std::vector<int>& bones, double radius);

// Index of Skeleton::bones with the largest weight at each tet vertex; -1: none.
std::vector<int> leaders(const SkinWeights& weights, const Skeleton& skeleton);

// Softness of what lies so far beyond the core.
std::vector<double> softness_of(const CageGraph& graph, const CoreField& core);

}  // namespace supple
