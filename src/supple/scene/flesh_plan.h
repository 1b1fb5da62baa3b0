// What the flesh of a character is like where the scene does not say: frequency, half-life, how far it is thrown.
#pragma once
#include <vector>

#include "supple/scene/config.h"
#include "supple/scene/load_body.h"

namespace supple {

struct Job;

// Numbers for every region of the flesh, by its thickness and by what the clip does with it. They come from the
// reference cage, so that they are the same for any tets. job: character, clip and config are used.
std::vector<FleshConfig> plan_flesh(const Job& job);

// Gives the body what job.config.flesh says, or what plan_flesh does: stiffness, rest shape, and of the job flesh,
// inertia, half_life, hanging.
void set_flesh(Job& job, Body& body);

}  // namespace supple
