// How the bones of live parts move in the clips of a character.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/anim/motion_cuts.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/modal/oscillators.h"
#include "supple/scene/config.h"

namespace supple::pipeline::live {

inline constexpr double kLiveRate = 480;  // [Hz] of what is computed ahead

// A frame without scale: rotations of mirrored nodes are those with their x axis turned round.
BoneFrame rigid_frame(const Affine& world, double scale);

// The frames of a clip, and whether it repeats: as all bones say together. A last frame that is cut short is left out.
struct ClipPlan {
  const Clip* clip = nullptr;
  double fps = 30;
  std::vector<double> times;               // of the frames, in the clip's own time [s]
  std::vector<std::vector<Affine>> nodes;  // world matrices of all nodes, frame by frame
  bool loops = false, one_more = false;    // one_more: the first pose comes again a frame after the last
  RigidMotion carry;                       // of a loop: from one cycle to the next
  MotionCuts cuts;                         // of the frames
};
// As timeline.loop and timeline.cuts say.
ClipPlan plan_clip(const Character& character, const Drawn& drawn, const Clip& clip, double scale, double fps,
                   const TimelineConfig& timeline);

// A bone over a clip, from its first key: smooth through the frames, in metres.
struct ClipMotion {
  BoneMotion motion;     // from `lead` samples before the first frame on
  size_t lead = 0;       // of a loop: cycles that come before
  size_t per_frame = 1;  // samples a frame
};
// settles: over a cut the flesh begins anew; else it goes on, seen from the bone.
ClipMotion clip_motion(const ClipPlan& plan, int node, double scale, bool settles);

// Motions that every character can make: a hop, a stop and a twist of its size.
std::vector<BoneMotion> usual_motions(const BoneFrame& frame, double size, const Vec3& up);

}  // namespace supple::pipeline::live
