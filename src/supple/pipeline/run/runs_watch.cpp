#include "supple/pipeline/run/runs_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace supple::pipeline {

namespace {

constexpr const char* kStage = "simulating";

}  // namespace

RunsWatch::RunsWatch(const Watch& watch, std::vector<int> frames)
    : watch_(watch),
      frames_(std::move(frames)),
      done_(frames_.size(), 0),
      all_(std::max(1, std::accumulate(frames_.begin(), frames_.end(), 0))) {
  watch_.progress(kStage, 0, all_);
}

Watch RunsWatch::of(size_t run, const std::string& name) {
  const std::string before = name.empty() ? "" : fmt::format("'{}': ", name);
  return {.note =
              [this, before](std::string_view text) {
                const std::lock_guard lock(mutex_);
                watch_.note(before + std::string(text));
              },
          .warn =
              [this, before](std::string_view text) {
                const std::lock_guard lock(mutex_);
                watch_.warn(before + std::string(text));
              },
          .progress = [this, run](std::string_view, int done, int of) { set(run, static_cast<double>(done) / of); },
          .cancelled =
              [this] {
                const std::lock_guard lock(mutex_);
                return watch_.cancelled();
              }};
}

void RunsWatch::done(size_t run) { set(run, 1); }

// The last frame is done when all is written.
void RunsWatch::set(size_t run, double share) {
  const std::lock_guard lock(mutex_);
  done_[run] = std::max(done_[run], share);
  double sum = 0;
  for (size_t k = 0; k < frames_.size(); ++k) sum += done_[k] * frames_[k];
  const int now = std::min(static_cast<int>(sum + 1e-9), all_ - 1);
  if (now <= told_) return;
  told_ = now;
  watch_.progress(kStage, told_, all_);
}

void RunsWatch::finish() { watch_.progress(kStage, all_, all_); }

}  // namespace supple::pipeline
