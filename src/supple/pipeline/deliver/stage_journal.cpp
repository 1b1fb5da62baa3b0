#include "supple/pipeline/deliver/stage_journal.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "supple/base/error.h"
#include "supple/io/output_file.h"

namespace supple::pipeline {

namespace fs = std::filesystem;

StageJournal::StageJournal(const std::string& directory, const std::string& name, std::string fingerprint)
    : file_((fs::path(directory) / "checkpoint" / (name + ".txt")).string()), fingerprint_(std::move(fingerprint)) {}

std::vector<std::string> StageJournal::lines() const {
  std::ifstream in(file_);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

void StageJournal::write(const std::vector<std::string>& lines) const {
  const fs::path folder = fs::path(file_).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw InputError({.file = folder.string()}, "cannot be made: " + error.message(),
                     "choose another directory for the results");
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_text(file_, text);
}

void StageJournal::begin() const { write({fingerprint_}); }

void StageJournal::tell(const std::string& stage) const {
  std::vector<std::string> all = is_begun() ? lines() : std::vector<std::string>{fingerprint_};
  all.push_back(stage);
  write(all);
}

bool StageJournal::is_begun() const {
  const std::vector<std::string> all = lines();
  return !all.empty() && all[0] == fingerprint_;
}

bool StageJournal::is_of_other() const {
  const std::vector<std::string> all = lines();
  return !all.empty() && all[0] != fingerprint_;
}

std::vector<std::string> StageJournal::stages() const {
  std::vector<std::string> all = lines();
  if (all.empty() || all[0] != fingerprint_) return {};
  all.erase(all.begin());
  return all;
}

bool StageJournal::has(const std::string& stage) const {
  const std::vector<std::string> all = stages();
  return std::find(all.begin(), all.end(), stage) != all.end();
}

void StageJournal::remove() const {
  std::error_code error;
  for (const std::string& old : {file_, file_ + ".part"}) fs::remove(old, error);
}

}  // namespace supple::pipeline
