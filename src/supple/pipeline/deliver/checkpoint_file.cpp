#include "supple/pipeline/deliver/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/folder_claim.h"
#include "supple/base/part_file.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

namespace {
constexpr std::string_view kKept = "frame-", kEnding = ".bin";
}

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

std::string CheckpointFile::kept_at(int frame) const {
  return (fs::path(folder_) / fmt::format("{}{:06}{}", kKept, frame, kEnding)).string();
}

std::vector<int> CheckpointFile::kept_frames() const {
  std::vector<int> frames;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kKept) || !name.ends_with(kEnding)) continue;
    int frame = 0;
    const char *begin = name.data() + kKept.size(), *end = name.data() + name.size() - kEnding.size();
    if (std::from_chars(begin, end, frame).ptr == end) frames.push_back(frame);
  }
  std::sort(frames.begin(), frames.end());
  return frames;
}

void CheckpointFile::keep(int frame, Checkpoint c, const std::string& kin) const {
  prepare();
  c.fingerprint = kin;
  write_checkpoint(kept_at(frame), c);
}

Checkpoint CheckpointFile::kept(int frame, const std::string& kin) const {
  const std::vector<int> frames = kept_frames();
  const auto after = std::upper_bound(frames.begin(), frames.end(), frame);
  if (after == frames.begin())
    throw InputError({.file = folder_}, fmt::format("nothing is kept to begin from at frame {}", frame),
                     frames.empty() ? "run it whole; what is kept there is for a later --from"
                                    : fmt::format("the first is kept at frame {}", frames.front()));
  Checkpoint c = read_checkpoint(kept_at(*(after - 1)));
  if (c.fingerprint != kin)
    throw InputError({.file = kept_at(*(after - 1))},
                     "the run there differs from this one in more than frequency, amplitude and half-life",
                     "run it whole: only these dials may change from a frame on");
  return c;
}

void CheckpointFile::forget_after(int frame) const {
  std::error_code error;
  for (const int kept : kept_frames())
    if (kept > frame) fs::remove(kept_at(kept), error);
}

void CheckpointFile::drop_state() const {
  std::error_code error;
  for (const std::string& old : {before_, file_, file_ + ".part"}) fs::remove(old, error);
}

void CheckpointFile::remove() const {
  std::error_code error;
  drop_state();
  forget_after(-1);
  journal_.remove();
  if (fs::is_directory(folder_, error) && fs::is_empty(folder_, error)) fs::remove(folder_, error);
}

std::string stopped_after(int frame) {
  return fmt::format("interrupted after frame {}: --resume goes on from there", frame);
}

}  // namespace supple::pipeline
