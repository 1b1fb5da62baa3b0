#include "supple/pipeline/deliver/checkpoint_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/folder_claim.h"
#include "supple/base/part_file.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

CheckpointFile::CheckpointFile(const std::string& directory, std::string fingerprint)
    : folder_((fs::path(directory) / "checkpoint").string()),
      file_((fs::path(folder_) / "state.bin").string()),
      before_((fs::path(folder_) / "before.bin").string()),
      fingerprint_(std::move(fingerprint)),
      journal_(directory, "take", fingerprint_) {}

void CheckpointFile::prepare() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_))
    throw InputError({.file = folder_}, "cannot be made: " + error.message(),
                     "choose another directory for the results");
}

bool CheckpointFile::exists() const {
  std::error_code error;
  return fs::exists(file_, error) || fs::exists(before_, error);
}

void CheckpointFile::write(Checkpoint c) const {
  prepare();
  if (!journal_.is_begun()) journal_.begin();
  c.fingerprint = fingerprint_;
  std::error_code error;
  if (fs::exists(file_, error)) rename_for_good(file_, before_);
  write_checkpoint(file_, c);
  renew_claims();
}

Checkpoint CheckpointFile::read() const {
  Checkpoint c;
  try {
    c = read_checkpoint(file_);
  } catch (const InputError&) {
    std::error_code error;
    if (!fs::exists(before_, error)) throw;
    c = read_checkpoint(before_);
  }
  if (c.fingerprint != fingerprint_)
    throw InputError({.file = file_}, "the checkpoint belongs to another scene or version",
                     "run again without --resume");
  return c;
}

void CheckpointFile::drop_state() const {
  std::error_code error;
  for (const std::string& old : {before_, file_, file_ + ".part"}) fs::remove(old, error);
}

void CheckpointFile::remove() const {
  std::error_code error;
  drop_state();
  journal_.remove();
  if (fs::is_directory(folder_, error) && fs::is_empty(folder_, error)) fs::remove(folder_, error);
}

std::string stopped_after(int frame) {
  return fmt::format("interrupted after frame {}: --resume goes on from there", frame);
}

}  // namespace supple::pipeline
