// Where words go: results to stdout (or one JSON object and nothing else), everything else to stderr.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "supple/base/watch.h"
#include "supple/report/json.h"
#include "supple/report/progress.h"

namespace supple {

class Console {
 public:
  Console(bool json, bool quiet, int threads = 0);
  bool json() const { return json_; }
  bool quiet() const { return quiet_; }
  int threads() const { return threads_; }  // as asked on the command line; 0: not asked

  // All text is made printable; of notes and warnings line ends too, as each is a line.
  void note(std::string_view text) const;     // stderr, unless quiet
  void warn(std::string_view text) const;     // stderr, unless quiet
  void error(const std::string& text) const;  // stderr, always
  // The outcome of a command: `object` with --json, else `text`, whose line ends are ours: names in it are printable
  // already. Call once. What was under way is done, unless an error was told before.
  void result(const Json& object, const std::string& text) const;
  bool told() const;  // the result, if any, could be written
  // Words, and one bar for all that the command does, on stderr; nothing when quiet. Ctrl-C cancels.
  Watch watch() const;

 private:
  bool json_, quiet_;
  int threads_;
  std::shared_ptr<CommandProgress> progress_;
  std::shared_ptr<bool> told_ = std::make_shared<bool>(true);
};

}  // namespace supple
