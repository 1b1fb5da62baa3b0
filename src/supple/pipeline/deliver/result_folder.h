// The directory that a run writes to: what in it is a run's own, and what is somebody else's and stays.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/config.h"

namespace supple::pipeline {

// takes/001, takes/002, ...: the first that does not exist.
std::string next_take(const std::string& parent = "takes");

// Whether runs write files of this name.
bool is_result_name(const std::string& name);

// All files that a scene names, itself included.
std::vector<std::string> files_of(const SceneConfig& config);

// InputError: results are there, of a run or under their names; or what the scene reads lies where results go, whether
// they may be replaced or not.
void require_free_names(const std::string& directory, bool replace);
void require_inputs_apart(const SceneConfig& config, const std::string& directory);

// Removes what a run left there, so that nothing of it can be taken for the new one: files with the names of results,
// frames in the folders of series, and those folders when they are empty then. Nothing where there is no report.
void clear_results(const std::string& directory);

// A directory that is there and can be written. One that was made for this goes again, unless it is kept or something
// is in it. InputError: it cannot.
class ResultFolder {
 public:
  explicit ResultFolder(const std::string& directory);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  void keep() { made_.clear(); }

 private:
  void undo() const;
  std::vector<std::string> made_;  // innermost last
};

}  // namespace supple::pipeline
