#include "supple/pipeline/run/runs_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "supple/pipeline/run/run_stages.h"

namespace supple::pipeline {

RunsWatch::RunsWatch(const Watch& watch, std::vector<int> frames)
    : watch_(watch),
      frames_(std::move(frames)),
      work_(frames_.size()),
      all_(std::max(1, std::accumulate(frames_.begin(), frames_.end(), 0))) {
  if (frames_.size() > 1) watch_.progress(stage(), 0, all_);
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
          .plan =
              [this, run](const std::vector<PlannedStage>& ahead) {
                const std::lock_guard lock(mutex_);
                if (work_.size() == 1) return watch_.plan(ahead);
                work_[run].plan(ahead);
              },
          .progress =
              [this, run](std::string_view stage, int done, int of) {
                const std::lock_guard lock(mutex_);
                if (work_.size() == 1) return watch_.progress(stage, done, of);
                work_[run].tell(stage, done, of);
                tell();
              },
          .cancelled =
              [this] {
                const std::lock_guard lock(mutex_);
                return watch_.cancelled();
              }};
}

void RunsWatch::done(size_t run) {
  const std::lock_guard lock(mutex_);
  if (work_.size() == 1) return;
  work_[run].finish();
  ++n_done_;
  tell();
}

std::string RunsWatch::stage() const {
  return fmt::format("{}, {} of {} clips done", kSimulating, n_done_, frames_.size());
}

// The last frame is done when all is written.
void RunsWatch::tell() {
  double sum = 0;
  for (size_t k = 0; k < frames_.size(); ++k) sum += work_[k].share() * frames_[k];
  const int now = std::min(static_cast<int>(sum + 1e-9), all_ - 1);
  if (now <= told_) return;
  told_ = now;
  watch_.progress(stage(), told_, all_);
}

void RunsWatch::finish() {
  if (work_.size() > 1) watch_.progress(stage(), all_, all_);
}

}  // namespace supple::pipeline
