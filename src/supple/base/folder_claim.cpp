#include "supple/base/folder_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <sstream>
#include <vector>

#include "supple/base/error.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

constexpr int kRenewEvery = 10;  // [s]
constexpr char kEnd[] = "end";   // what is cut off before it is nobody's: its writer was stopped

// Who a claim belongs to, as the file says.
struct Owner {
  std::string token, pid, host, boot;
  bool any() const { return !token.empty(); }
  std::string text() const {
    return fmt::format("A program writes to this folder: process {} on {}.\ntoken {}\npid {}\nhost {}\nboot {}\n{}\n",
                       pid, host, token, pid, host, boot, kEnd);
  }
};

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

Owner this_process() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::random_device random;
  return {.token = fmt::format("{:08x}{:08x}", random(), random()),
          .pid = std::to_string(getpid()),
          .host = host,
          .boot = first_line("/proc/sys/kernel/random/boot_id")};
}

Owner owner_in(int fd) {
  char bytes[1024];
  const ssize_t n = pread(fd, bytes, sizeof bytes, 0);
  Owner owner;
  if (n <= 0) return owner;
  std::istringstream in(std::string(bytes, static_cast<size_t>(n)));
  bool whole = false;
  for (std::string line; std::getline(in, line);) {
    whole = whole || line == kEnd;
    const size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space), value = line.substr(space + 1);
    if (key == "token") owner.token = value;
    if (key == "pid") owner.pid = value;
    if (key == "host") owner.host = value;
    if (key == "boot") owner.boot = value;
  }
  return whole ? owner : Owner();
}

enum class Lock { held, of_another, none_there };

Lock lock(int fd) {
  struct flock whole {};
  whole.l_type = F_WRLCK, whole.l_whence = SEEK_SET;
#ifdef F_OFD_SETLK
  if (fcntl(fd, F_OFD_SETLK, &whole) == 0) return Lock::held;
#else
  if (fcntl(fd, F_SETLK, &whole) == 0) return Lock::held;
#endif
  return errno == EAGAIN || errno == EACCES ? Lock::of_another : Lock::none_there;
}

bool same_file(int fd, const std::string& path) {
  struct stat open_one {
  }, named{};
  return fstat(fd, &open_one) == 0 && lstat(path.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

// Since it was renewed, by the clock of whoever keeps the file: that of another machine may go wrong.
double age_of(int fd, const fs::path& folder) {
  const std::string probe = (folder / fmt::format("{}.{}", kClaimFile, getpid())).string();
  struct stat then {
  }, now{};
  const int fresh = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool known = fresh >= 0 && fstat(fresh, &now) == 0 && fstat(fd, &then) == 0;
  if (fresh >= 0) close(fresh), unlink(probe.c_str());
  return known ? static_cast<double>(now.st_mtim.tv_sec - then.st_mtim.tv_sec) : 0;
}

[[noreturn]] void refuse(const std::string& folder, const Owner& owner, double age) {
  const std::string who = owner.any() ? fmt::format("process {} on {}", owner.pid, owner.host) : "another process";
  if (age <= 0)
    throw InputError({.file = folder}, fmt::format("{} is writing there", who),
                     "wait for it, stop it, or choose another directory");
  throw InputError({.file = folder}, fmt::format("{} wrote there {:.0f} s ago and may still do", who, age),
                   fmt::format("wait for it; if it is gone, the folder is free in {:.0f} s", kClaimLasts - age));
}

}  // namespace

ClaimLost::ClaimLost(const std::string& folder)
    : std::runtime_error(fmt::format("{}: another program has taken the folder while this one stood still; nothing "
                                     "more is written there",
                                     folder)) {}

class HeldFolder {
 public:
  HeldFolder(const std::string& folder, const fs::path& real) : folder_(folder), real_(real) {
    const std::string path = (real_ / kClaimFile).string();
    for (;;) {
      fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (fd_ < 0)
        throw InputError({.file = folder}, fmt::format("cannot be written: {}", std::strerror(errno)),
                         "choose a directory that can be written");
      const Lock got = lock(fd_);
      if (got == Lock::of_another) give_way(0);
      // Its owner may have removed it between the two.
      if (!same_file(fd_, path)) {
        close(fd_);
        continue;
      }
      const Owner before = owner_in(fd_);
      const bool of_this_boot = before.host == me_.host && before.boot == me_.boot;
      const bool is_dead = !before.any() || before.host == me_.host;
      // Without locks one of this machine is known by its process.
      const bool alive_here = got == Lock::none_there && before.any() && of_this_boot &&
                              fs::exists(fs::path("/proc") / before.pid) && before.pid != me_.pid;
      if (alive_here) give_way(0);
      if (!is_dead)
        if (const double age = age_of(fd_, real_); age < kClaimLasts) give_way(std::max(age, 1.0));
      take();
      return;
    }
  }
  ~HeldFolder() {
    if (is_mine()) unlink((real_ / kClaimFile).c_str());
    close(fd_);
  }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

  bool is_mine() const { return same_file(fd_, (real_ / kClaimFile).string()) && owner_in(fd_).token == me_.token; }
  void renew() const {
    if (is_mine()) futimens(fd_, nullptr);
  }
  bool holds(const fs::path& file) const {
    const auto [in_folder, rest] = std::mismatch(real_.begin(), real_.end(), file.begin(), file.end());
    return in_folder == real_.end();
  }
  const std::string& folder() const { return folder_; }
  const fs::path& real() const { return real_; }

 private:
  [[noreturn]] void give_way(double age) {
    const Owner owner = owner_in(fd_);
    close(fd_);
    refuse(folder_, owner, age);
  }
  void take() const {
    const std::string text = me_.text();
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      const int error = errno;
      unlink((real_ / kClaimFile).c_str());
      close(fd_);
      throw InputError({.file = folder_}, fmt::format("cannot be written: {}", std::strerror(error)),
                       "is the disk full?");
    }
  }

  std::string folder_;
  fs::path real_;
  const Owner me_ = this_process();
  int fd_ = -1;
};

namespace {

std::mutex& claims_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::vector<std::weak_ptr<HeldFolder>>& claims() {
  static std::vector<std::weak_ptr<HeldFolder>> all;
  return all;
}
std::vector<std::shared_ptr<HeldFolder>> held_now() {
  const std::lock_guard guard(claims_mutex());
  std::vector<std::shared_ptr<HeldFolder>> now;
  for (const auto& one : claims())
    if (auto held = one.lock()) now.push_back(std::move(held));
  return now;
}

}  // namespace

FolderClaim::FolderClaim(const std::string& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder.empty() ? "." : folder, error);
  if (error) throw InputError({.file = folder}, "is not a directory", "choose another directory for the results");
  const std::lock_guard guard(claims_mutex());
  std::erase_if(claims(), [](const auto& one) { return one.expired(); });
  for (const auto& one : claims())
    if (auto held = one.lock(); held && held->real() == real) {
      held_ = std::move(held);
      return;
    }
  held_ = std::make_shared<HeldFolder>(folder, real);
  claims().push_back(held_);
}

void renew_claims() {
  static std::atomic<int64_t> last = 0;
  const int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  int64_t before = last;
  if (now - before < kRenewEvery || !last.compare_exchange_strong(before, now)) return;
  for (const auto& held : held_now()) held->renew();
}

void require_claim_of(const std::string& file) {
  const std::vector<std::shared_ptr<HeldFolder>> held = held_now();
  if (held.empty()) return;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  for (const auto& one : held)
    if (one->holds(real) && !one->is_mine()) throw ClaimLost(one->folder());
}

}  // namespace supple
