// How far a command is: one bar with the time left on a terminal, plain lines elsewhere. All of its stages are one way,
// so that neither the bar nor the time left begins again.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/base/staged_work.h"
#include "supple/base/timer.h"

namespace supple {

enum class ProgressStyle { none, lines, bar };

class CommandProgress {
 public:
  using Sink = std::function<void(const std::string&)>;
  using Clock = std::function<double()>;  // seconds; its own timer when empty

  CommandProgress(ProgressStyle style, Sink sink, Clock clock = {});
  ~CommandProgress();  // ends an open bar's line
  CommandProgress(const CommandProgress&) = delete;
  CommandProgress& operator=(const CommandProgress&) = delete;

  // As Watch::plan and Watch::progress. Draws at most ten times a second (bar), or writes at each tenth of the way and
  // once in ten seconds (lines).
  void plan(std::vector<PlannedStage> ahead);
  void tell(std::string_view stage, int done, int of);
  // Makes room for other words on a bar's line; the bar comes back with the next that is told.
  void make_room();
  void finish();  // all done; says how long it took, where any stage was heard of
  void stop();    // not done: an open bar's line ends

 private:
  double now() const { return clock_ ? clock_() : timer_.seconds(); }
  std::string text(std::string_view stage, int done, int of) const;
  std::string time_left() const;
  void draw(std::string line);

  StagedWork work_;
  ProgressStyle style_;
  Sink sink_;
  Clock clock_;
  Timer timer_;
  double start_ = 0, last_time_ = -1e9;
  double from_time_ = 0, from_share_ = 0;  // since when the pace counts: the plan before it knew less
  long last_tenth_ = 0;
  size_t drawn_ = 0;  // characters of the bar on the line
  bool over_ = false;
};

// "12 s", "3 min 05 s", "2 h 10 min"
std::string duration_text(double seconds);

}  // namespace supple
