// The poses of a clip, one a frame.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"

namespace supple {

struct ClipFrames {
  double fps = 24;
  std::vector<double> times;  // of the frames, in the clip's own time [s]; the last one may be less than a frame later
  std::vector<Pose> poses;
};
ClipFrames frames_of(const Character& character, const Drawn& drawn, const Clip& clip, double fps);

}  // namespace supple
