// What the dials came to, measured on the caches of a run and by ring-downs, beside the same of the scene without them.
#pragma once
#include "supple/io/point_cache.h"
#include "supple/pipeline/run/measurements.h"

namespace supple::pipeline {

// Whether the scene has any dial, look or tuned part.
bool has_dials(const SceneConfig& config);

// How far parts go, their frequency, half-life and sag. Sizes of `known` may be those of none.
void add_measured(const Job& job, const PointCache& tets, const PointCache& statics, RunNumbers& numbers,
                  KnownResponses& known);
// Frequency, half-life and sag of a job that is not run; in the order of its body's parts, one where it is whole.
std::vector<MeasuredResponse> measured_at_rest(const Job& job, double release_m, const PointCache* statics,
                                               std::string* frames = nullptr);
// Of parts the one that swings slowest: that is how the whole does. There must be one.
const MeasuredResponse& slowest_of(const std::vector<MeasuredResponse>& parts);
// The scene without dials about the same vertices: its parts are those of `job`.
Job without_dials(const Job& job);

}  // namespace supple::pipeline
