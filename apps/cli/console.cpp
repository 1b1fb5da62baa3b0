#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace supple {

void Console::note(const std::string& text) const {
  if (!quiet_) fmt::print(stderr, "{}\n", text);
}

void Console::warn(const std::string& text) const { note("warning: " + text); }

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

}  // namespace supple
