// Several runs at once, told as one: one stage over the frames of all, with what comes before and after them as a share
// of each, and how many are done; one call at a time. A single run is told as it is.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "supple/base/staged_work.h"

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
  void tell();
  std::string stage() const;
  const Watch& watch_;
  std::mutex mutex_;
  std::vector<int> frames_;
  std::vector<StagedWork> work_;
  int all_ = 0, told_ = 0, n_done_ = 0;
};

}  // namespace supple::pipeline
