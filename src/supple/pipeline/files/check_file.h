// Is this input fit for use? Any kind of input file, judged without simulating.
#pragma once
#include <string>
#include <vector>

#include "supple/base/error.h"
#include "supple/report/json.h"
#include "supple/scene/overrides.h"

namespace supple::pipeline {

struct FileCheck {
  std::string file, kind;            // "scene", "tets", "surface", "cache", "rigid motion"
  std::vector<InputError> problems;  // what must be mended, in order
  std::vector<std::string> warnings;
  Json facts;                      // counts and sizes
  std::vector<std::string> lines;  // the facts for a reader
  bool ok() const { return problems.empty(); }
};

// The extension tells the kind: .toml, .csv (rigid motion) and those of io/formats.h. A scene's files are checked too.
// `overrides` are for scenes (scene/load.h). Faults of the file become problems; nothing is thrown for them.
FileCheck check_file(const std::string& path, const Overrides& overrides = {});

}  // namespace supple::pipeline
