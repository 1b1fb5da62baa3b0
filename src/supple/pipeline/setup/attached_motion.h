// The motion that a scene itself gives: a track of the attached points, a rigid one, or a test motion.
#pragma once
#include <memory>

#include "supple/pipeline/setup/subject.h"

namespace supple::pipeline {

// Of body.attached and whatever follows them; null when they stay. frames: how many the motion has.
std::shared_ptr<const Track> attached_motion(const ShotInput& in, StartPlanner& planner, int& frames, Notes& notes);

}  // namespace supple::pipeline
