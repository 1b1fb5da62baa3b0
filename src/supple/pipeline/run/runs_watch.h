// Several runs at once, told as one: one bar over the frames of all, and one call at a time.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "supple/base/watch.h"

namespace supple::pipeline {

class RunsWatch {
 public:
  // frames: of each run. The bar ends with finish(). watch must outlive this.
  RunsWatch(const Watch& watch, std::vector<int> frames);
  // What a run is given; it may be called from any thread. name: put before what it has to say; "": nothing is.
  Watch of(size_t run, const std::string& name);
  void done(size_t run);  // whatever became of it
  void finish();

 private:
  void set(size_t run, double share);
  const Watch& watch_;
  std::mutex mutex_;
  std::vector<int> frames_;
  std::vector<double> done_;
  int all_ = 0, told_ = 0;
};

}  // namespace supple::pipeline
