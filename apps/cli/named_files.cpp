#include "named_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "supple/base/child_process.h"
#include "supple/base/error.h"
#include "supple/base/read_file.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostNames = 4096;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// "": not kept.
fs::path state_folder() {
  if (variable("SUPPLE_STATE") == "off") return {};
  const std::string state = variable("XDG_STATE_HOME"), home = variable("HOME");
  if (state.starts_with('/')) return fs::path(state) / "supple";
  return home.starts_with('/') ? fs::path(home) / ".local/state/supple" : fs::path();
}

std::vector<std::string> names_in_file(const fs::path& file) {
  std::vector<std::string> names;
  if (!is_regular_file(file.string())) return names;
  std::string text;
  try {
    text = read_regular_file(file.string(), "", kLargestText);
  } catch (const InputError&) {
    return names;
  }
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (end > begin && text[begin] == '/') names.push_back(text.substr(begin, end - begin));
  return names;
}

// Calls at the same time would lose each other's names.
class StateLock {
 public:
  explicit StateLock(const fs::path& file) : fd_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    for (int k = 0; fd_ >= 0 && !held_ && k < 200; ++k) {
      held_ = flock(fd_, LOCK_EX | LOCK_NB) == 0;
      if (!held_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~StateLock() {
    if (fd_ >= 0) close(fd_);
  }
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;
  bool held() const { return held_; }

 private:
  int fd_;
  bool held_ = false;
};

bool write_private(const fs::path& file, const std::string& text) {
  const std::string part = file.string() + ".part";
  std::error_code ignored;
  fs::remove(part, ignored);
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  const bool whole = write_all(fd, text);
  const bool closed = close(fd) == 0;
  std::error_code error;
  if (whole && closed) fs::rename(part, file, error);
  if (!whole || !closed || error) fs::remove(part, ignored);
  return whole && closed && !error;
}

}  // namespace

std::vector<std::string> files_named_before() {
  const fs::path folder = state_folder();
  return folder.empty() ? std::vector<std::string>() : names_in_file(folder / "named");
}

void remember_named_files(const std::vector<std::string>& files) {
  const fs::path folder = state_folder();
  if (folder.empty()) return;
  std::vector<std::string> wanted;
  for (const std::string& f : files)
    if (f.starts_with('/') && f.find('\n') == std::string::npos) wanted.push_back(f);
  const auto recent = [&](const std::vector<std::string>& list) {
    const size_t skip = list.size() > kMostNames / 2 ? list.size() - kMostNames / 2 : 0;
    const std::set<std::string> there(list.begin() + static_cast<std::ptrdiff_t>(skip), list.end());
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& f) { return there.count(f) > 0; });
  };
  // Mostly all is known, and nothing is written.
  if (recent(names_in_file(folder / "named"))) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return;
  const StateLock lock(folder / "named.lock");
  if (!lock.held()) return;
  std::vector<std::string> list = names_in_file(folder / "named");
  const std::set<std::string> again(wanted.begin(), wanted.end());
  std::erase_if(list, [&](const std::string& f) { return again.count(f) > 0; });
  std::set<std::string> added;
  for (const std::string& f : wanted)
    if (added.insert(f).second) list.push_back(f);
  if (list.size() > kMostNames) list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(kMostNames));
  std::string text;
  for (const std::string& f : list) text += f + "\n";
  write_private(folder / "named", text);
}

}  // namespace supple
