#include "load.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace supple::bench {

namespace {
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// All cores together, stolen time of a virtual machine included.
double busy_seconds() {
  std::ifstream in("/proc/stat");
  std::string word;
  double user, nice, system, idle, waiting, interrupts, soft, stolen;
  if (!(in >> word >> user >> nice >> system >> idle >> waiting >> interrupts >> soft >> stolen) || word != "cpu")
    return std::numeric_limits<double>::quiet_NaN();
  return (user + nice + system + interrupts + soft + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double own_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
}  // namespace

void OthersLoad::restart() { wall_ = wall_seconds(), busy_ = busy_seconds(), own_ = own_seconds(); }

double OthersLoad::cores() const {
  const double wall = wall_seconds() - wall_;
  // Clocks tick in hundredths of a second: less than this tells nothing.
  if (!(wall > 0.1)) return std::numeric_limits<double>::quiet_NaN();
  const double others = (busy_seconds() - busy_ - (own_seconds() - own_)) / wall;
  return others < 0 ? 0 : others;
}

}  // namespace supple::bench
