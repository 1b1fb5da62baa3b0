// What a clip does to a character, frame by frame, for its flesh to depart from.
#pragma once
#include "supple/anim/clip_frames.h"
#include "supple/anim/motion_cuts.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/setup/start_plan.h"

namespace supple::pipeline {

// Where a clip is cut and which of its frames are none of it, by drawn vertices all over the body: found once, for all
// that goes by the clip. Looked for at the frames of its own keys, between which a leap would be cut in two.
struct ClipCuts {
  MotionCuts keys, frames;  // of the frames of its keys, and of those asked for
  std::vector<VecX> drawn;  // those vertices at the frames asked for, bridged
  // Frames that are drawn beside the motion, and what takes it there.
  std::vector<std::pair<int, RigidMotion>> aside;
};
// clip: the frames asked for; keyed: the same clip at the frames of its own keys. find: else there are none.
ClipCuts find_clip_cuts(const Character& character, const Drawn& drawn, const ClipFrames& clip, const ClipFrames& keyed,
                        bool find);

// Samples of points, tet vertices as a rule, and of those drawn ones, at the frames of `clip`. At another rate than
// that of its keys a clip goes in straight lines from one key to the next, whose corners would kick the flesh at a beat
// that is not the motion's: the tets are led through the keys smoothly instead.
DrawnMotion clip_motion(const SkinnedPoints& points, const ClipFrames& clip, const ClipFrames& keyed,
                        const ClipCuts& cuts);

}  // namespace supple::pipeline
