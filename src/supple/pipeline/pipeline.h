// One call for every scene: what it says is made, into a folder.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/pipeline/run/run.h"
#include "supple/report/json.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

enum class Product {
  as_written,      // one run of the scene as it is, of tets, a character or what is enriched; or curves of its rig
  soft_character,  // the character with soft tissue in one .glb, with one flesh for all of its clips: `supple run`
  live_pack,       // a few modes of the character that run in real time: `supple live`
};

// Where results go, and which.
struct OutputFolder {
  std::string directory;   // made when missing
  bool overwrite = false;  // replace results that are there
  // Go on with what was stopped, at any moment: what is done is kept. Where nothing was begun, begin.
  bool resume = false;
  std::optional<int> from;  // make the run that is there anew from this frame on, with other dials
  Product product = Product::as_written;
  // Of a soft character.
  std::string glb;         // "": NAME_soft.glb in the directory
  bool all_clips = false;  // not the scene's alone
  bool replace = false;    // the soft clip takes the clip's name, and the artist's becomes NAME.rigid
};

struct Outcome {
  RunStatus status = RunStatus::done;
  std::string message;                       // why it stopped, and how to go on; or what is incomplete
  bool incomplete = false;                   // done, but clips of a soft character failed and are left out
  std::vector<std::string> files, warnings;  // files: relative to the directory
  std::vector<std::string> takes;            // folders of single runs in the directory; "": the directory is one
  std::vector<std::string> lines;            // what came out, for a reader
  Json report;
  bool best_effort = false;  // some instants are only the best that was found
};

// InputError: something is wrong with the scene, or results are there. Whatever else ends the work early is told in the
// outcome. Threads are as the caller has set them (base/parallel.h).
Outcome run_scene(const SceneConfig& scene, const OutputFolder& folder, const Watch& watch = {});

}  // namespace supple::pipeline

namespace supple {

using pipeline::Outcome;
using pipeline::OutputFolder;
using pipeline::Product;
using pipeline::run_scene;
using pipeline::RunStatus;

}  // namespace supple
