#include "supple/base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/memory.h"

namespace supple {

namespace {

class Descriptor {
 public:
  // Without waiting for the other end of a pipe.
  explicit Descriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string read_regular_file(const std::string& path, const std::string& place, size_t most) {
  const auto refuse = [&](const std::string& fault, const std::string& advice = "") {
    throw InputError({path, 0, 0, place}, fault, advice);
  };
  // Looked at before it is opened, as to open some devices does something; and after, as it may be another by then.
  struct stat there {};
  if (path.find('\0') != std::string::npos || stat(path.c_str(), &there) != 0)
    refuse("the file cannot be opened", "Check the name and the permissions.");
  const auto require_regular = [&] {
    if (S_ISDIR(there.st_mode)) refuse("this is a directory, not a file");
    if (!S_ISREG(there.st_mode))
      refuse("this is a pipe, a socket or a device, not a file", "Write what it gives to a file, and name that.");
  };
  require_regular();
  const Descriptor file(path);
  if (file.get() < 0 || fstat(file.get(), &there) != 0)
    refuse("the file cannot be opened", "Check the name and the permissions.");
  require_regular();
  const size_t limit = most > 0 ? most : memory_bytes(), size = static_cast<size_t>(there.st_size);
  const auto too_large = [&] {
    refuse(most > 0 ? fmt::format("the file is larger than {:.4g} MB, which nothing of its kind is",
                                  static_cast<double>(limit) * 1e-6)
                    : "the file is larger than the memory of this machine",
           "Is it the right file?");
  };
  if (size > limit) too_large();
  std::string content;
  content.resize(size + 1);
  size_t have = 0;
  // It may grow while it is read, and some say that they are empty and are not.
  for (;;) {
    if (have == content.size()) content.resize(have + (size_t{1} << 16));
    const ssize_t n = read(file.get(), content.data() + have, content.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse("the file cannot be read");
    if (n == 0) break;
    have += static_cast<size_t>(n);
    if (have > limit) too_large();
  }
  content.resize(have);
  return content;
}

}  // namespace supple
