// Where words go: results to stdout (or one JSON object and nothing else), everything else to stderr.
#pragma once
#include <string>
#include <string_view>

#include "supple/base/watch.h"
#include "supple/report/json.h"
#include "supple/report/progress.h"

namespace supple {

class Console {
 public:
  Console(bool json, bool quiet, int threads = 0) : json_(json), quiet_(quiet), threads_(threads) {}
  bool json() const { return json_; }
  bool quiet() const { return quiet_; }
  int threads() const { return threads_; }  // as asked on the command line; 0: not asked

  void note(std::string_view text) const;     // stderr, unless quiet
  void warn(std::string_view text) const;     // stderr, unless quiet
  void error(const std::string& text) const;  // stderr, always
  // The outcome of a command: `object` with --json, else `text`. Call once.
  void result(const Json& object, const std::string& text) const;
  // Shows progress on stderr; nothing when quiet.
  ProgressReporter progress(const std::string& label, long total) const;
  // Words and one bar at a time on stderr; Ctrl-C cancels. Its end is that of an open bar's line.
  Watch watch() const;

 private:
  bool json_, quiet_;
  int threads_;
};

}  // namespace supple
