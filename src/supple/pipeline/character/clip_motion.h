// What a clip does to a character, frame by frame, for its flesh to depart from.
#pragma once
#include "supple/anim/clip_frames.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/setup/start_plan.h"

namespace supple::pipeline {

// Samples of points, tet vertices as a rule, and of drawn ones all over the body, at the frames of `clip`; keyed: the
// same clip at the frames of its own keys. At another rate than theirs a clip goes in straight lines from one key to
// the next, whose corners would kick the flesh at a beat that is not the motion's: the tets are led through the keys
// smoothly instead. Leaps are looked for at the keys, between which they would be cut in two.
DrawnMotion clip_motion(const CharacterSetup& c, const SkinnedPoints& points, const ClipFrames& clip,
                        const ClipFrames& keyed);

}  // namespace supple::pipeline
