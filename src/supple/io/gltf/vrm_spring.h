// A character's own file again with spring bones (VRMC_springBone of VRM 1.0): soft parts that VRM programs move by
// themselves, in any motion. One joint a region, at its hinge, with its tail at the region's centre.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/spring_bone.h"

namespace supple {

struct SpringRegion {
  std::string name;
  int bone = -1;                                   // of Drawn: the one that carries it
  Vec3 hinge = Vec3::Zero(), tail = Vec3::Zero();  // bound world [m]
  double frequency_hz = 0;                         // undamped
  double half_life_s = 0;
  double sag_rad = 0;             // lean of the drawn shape under gravity; 0: as drawn, it hangs already
  Vec3 gravity_dir = {0, -1, 0};  // world
  double hit_radius = 0;          // [m]
  int center = -1;                // node whose motion the spring does not feel; -1: it feels all
  std::vector<int> vertices;      // of Drawn
  std::vector<double> weights;    // of each on the joint, as by hinge_weights
};

struct SpringReport {
  std::vector<SpringFit> fits;      // one a region
  std::vector<std::string> joints;  // names of the nodes that swing
  size_t bytes = 0;
  std::vector<std::string> warnings;
};

// in: .vrm, .glb or .gltf, the file that `drawn` was laid out from. Springs that it has stay. frame_rate: of the
// programs it is for. InputError as for write_bones_glb, and for a vertex in two regions.
SpringReport write_vrm_springs(const std::string& in, const std::string& out, const Drawn& drawn,
                               const std::vector<SpringRegion>& regions, double frame_rate = 60);

}  // namespace supple
