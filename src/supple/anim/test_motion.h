// Motions to set dials with before the shot exists: driven points leave their rest place rigidly, in a way that shows
// what the flesh does, and then stand still while it rings down.
//   hop    crouches, jumps along `up`, lands and stands again
//   stop   moves sideways at a constant speed and stops within two frames
//   twist  turns by 60 degrees about `up`
//   lean   tilts sideways by 30 degrees in two seconds
//   shake  goes to and fro sideways, three times at 2 Hz
// All are twice continuously differentiable, with exact derivatives, and rest for the first six frames.
#pragma once
#include "supple/anim/track.h"

namespace supple {

const std::vector<std::string>& test_motion_names();

struct TestMotionOptions {
  Vec3 up = {0, 1, 0};  // of any length but zero; sideways is x as far as it is across `up`, else y
  double still_s = 3;   // how long the points stand still at the end [s]
};

// rest: the driven points. size: of the body [m]; paths grow with it. Turns are about the mean of the points.
// InputError: a name that is not known, numbers out of range.
std::unique_ptr<Track> make_test_motion(const std::string& name, const Points& rest, double size, double fps,
                                        const TestMotionOptions& options = {});

// Frames from the first, at time 0, to the end of the still stretch, both counted.
int test_motion_frames(const std::string& name, double fps, const TestMotionOptions& options = {});

}  // namespace supple
