// `supple curves` from a scene to a directory of results.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/curves/run.h"
#include "supple/report/json.h"
#include "supple/scene/overrides.h"

namespace supple::pipeline::curves {

// A scene file, or a character (or an .obj) and overrides.
SceneConfig curves_scene(const std::string& file, const Overrides& overrides);

struct CurvesOptions {
  std::string directory;
  bool overwrite = false;
  bool resume = false;  // go on from the checkpoint there, or where there is none begin
};
// Whether all of this very scene is there already.
bool curves_are_done(const SceneConfig& scene, const std::string& directory);

struct CurvesOutcome {
  CurvesResult result;
  Json report;
  std::vector<std::string> files, warnings;
};
// Results are written when all is done; until then there is a checkpoint. InputError, Cancelled, which says how to go
// on where that is possible, SimulationFailure.
CurvesOutcome make_curves(const SceneConfig& scene, const CurvesOptions& options, const Watch& watch = {});

// All that the rig of a scene offers.
std::vector<RigParameter> list_parameters(const SceneConfig& scene);
// Answers as a rig on file descriptors until it is told to stop.
void serve_scene(const SceneConfig& scene, int input, int output);

}  // namespace supple::pipeline::curves
