#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "interrupt.h"
#include "supple/base/printable.h"

namespace supple {

namespace {
// What nobody can read is not worth stopping for.
void to_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}
}  // namespace

Console::Console(bool json, bool quiet, int threads) : json_(json), quiet_(quiet), threads_(threads) {
  const auto style = quiet_ ? ProgressStyle::none : isatty(STDERR_FILENO) ? ProgressStyle::bar : ProgressStyle::lines;
  progress_ = std::make_shared<CommandProgress>(style, to_stderr);
}

void Console::note(std::string_view text) const {
  if (quiet_) return;
  progress_->make_room();
  to_stderr(fmt::format("{}\n", printable(text)));
}

void Console::warn(std::string_view text) const { note(fmt::format("warning: {}", text)); }

void Console::error(const std::string& text) const {
  progress_->stop();
  to_stderr(fmt::format("supple: {}\n", printable(text, LineEnds::kept)));
}

void Console::result(const Json& object, const std::string& text) const {
  progress_->finish();
  const std::string out = json_ ? object.text() + "\n" : printable(text, LineEnds::kept);
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (written) return;
  *told_ = false;
  if (errno != EPIPE)  // whoever stops reading knows
    to_stderr(
        fmt::format("supple: what was to be printed could not be: {}\n  Is the disk full?\n", std::strerror(errno)));
}

bool Console::told() const { return *told_; }

Watch Console::watch() const {
  return {.note = [this](std::string_view text) { note(text); },
          .warn = [this](std::string_view text) { warn(text); },
          .plan =
              [this](std::vector<PlannedStage> ahead) {
                for (PlannedStage& stage : ahead) stage.name = printable(stage.name);
                progress_->plan(std::move(ahead));
              },
          .progress = [this](std::string_view stage, int done, int of) { progress_->tell(printable(stage), done, of); },
          .cancelled = [] { return interrupted().load(); }};
}

}  // namespace supple
