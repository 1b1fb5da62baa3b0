// The body and the motion of a character: flesh in a cage of tets, driven by its bones.
#pragma once
#include <memory>

#include "supple/anim/track.h"
#include "supple/scene/character_setup.h"
#include "supple/scene/load_body.h"
#include "supple/sim/stepper.h"

namespace supple {

struct Job;

// Fills in job.character (unless it is there), clip and fps.
void read_character(Job& job);
// That, and what the scene leaves to us: stiffness, half-life, inertia. body.attached: where the driven vertices,
// then the springs and then the ties are at rest.
Body character_body(Job& job);

// Its clip at the rate of its own keys.
ClipFrames clip_as_keyed(const Job& job);

// The points of body.attached as the clip moves them. Fills job.first_guess.
std::shared_ptr<const Track> character_motion(Job& job, const Body& body, int& frames);

// A track of body.attached, to driven vertices, springs and ties.
void split_drive(const Body& body, std::shared_ptr<const Track> motion, Drive& drive);

}  // namespace supple
