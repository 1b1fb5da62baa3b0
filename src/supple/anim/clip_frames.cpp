#include "supple/anim/clip_frames.h"

#include <algorithm>
#include <cmath>

namespace supple {

ClipFrames frames_of(const Character& character, const Drawn& drawn, const Clip& clip, double fps) {
  ClipFrames f{.fps = fps, .times = {}, .poses = {}};
  // A clip that ends between two frames has its end as last frame.
  const int n = std::max(1, static_cast<int>(std::ceil((clip.end - clip.start) * fps - 1e-3)) + 1);
  for (int k = 0; k < n; ++k) {
    f.times.push_back(std::min(clip.start + k / fps, clip.end));
    f.poses.push_back(pose_at(character, drawn, clip, f.times.back()));
  }
  return f;
}

}  // namespace supple
