#include "supple/anim/clip_frames.h"

#include <algorithm>

#include "supple/anim/frame_count.h"

namespace supple {

ClipFrames frames_of(const Character& character, const Drawn& drawn, const Clip& clip, double fps) {
  ClipFrames f{.fps = fps, .times = {}, .poses = {}};
  // A clip that ends between two frames has its end as last frame.
  const int n = frames_up_to(clip.end - clip.start, fps, {character.file, 0, 0, "clip '" + clip.name + "'"});
  for (int k = 0; k < n; ++k) {
    f.times.push_back(std::min(clip.start + k / fps, clip.end));
    f.poses.push_back(pose_at(character, drawn, clip, f.times.back()));
  }
  return f;
}

}  // namespace supple
