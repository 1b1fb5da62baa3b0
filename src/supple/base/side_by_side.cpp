#include "supple/base/side_by_side.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "supple/base/loop_order.h"
#include "supple/base/parallel.h"

namespace supple {

void side_by_side(size_t n, size_t at_once, const std::function<void(size_t)>& body) {
  const auto threads = static_cast<size_t>(thread_count());
  const size_t runners = std::min({n, threads, at_once > 0 ? at_once : threads});
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t failed = n;
  std::exception_ptr error;
  // Nothing is thrown through the loop over the runners: that would end the loops of the other pieces half done.
  const auto run = [&] {
    for (size_t i; (i = next.fetch_add(1)) < n;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) failed = i, error = std::current_exception();
        next = n;
      }
    }
  };
  if (runners <= 1) {
    run();
  } else {
    LoopOrder order;
    const auto turn = [&](size_t) {
      const LoopOrder::Turn one(order);
      tbb::this_task_arena::isolate(run);
    };
    tbb::parallel_for(size_t{0}, runners, turn, tbb::simple_partitioner());
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace supple
