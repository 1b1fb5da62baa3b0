#include "supple/base/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "supple/base/error.h"
#include "supple/base/folder_claim.h"

namespace supple {

namespace {

constexpr char kAdvice[] = "Check that its directory exists and is yours.";
constexpr char kAgain[] = "Start the run again without resuming.";

bool disk_fails(int error) { return error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG; }

[[noreturn]] void refuse(const std::string& path, const std::string& what, int error, const std::string& advice) {
  if (disk_fails(error)) throw OutputFailure(path, error);
  throw InputError({.file = path}, what + ": " + std::strerror(error), advice);
}

// SUPPLE_SYNC=off: for those who make thousands of small runs and would make them again after a power cut.
bool waits_for_disk() {
  static const bool waits = [] {
    const char* said = std::getenv("SUPPLE_SYNC");
    return !said || std::strcmp(said, "off") != 0;
  }();
  return waits;
}

// Where a file system cannot do it, what it has is as safe as it gets there.
void sync_or_fail(int fd, const std::string& path) {
  if (!waits_for_disk()) return;
  int done;
  do done = fsync(fd);
  while (done != 0 && errno == EINTR);
  if (done != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) throw OutputFailure(path, errno);
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// So that a name which was given outlives a power cut.
void sync_folder(const std::string& path) {
  const int fd = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // one may write to a folder that one cannot read
  try {
    sync_or_fail(fd, path);
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
}

}  // namespace

OutputFailure::OutputFailure(const std::string& path, int error)
    : std::runtime_error(fmt::format("{}: could not be written in full: {}", path, std::strerror(error))) {}

PartFile::PartFile(const std::string& path) : path_(path) {
  // Never through a link that somebody laid there.
  const std::string name = part();
  unlink(name.c_str());
  fd_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(path, "the file cannot be written", errno, kAdvice);
}

PartFile PartFile::found(const std::string& path) {
  PartFile file;
  file.path_ = path;
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file.fd_ = open(file.part().c_str(), kFlags);
  file.in_place_ = file.fd_ < 0 && errno == ENOENT;
  if (file.in_place_) file.fd_ = open(path.c_str(), kFlags);
  if (file.fd_ < 0) refuse(file.part(), "there is nothing to resume", errno, kAgain);
  struct stat is {};
  if (fstat(file.fd_, &is) != 0 || !S_ISREG(is.st_mode))
    refuse(file.part(), "there is nothing to resume", EINVAL, kAgain);
  file.size_ = static_cast<uint64_t>(is.st_size);
  return file;
}

void PartFile::cut(uint64_t size) {
  if (size_ < size)
    throw InputError({.file = part()}, fmt::format("holds less than the {} bytes to resume from", size), kAgain);
  if (in_place_ && std::rename(path_.c_str(), part().c_str()) != 0) refuse(path_, "cannot be renamed", errno, kAdvice);
  in_place_ = false;
  if (ftruncate(fd_, static_cast<off_t>(size)) != 0) refuse(part(), "cannot be shortened", errno, kAgain);
  size_ = size;
}

PartFile::~PartFile() { close(); }

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      in_place_(other.in_place_) {}

PartFile& PartFile::operator=(PartFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_), fd_ = std::exchange(other.fd_, -1);
  size_ = other.size_, in_place_ = other.in_place_;
  return *this;
}

void PartFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void PartFile::write(std::string_view bytes) { write_at(size_, bytes); }

void PartFile::write_at(uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw OutputFailure(path_, n < 0 ? errno : ENOSPC);
    at += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
    size_ = std::max(size_, at);
  }
}

void PartFile::sync() { sync_or_fail(fd_, path_); }

void PartFile::put_in_place() {
  sync();
  close();
  rename_for_good(part(), path_);
}

void PartFile::drop() {
  close();
  unlink(part().c_str());
}

void PartFile::read(uint64_t begin, uint64_t end, const std::function<void(std::string_view)>& take) const {
  std::vector<char> block(size_t{1} << 16);
  while (begin < end) {
    const size_t wanted = std::min<uint64_t>(block.size(), end - begin);
    const ssize_t n = pread(fd_, block.data(), wanted, static_cast<off_t>(begin));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw InputError({.file = part()}, "cannot be read", kAgain);
    take({block.data(), static_cast<size_t>(n)});
    begin += static_cast<uint64_t>(n);
  }
}

void rename_for_good(const std::string& from, const std::string& to) {
  require_claim_of(to);
  if (std::rename(from.c_str(), to.c_str()) != 0) refuse(to, "the file cannot be put in place", errno, kAdvice);
  sync_folder(to);
}

void require_can_be_made(const std::string& path) { PartFile(path).drop(); }

}  // namespace supple
