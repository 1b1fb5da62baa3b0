#include "supple/pipeline/deliver/checkpoint_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/reading_scope.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

CheckpointFile::CheckpointFile(const std::string& directory, std::string fingerprint)
    : folder_((fs::path(directory) / "checkpoint").string()),
      file_((fs::path(folder_) / "state.bin").string()),
      fingerprint_(std::move(fingerprint)) {}

void CheckpointFile::prepare() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_))
    throw InputError({.file = folder_}, "cannot be made: " + error.message(),
                     "choose another directory for the results");
}

bool CheckpointFile::exists() const {
  std::error_code error;
  return fs::exists(file_, error);
}

void CheckpointFile::write(Checkpoint c) const {
  prepare();
  c.fingerprint = fingerprint_;
  write_checkpoint(file_, c);
}

Checkpoint CheckpointFile::read() const {
  Checkpoint c = read_checkpoint(file_);
  if (c.fingerprint != fingerprint_)
    throw InputError({.file = file_}, "the checkpoint belongs to another scene or version",
                     "run again without --resume");
  return c;
}

void CheckpointFile::remove() const {
  std::error_code error;
  bool any = false;
  for (const std::string& old : {file_, file_ + ".part"}) any = fs::remove(old, error) || any;
  if (any && fs::is_empty(folder_, error)) fs::remove(folder_, error);
}

std::string how_to_go_on(const std::string& command, const SceneConfig& scene, const std::string& directory) {
  if (scene.file.empty()) return fmt::format("go on with the same call, -o {} --resume", directory);
  return fmt::format("go on with: supple {} {} -o {} --resume{}{}", command, scene.file, directory,
                     reading_scope().options(), scene.may_run ? " --allow-run" : "");
}

}  // namespace supple::pipeline
