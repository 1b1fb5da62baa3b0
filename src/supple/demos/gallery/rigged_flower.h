// A flower in a pot with a rig of 24 parameters on a coarse body, for physics in the space of its rig: tets whose
// boundary is its skin.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"
#include "supple/mesh/tet_mesh.h"

namespace supple::demos {

constexpr double kRiggedFlowerFps = 24;
constexpr int kRiggedFlowerFrames = 96;

struct RiggedFlower {
  // Joints: pot, which the clip "shove" pushes about; stem1 .. stem3, blossom, and leaf_l1, leaf_l2, leaf_r1, leaf_r2,
  // which nothing is keyed of.
  Character character;
  TetMesh tets;  // the first n_surface vertices are the skin, in single precision
  int n_surface = 0;
};
RiggedFlower make_rigged_flower(int frames = kRiggedFlowerFrames);
std::map<std::string, Vec3> rigged_flower_colors();  // of its materials

}  // namespace supple::demos
