// The body and the motion of an enriched animation: tets that follow where nothing is soft, and are pulled to the input
// where it is half so.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/anim/track.h"
#include "supple/scene/load_body.h"
#include "supple/sim/stepper.h"

namespace supple {

struct Job;
struct EnrichSetup;

// Fills in job.enrich (unless it is there) and fps. body.attached: rest places of driven vertices, then of springs.
Body enrich_body(Job& job, bool with_motion);
// Of that, what needs no analysis: tets, what is driven, materials as given.
Body enrich_held_body(Job& job, bool with_motion);

// The points of body.attached as the fitted tets move them.
std::shared_ptr<const Track> enrich_motion(Job& job, const Body& body, int& frames);

// How strongly springs pull over the shot (Drive::spring_factors); null: always alike.
std::function<std::vector<double>(double)> enrich_spring_factors(Job& job, const Body& body);

// Steps a frame that the motion asks for: none moves what follows by more than an edge of the tets against the rest.
int enrich_substeps(const EnrichSetup& setup, int first, int last);

}  // namespace supple
