// Regions that touch: what each is asked for, met although their swings are shared.
#pragma once
#include "supple/scene/asked.h"

namespace supple {

struct Job;

// Fills job.fields.part_hz, changes chi of `asked` and, where the rest shape was made for gravity, that of the job.
void meet_frequencies(Job& job, const Parts& parts, Asked& asked);

// Changes the damping of job.parts; job.fields.chi is known by then.
void meet_half_lives(Job& job, const Parts& parts, const Asked& asked);

}  // namespace supple
