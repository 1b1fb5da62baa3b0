// `supple run`: an animated character in, the same character with soft tissue out. Its flesh is found once; each clip
// is simulated once, several side by side.
#pragma once
#include <optional>
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
  bool resume = false;      // clips that are done are kept, those that are not are gone on with or begun
  std::optional<int> from;  // of one clip: made anew from this frame on, with other dials
  bool all_clips = false;   // as asked, for the report: the call has `clip`
};

// Whether all of this very call is there already.
bool is_done(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& options);

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

// What became of one clip.
struct ClipRun {
  std::string name;
  std::string folder;  // its own in the directory; "": the directory itself
  RunResult result;    // of a clip that could not begin: status and message alone
};

struct RunCharacterResult {
  RunStatus status = RunStatus::done;  // failed: every clip did
  std::string message;                 // why it stopped; of what is done: which clips failed, or ""
  bool best_effort = false;
  SoftGlbReport glb;
  std::vector<ClipRun> clips;  // those asked for, as the file has them
  Json report;
  int n_failed() const;
};

// clip: as in the request. A clip that fails is told, and the others are delivered; where none is left, the result has
// failed, or the InputError of the first is thrown. InputError: `out` exists and overwrite is not said, ...
// watch: what lies ahead, and the stages of run_stages.h: "reading", "finding the flesh", then those of the run, or of
// several clips "simulating" over the frames of all, with what is written of them; its calls come one at a time, from
// any thread.
RunCharacterResult run_character(const SceneConfig& scene, const std::string& clip, const RunCharacterOptions& options,
                                 const Watch& watch = {});

}  // namespace supple::pipeline
