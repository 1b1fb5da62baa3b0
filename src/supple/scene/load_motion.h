// The motion of a scene.
#pragma once
#include <memory>

#include "supple/anim/track.h"

namespace supple {

struct Job;
struct Body;

// Of the attached points and whatever follows them; null when they stay. frames: how many the motion has.
std::shared_ptr<const Track> load_motion(Job& job, const Body& body, int& frames);

}  // namespace supple
