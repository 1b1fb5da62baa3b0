// `supple live`: a character in, its live pack out.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/live/build.h"
#include "supple/report/json.h"
#include "supple/scene/overrides.h"

namespace supple::pipeline::live {

struct LiveOptions {
  std::string directory;
  bool overwrite = false;
  bool resume = false;  // make it again where it was stopped: what it is made of is remembered
};

// Whether all of it is there already.
bool live_is_done(const SceneConfig& scene, const std::string& directory);

struct LiveResult {
  std::vector<std::string> files;  // in the directory
  std::vector<std::string> warnings;
  std::vector<std::string> lines;  // what was made, for a reader
  Json report;
};

// A scene of a character, from a .toml or from the character itself.
SceneConfig live_scene(const std::string& file, const Overrides& set);

// InputError: the scene has no character, the directory holds another result and overwrite is not said, ...
// watch: asked before every part; nothing is written then.
LiveResult make_live(const SceneConfig& scene, const LiveOptions& options, const Watch& watch = {});

}  // namespace supple::pipeline::live
