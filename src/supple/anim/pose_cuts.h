// Places where a drawn clip leaps: from one frame to the next the body is somewhere else, and nothing on the way there
// says how. A last frame that is the first one again, a character that is put elsewhere, a frame that is not of the
// clip.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

// The diagonal of the box around a body: the median over its poses (flat, one a frame).
double pose_size(const std::vector<VecX>& poses);

// The steps k, from pose k to pose k + 1, at which the body leaps: half of the points or more go
//   - ten times as far as in each of the two steps before and the two after, and by a twentieth of the size, or
//   - four times as far, and by a fifth of the size: what no body does that moves on before and after,
// and hardly any other step of the clip goes a third as far. Where the body is back one frame later, both steps are
// leaps. No leaps are attacks that swing up and down over some frames, impacts (the step before is as long), and clips
// that hold every pose for some frames, where each step is one of many.
std::vector<int> find_pose_cuts(const std::vector<VecX>& poses);

}  // namespace supple
