// How far a long piece of work is: a bar with the time left on a terminal, plain lines elsewhere.
#pragma once
#include <functional>
#include <string>

#include "supple/base/timer.h"

namespace supple {

enum class ProgressStyle { none, lines, bar };

class ProgressReporter {
 public:
  using Sink = std::function<void(const std::string&)>;
  using Clock = std::function<double()>;  // seconds; its own timer when empty

  // total: units of work, at least 1.
  ProgressReporter(std::string label, long total, ProgressStyle style, Sink sink, Clock clock = {});
  ~ProgressReporter();  // ends an open bar's line
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

  // Units done so far. Prints at most ten times a second (bar), or at each tenth of the way and once in ten
  // seconds (lines).
  void update(long done);
  void finish();  // all done; says how long it took

 private:
  double now() const { return clock_ ? clock_() : timer_.seconds(); }
  std::string time_left(long done) const;

  std::string label_;
  long total_;
  ProgressStyle style_;
  Sink sink_;
  Clock clock_;
  Timer timer_;
  double start_ = 0, last_time_ = -1e9;
  long last_tenth_ = 0;
  size_t drawn_ = 0;  // characters of the bar on the line
  bool open_ = false;
};

// "12 s", "3 min 05 s", "2 h 10 min"
std::string duration_text(double seconds);

}  // namespace supple
