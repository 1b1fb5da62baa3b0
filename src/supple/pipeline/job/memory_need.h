// How much memory a run is likely to need at once, from its size alone, so that one that cannot succeed is refused
// before anything is simulated.
#pragma once
#include <cstddef>

#include "supple/base/memory.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

struct RunSize {
  int tets = 0;
  int drawn = 0;                         // vertices that are drawn
  int frames = 0;                        // of the longest
  bool character = false, page = false;  // a file with materials; report.html is made
  int side_by_side = 1;                  // runs, each of this size
};
RunSize size_of(const Job& job);

// [bytes], on the large side: within a factor of 1.5 of what was measured (memory_need.cpp).
double memory_need(const RunSize& size);
double memory_of_one(const RunSize& size);  // what each run side by side takes more

// InputError that names the size: it is more than there may be.
void require_memory(const RunSize& size, size_t limit = memory_bytes());

}  // namespace supple::pipeline
