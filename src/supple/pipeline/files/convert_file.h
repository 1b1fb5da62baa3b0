// One file format into another.
#pragma once
#include <string>
#include <vector>

namespace supple::pipeline {

struct ConvertRequest {
  std::string in, out;  // the extensions choose the formats
  bool repair = false;  // tets: mend what require_simulable would refuse
  double fps = 24;      // caches: PC2 counts frames and MDD seconds
};

struct ConvertReport {
  std::string summary;             // "4650 tets, 1181 vertices"
  std::vector<std::string> notes;  // what was left out or changed
};

// Tets to tets, tets to a surface (their boundary), surface to surface, cache to cache; InputError for any other pair.
// The output appears under its name only when it is complete.
ConvertReport convert_file(const ConvertRequest& request);

}  // namespace supple::pipeline
