// `supple finish`: another take of a finished run, with other finishing and nothing simulated.
#pragma once
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/pipeline/deliver/delivered_run.h"
#include "supple/report/json.h"
#include "supple/scene/overrides.h"

namespace supple::pipeline {

struct FinishRequest {
  std::string directory;  // of the run
  std::string out;        // directory of the new take; "": the next number beside it
  std::string glb;        // of a character; "": beside the new take, for runs of `supple run`
  Overrides set;          // "output.mix=0.5", ...
};

struct FinishResult {
  std::string directory, glb;  // glb "": none was asked for
  std::vector<std::string> files, warnings;
  bool changed = false;            // any finishing key is set
  DepartureSize simulated, shown;  // over all frames
  Json report;
};

// Nothing that is there is replaced, and a take that cannot be finished leaves nothing behind. InputError: as open_take
// (take.h), or the results exist already.
FinishResult finish_run(const FinishRequest& request, const Watch& watch = {});

// Where a take goes that nobody named: takes/NNN beside takes/001, else in takes.
std::string folder_of_takes(const std::string& directory);

}  // namespace supple::pipeline
