#include "supple/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace supple {

void keep_freed_memory() {
#ifdef __GLIBC__
  // Larger pieces stay the system's, fresh and on large pages. [bytes]
  constexpr int kLargest = 4 << 20, kKept = 512 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

namespace {

// The number in a file; none (0) where it says "max", or there is no such file.
size_t limit_in(const std::string& file) {
  std::ifstream in(file);
  size_t bytes = 0;
  return in >> bytes ? bytes : 0;
}

void take_less(size_t& limit, size_t other) {
  if (other > 0 && (limit == 0 || other < limit)) limit = other;
}

}  // namespace

size_t group_memory_limit(const std::string& list, const std::string& root) {
  size_t limit = 0;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    // "0::/a/b", or of the older kind "4:memory:/a/b".
    const size_t kind = line.find(':'), path = kind == std::string::npos ? kind : line.find(':', kind + 1);
    if (path == std::string::npos) continue;
    const std::string controllers = "," + line.substr(kind + 1, path - kind - 1) + ",";
    const bool old = controllers.find(",memory,") != std::string::npos;
    if (!old && controllers != ",,") continue;
    for (std::string group = line.substr(path + 1);; group.erase(group.rfind('/'))) {
      take_less(limit,
                limit_in(root + (old ? "/memory" : "") + group + (old ? "/memory.limit_in_bytes" : "/memory.max")));
      if (group.find('/') == std::string::npos) break;
    }
  }
  return limit;
}

size_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  size_t bytes = pages > 0 && size > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(size) : size_t{4} << 30;
  std::ifstream groups("/proc/self/cgroup");
  std::stringstream list;
  if (groups) list << groups.rdbuf();
  take_less(bytes, group_memory_limit(list.str(), "/sys/fs/cgroup"));
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) take_less(bytes, space.rlim_cur);
  return bytes;
}

size_t peak_memory_bytes() {
  rusage used{};
  return getrusage(RUSAGE_SELF, &used) == 0 ? static_cast<size_t>(used.ru_maxrss) * 1024 : 0;
}

}  // namespace supple
