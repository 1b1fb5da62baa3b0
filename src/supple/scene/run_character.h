// `supple run`: an animated character in, the same character with soft tissue out.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/io/gltf/soft_glb.h"
#include "supple/scene/run.h"

namespace supple {

struct RunCharacterOptions {
  std::string out;        // .glb
  std::string directory;  // of the take: scene, report, caches
  bool overwrite = false, replace = false, strict = false;
  std::function<void(const std::string&)> note, warn;
  // A clip begins: its name and how many frames it has; then progress, as RunOptions has it.
  std::function<void(const std::string& clip, int n_frames)> begin;
  std::function<void(int frame, int n_frames)> progress;
  std::function<bool()> cancelled;
};

// The scene of `supple run`, from what the command line says of it.
struct RunCharacterRequest {
  std::string file;
  std::string clip;  // "": the first; "all"
  std::vector<std::string> set;
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
  std::vector<std::string> clips;  // simulated
  std::vector<RunResult> runs;     // one a clip
  Json report;
};

// clip: as in the request. InputError: `out` exists and overwrite is not said, ...
RunCharacterResult run_character(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& options);

}  // namespace supple
