// What the flesh of a character is like where the scene does not say.
#pragma once
#include "supple/scene/load_body.h"

namespace supple {

struct Job;

// Stiffness of every region for the frequency that suits its thickness, of springs along with it, and the share of each
// tet that is solid; job.half_life_periods and job.inertia.
void set_flesh_defaults(Job& job, Body& body);

}  // namespace supple
