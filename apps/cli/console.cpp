#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "interrupt.h"

namespace supple {

namespace {

// The bar of the stage that is under way.
struct StageBar {
  std::unique_ptr<ProgressReporter> bar;
  std::string stage;
  int done = 0;
};

}  // namespace

void Console::note(std::string_view text) const {
  if (!quiet_) fmt::print(stderr, "{}\n", text);
}

void Console::warn(std::string_view text) const { note(fmt::format("warning: {}", text)); }

void Console::error(const std::string& text) const { fmt::print(stderr, "supple: {}\n", text); }

void Console::result(const Json& object, const std::string& text) const {
  const std::string out = json_ ? object.text() + "\n" : text;
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

ProgressReporter Console::progress(const std::string& label, long total) const {
  const auto style = quiet_ ? ProgressStyle::none : isatty(STDERR_FILENO) ? ProgressStyle::bar : ProgressStyle::lines;
  return ProgressReporter(label, total, style, [](const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  });
}

Watch Console::watch() const {
  const auto progress = [this, at = std::make_shared<StageBar>()](std::string_view stage, int done, int of) {
    if (!at->bar || stage != at->stage || done <= at->done) {
      at->bar.reset();
      at->bar.reset(new ProgressReporter(this->progress(std::string(stage), of)));
      at->stage = stage;
    }
    at->done = done;
    if (done > 0) at->bar->update(done);
    if (done < of) return;
    at->bar->finish();
    at->bar.reset();
  };
  return {.note = [this](std::string_view text) { note(text); },
          .warn = [this](std::string_view text) { warn(text); },
          .progress = progress,
          .cancelled = [] { return interrupted().load(); }};
}

}  // namespace supple
