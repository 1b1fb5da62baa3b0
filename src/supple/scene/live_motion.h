// How the bones of live parts move in the clips of a character.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/modal/oscillators.h"

namespace supple {

inline constexpr double kLiveRate = 480;  // [Hz] of what is computed ahead

// A frame without scale: rotations of mirrored nodes are those with their x axis turned round.
BoneFrame rigid_frame(const Affine& world, double scale);

// A bone over a clip, from its first key: smooth through the frames at `fps`, in metres.
struct ClipMotion {
  BoneMotion motion;          // from `lead` samples before the first frame on
  size_t lead = 0;            // of a loop: cycles that come before
  size_t per_frame = 1;       // samples a frame
  std::vector<double> times;  // of the frames, in the clip's own time [s]
  bool loops = false;
};
ClipMotion clip_motion(const Character& character, const Clip& clip, int node, double scale, double fps);

// Where a character has no clip: a hop, a stop, a twist and a shake of its size.
std::vector<BoneMotion> usual_motions(const BoneFrame& frame, double size, const Vec3& up);

}  // namespace supple
