// An elephant with an artist's rig on a coarse body, for physics in the space of its rig: tets whose boundary is its
// skin, joints from trunk to tail, and blend shapes that push its belly about.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"
#include "supple/mesh/tet_mesh.h"

namespace supple::demos {

constexpr double kRiggedElephantFps = 30;
constexpr int kRiggedWalkFrames = 178, kRiggedDanceFrames = 150;

struct RiggedElephantOptions {
  int walk_frames = kRiggedWalkFrames, dance_frames = kRiggedDanceFrames;  // of the clips, from their beginning
};

struct RiggedElephant {
  // Materials "cloth", "lining" and "toes"; eyes and tusks are pieces of their own. Clips "walk" and "dance", in which
  // nothing is keyed of what hangs on the body:
  //   trunk1 .. trunk5, tail1 .. tail4, ear_l, ear_r   joints that turn
  //   shoulders                                        a joint that carries flesh above the forelegs and is shifted
  //   belly_l_low_1_x .. belly_r_high_3_z              36 blend shapes: twelve places, 0.1 m along each axis
  Character character;
  TetMesh tets;  // the first n_surface vertices are the skin, in single precision
  int n_surface = 0;
};
RiggedElephant make_rigged_elephant(const RiggedElephantOptions& options = {});
std::map<std::string, Vec3> rigged_elephant_colors();  // of its materials

// Places on its skin at rest that can be taken hold of [m]: "trunk", "foot_fore_l" .. "foot_hind_r", "ear_l", "ear_r",
// "back".
std::map<std::string, Vec3> rigged_elephant_grips();

}  // namespace supple::demos
