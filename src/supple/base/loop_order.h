// What comes before a loop over threads is done before its turns, and those before what comes after it. TBB sees to
// that; the thread sanitizer, which does not see into it, is told.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SUPPLE_TELLS_ORDER
#endif
#endif

#ifdef SUPPLE_TELLS_ORDER
#include <sanitizer/tsan_interface.h>
#endif

namespace supple {

class LoopOrder {
 public:
  LoopOrder() { release(begun_); }
  ~LoopOrder() { acquire(done_); }
  LoopOrder(const LoopOrder&) = delete;
  LoopOrder& operator=(const LoopOrder&) = delete;

  // Around what a thread does of the loop.
  class Turn {
   public:
    explicit Turn(LoopOrder& loop) : loop_(loop) { acquire(loop_.begun_); }
    ~Turn() { release(loop_.done_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    LoopOrder& loop_;
  };

 private:
#ifdef SUPPLE_TELLS_ORDER
  static void acquire(char& at) { __tsan_acquire(&at); }
  static void release(char& at) { __tsan_release(&at); }
#else
  static void acquire(char&) {}
  static void release(char&) {}
#endif
  char begun_ = 0, done_ = 0;
};

}  // namespace supple
