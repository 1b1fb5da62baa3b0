#include "supple/base/memory.h"

#include <unistd.h>

#include <cstdlib>

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

size_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(size) : size_t{4} << 30;
}

}  // namespace supple
