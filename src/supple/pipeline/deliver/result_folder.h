// The directory that a run writes to: what in it is a run's own, and what is somebody else's and stays.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supple/base/folder_claim.h"
#include "supple/scene/config.h"

namespace supple::pipeline {

// Whether runs write files of this name.
bool is_result_name(const std::string& name);

// All files that a scene names, itself included.
std::vector<std::string> files_of(const SceneConfig& config);

// Of a scene with the content of all these files, and whatever more it depends on.
std::string fingerprint_with_files(const SceneConfig& config,
                                   const std::vector<std::pair<std::string, std::string>>& more = {});

// InputError: results are there, of a run or under their names; or what the scene reads lies where results go, whether
// they may be replaced or not.
void require_free_names(const std::string& directory, bool replace);
void require_inputs_apart(const SceneConfig& config, const std::string& directory);

// Removes what a run left there, so that nothing of it can be taken for the new one: files with the names of results,
// frames in the folders of series, and those folders when they are empty then. Nothing where there is no report.
void clear_results(const std::string& directory);

// A directory that is there, can be written and is nobody else's while this lives. One that was made for this goes
// again, unless something is in it.
class ResultFolder {
 public:
  // InputError: it cannot be made or written, or another program writes to it.
  explicit ResultFolder(const std::string& directory);
  static ResultFolder next(const std::string& parent = "takes");
  ~ResultFolder();
  ResultFolder(ResultFolder&& other) noexcept;
  ResultFolder& operator=(ResultFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  ResultFolder() = default;
  void make(const std::string& directory);
  void claim();
  void undo();
  std::string path_;
  std::vector<std::string> made_;  // innermost last
  std::optional<FolderClaim> claim_;
};

// takes/001, takes/002, ...: the first that was not there, made. Of programs that ask at once each gets its own.
std::string make_next_folder(const std::string& parent);

// The directory that was asked for, or the next take.
ResultFolder folder_or_next(const std::string& asked);

}  // namespace supple::pipeline
