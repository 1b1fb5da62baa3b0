// What a report says of how a take was made: enough to make it again and to tell whether the same came out.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "supple/report/json.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// Results have the same bits for one of these. [text] of all: "Intel ... model 143", "avx512", "Clang 14".
struct Machine {
  std::string cpu;       // vendor, family and model
  std::string kernels;   // which of the dense kernels it runs (linalg/dense_kernels.h)
  std::string compiler;  // of the program
  bool operator==(const Machine&) const = default;
};
Machine this_machine();

// {"program", "cpu", "kernels", "compiler", "sources": {file: hash}}. directory: of the take; files are named from
// there.
Json made_json(const SceneConfig& scene, const std::string& directory);

// Files that the scene reads, named from the directory, and the hashes of their content; one that cannot be read has
// "". A name that is none of a file (a map in another file) is left out.
std::vector<std::pair<std::string, std::string>> source_hashes(const SceneConfig& scene, const std::string& directory);

// Of all that a run leaves in its directory but for what is told of it (report, pictures): {"tets.pc2": hash}; of a
// series, its files: {"surface_obj/0001.obj": hash}. In the order of their names.
std::vector<std::pair<std::string, std::string>> result_hashes(const std::string& directory);
Json hashes_json(const std::vector<std::pair<std::string, std::string>>& hashes);

}  // namespace supple::pipeline
