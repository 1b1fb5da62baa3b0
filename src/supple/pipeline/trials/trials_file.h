// trials.json: what was measured of a scene, to be used again when the same scene is tuned to something else.
#pragma once
#include <string>

#include "supple/pipeline/trials/experiment.h"

namespace supple::pipeline {

// Nothing is read from a file that is missing, of another scene or damaged.
void read_trials(const std::string& path, const std::string& fingerprint, SceneExperiment& experiment);
void write_trials(const std::string& path, const std::string& fingerprint, const SceneExperiment& experiment);

}  // namespace supple::pipeline
