// `supple run`: an animated character in, the same character with soft tissue out.
#pragma once
#include <string>
#include <vector>

#include "supple/io/gltf/soft_glb.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/overrides.h"

namespace supple::pipeline {

struct RunCharacterOptions {
  std::string out;        // .glb
  std::string directory;  // of the take: scene, report, caches
  bool overwrite = false, replace = false;
};

// The scene of `supple run`, from what the command line says of it.
struct RunCharacterRequest {
  std::string file;
  std::string clip;  // "": the first; "all"
  Overrides set;
};
SceneConfig character_scene(const RunCharacterRequest& request);

struct ClipLine {
  std::string name;
  double seconds = 0, fps = 24;
};
std::vector<ClipLine> clips_of(const std::string& file);

struct RunCharacterResult {
  RunStatus status = RunStatus::done;
  std::string message;
  bool best_effort = false;
  SoftGlbReport glb;
  std::vector<std::string> clips;    // simulated
  std::vector<std::string> folders;  // theirs in the directory; "": the directory itself
  std::vector<RunResult> runs;       // one a clip
  Json report;
};

// clip: as in the request. InputError: `out` exists and overwrite is not said, ...
// watch: the stage "simulating CLIP", once for every attempt.
RunCharacterResult run_character(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& options,
                                 const Watch& watch = {});

}  // namespace supple::pipeline
