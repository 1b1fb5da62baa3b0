// Shapes that mend what bones do to the skin in certain poses, and their weights along a clip.
#pragma once
#include "supple/anim/pose_space.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos {

// A solid that a part of the skin gives way to: behind it, in a pose, skin of `joints` moves out by `share` of its
// depth.
struct Bump {
  SignedDistance solid;     // at rest
  int carrier = 0;          // the joint that takes it along
  std::vector<int> joints;  // whose skin gives way
  double share = 0.5;
};

struct Sculpt {
  double round = 0.8;  // how much of the volume that blended bones lose at joints is given back
  std::vector<Bump> bumps;
  int smooth = 6;  // rings of triangles
};

// Some joints, and poses of them that have a shape of their own; all other joints are at rest in it.
struct Corrective {
  std::string name;
  std::vector<int> joints;
  std::vector<std::vector<Quat>> poses;
};

// One blend shape for each pose of each corrective ("name.1", ...), sculpted in it, and weights of all of them at every
// frame of the clip. shapes: weights of blend shapes that were there
// before, by frame.
void add_correctives(const Rig& rig, const RiggedSkin& skin, const std::vector<Corrective>& correctives,
                     const Sculpt& sculpt, int frames, double fps, RiggedCharacter& character, Clip& clip,
                     const std::function<std::vector<double>(int frame)>& shapes = {});

// Offsets of the surface at rest that the pose calls for.
Points sculpted(const Rig& rig, const RiggedSkin& skin, const std::vector<Quat>& turns, const Sculpt& sculpt);

// A blend shape of the whole surface; ornaments stay.
int add_surface_shape(const RiggedSkin& skin, const std::string& name, const Points& offsets,
                      RiggedCharacter& character);

}  // namespace supple::demos
