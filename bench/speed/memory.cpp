#include "memory.h"

#include <malloc.h>

#include <fstream>
#include <limits>
#include <string>

namespace supple::bench {

namespace {
// A line of /proc/self/status [bytes].
double status(const std::string& key) {
  std::ifstream in("/proc/self/status");
  std::string word;
  double kilobytes;
  while (in >> word)
    if (word == key + ":" && in >> kilobytes) return 1024 * kilobytes;
  return std::numeric_limits<double>::quiet_NaN();
}
}  // namespace

double peak_bytes() { return status("VmHWM"); }

MemoryPeak::MemoryPeak() {
  malloc_trim(0);                               // memory kept for later would hide what comes
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is counted anew
  before_ = status("VmRSS");
}

double MemoryPeak::bytes() const { return peak_bytes() - before_; }

}  // namespace supple::bench
