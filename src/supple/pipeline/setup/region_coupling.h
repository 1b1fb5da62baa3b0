// Regions that touch: what each is asked for, met although their swings are shared.
#pragma once
#include "supple/pipeline/setup/adjusted_body.h"
#include "supple/pipeline/setup/dial_requests.h"

namespace supple::pipeline {

// Fills body.fields.part_hz, changes chi of `asked` and, where the rest shape was made for gravity, that of the body.
void meet_frequencies(const SceneConfig& config, AdjustedBody& body, const Parts& parts, DialRequests& asked,
                      Notes& notes);

// Changes the damping of body.parts; body.fields.chi is known by then.
void meet_half_lives(const SceneConfig& config, AdjustedBody& body, const Parts& parts, const DialRequests& asked);

}  // namespace supple::pipeline
