// `supple verify`: a take made again from its report, and what came out compared with what is there.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "supple/base/watch.h"
#include "supple/pipeline/deliver/made.h"
#include "supple/report/json.h"

namespace supple::pipeline {

struct VerifyRequest {
  std::string take;         // the folder of a run, of several clips as well
  double tolerance = 1e-3;  // of the largest extent of what moves; where bits may differ
  bool allow_run = false;   // the program that the scene names as its rig may be started
};

enum class FileVerdict {
  same,       // to the bit
  close,      // made on another machine; positions are within the tolerance
  follows,    // likewise, of a file that holds no numbers to compare: made of those that are close
  different,  // neither
  edited,     // the take's own is not what its run wrote
  missing,    // not there, or not made again
};
const char* word_of(FileVerdict verdict);

struct VerifiedFile {
  std::string file;  // relative to the take; of the .glb of a character as the report has it
  FileVerdict verdict = FileVerdict::missing;
  double distance = std::numeric_limits<double>::quiet_NaN();  // share of the extent; NaN: not compared
};

struct VerifyResult {
  bool same = false;       // all of it, within what can be asked
  bool same_kind = false;  // this machine and program are of the kind that made the take: bits are asked
  Machine then, now;
  std::string program;               // that made the take: its version
  std::vector<std::string> changed;  // files that the scene reads and that are others now: nothing was made again
  std::string message;               // why it could not be made again; "": it was
  std::vector<VerifiedFile> files;
  Json json() const;
};

// watch: as of run_scene. InputError: there is no finished run, or none whose report says how it was made. Cancelled.
VerifyResult verify_take(const VerifyRequest& request, const Watch& watch = {});

}  // namespace supple::pipeline
