#include "supple/base/reading_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "supple/base/shell_word.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

// Whether the resolved path is the resolved folder or below it.
bool is_below(const std::string& path, const std::string& folder) {
  if (folder == "/" || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

ReadingScope& scope_of_process() {
  static ReadingScope scope;
  return scope;
}

class NamedFiles {
 public:
  void note(const std::string& resolved) {
    const std::lock_guard lock(mutex_);
    if (known_.insert(resolved).second) list_.push_back(resolved);
  }
  bool has(const std::string& resolved) const {
    const std::lock_guard lock(mutex_);
    return known_.count(resolved) > 0;
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return list_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> known_;
  std::vector<std::string> list_;
};
NamedFiles& named_so_far() {
  static NamedFiles files;
  return files;
}

}  // namespace

std::string resolved_path(const std::string& path) {
  std::error_code error;
  fs::path out = fs::weakly_canonical(fs::absolute(path.empty() ? "." : path, error), error);
  // A link that leads round in a circle is nowhere: it is refused for what it says, and cannot be opened either.
  if (error) out = fs::absolute(path, error).lexically_normal();
  std::string text = out.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

ReadingScope ReadingScope::closed() {
  ReadingScope scope;
  scope.everything_ = false;
  return scope;
}

void ReadingScope::allow_folder(const std::string& folder, bool by_option) {
  folders_.push_back(resolved_path(folder));
  if (by_option) said_.push_back(folders_.back());
}
void ReadingScope::allow_file(const std::string& path) { files_.push_back(resolved_path(path)); }
void ReadingScope::allow_resolved(std::vector<std::string> files) {
  files_.insert(files_.end(), std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
}

bool ReadingScope::allows(const std::string& path, const std::string& own) const {
  if (everything_) return true;
  const std::string wanted = resolved_path(path);
  if (is_below(wanted, resolved_path(own))) return true;
  if (std::find(files_.begin(), files_.end(), wanted) != files_.end()) return true;
  if (named_so_far().has(wanted)) return true;
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& f) { return is_below(wanted, f); });
}

void ReadingScope::require(const std::string& path, const std::string& own, const Location& where) const {
  if (allows(path, own)) return;
  const std::string wanted = resolved_path(path);
  throw InputError(
      where, fmt::format("{} lies outside of the folder of the file that names it", wanted),
      fmt::format("If it may be read, say so: --allow-read={}", shell_word(fs::path(wanted).parent_path().string())));
}

std::string ReadingScope::options() const {
  std::string text;
  for (const std::string& f : said_) text += " --allow-read=" + shell_word(f);
  return text;
}

const ReadingScope& reading_scope() { return scope_of_process(); }
void set_reading_scope(ReadingScope scope) { scope_of_process() = std::move(scope); }

void note_named_file(const std::string& path) {
  if (!reading_scope().everything()) named_so_far().note(resolved_path(path));
}
std::vector<std::string> named_files() { return named_so_far().list(); }

}  // namespace supple
