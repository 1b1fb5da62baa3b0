#include "supple/report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

constexpr double kLeastShare = 0.02, kLeastTime = 0.5;  // of the way and [s], before a time left is told

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(0.0, seconds));
  const long s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

CommandProgress::CommandProgress(ProgressStyle style, Sink sink, Clock clock)
    : style_(style), sink_(sink ? std::move(sink) : [](const std::string&) {}), clock_(std::move(clock)) {
  from_time_ = start_ = now();
  if (style_ == ProgressStyle::lines) last_time_ = start_;
}

CommandProgress::~CommandProgress() { stop(); }

void CommandProgress::plan(std::vector<PlannedStage> ahead) {
  work_.plan(std::move(ahead));
  from_time_ = now(), from_share_ = work_.share();
}

std::string CommandProgress::time_left() const {
  const double time = now() - from_time_, way = work_.share() - from_share_;
  if (way < kLeastShare || time < kLeastTime) return "";
  const double left = time * (1 - work_.share()) / way;
  return left < 1 ? ", less than 1 s left" : ", " + duration_text(left) + " left";
}

std::string CommandProgress::text(std::string_view stage, int done, int of) const {
  const std::string_view name = stage_name(stage);
  std::string line(name);
  if (of > 1) line += fmt::format(" {}/{}", std::clamp(done, 0, of), of);
  return line + std::string(stage.substr(name.size())) + time_left();
}

void CommandProgress::draw(std::string line) {
  const size_t length = line.size();
  if (length < drawn_) line += std::string(drawn_ - length, ' ');
  drawn_ = length;
  sink_("\r" + line);
}

void CommandProgress::tell(std::string_view stage, int done, int of) {
  work_.tell(stage, done, of);
  if (style_ == ProgressStyle::none || over_) return;
  const double time = now();
  const int percent = static_cast<int>(100 * work_.share());
  if (style_ == ProgressStyle::lines) {
    const long tenth = percent / 10;
    if (tenth == last_tenth_ && time - last_time_ < 10) return;
    last_tenth_ = tenth;
    last_time_ = time;
    sink_(fmt::format("{} %, {}\n", percent, text(stage, done, of)));
    return;
  }
  if (time - last_time_ < 0.1) return;
  last_time_ = time;
  constexpr int kWidth = 30;
  const auto full = static_cast<size_t>(kWidth * work_.share());
  draw(fmt::format("[{}{}] {:2} %  {}", std::string(full, '#'), std::string(kWidth - full, '.'), percent,
                   text(stage, done, of)));
}

void CommandProgress::make_room() {
  if (drawn_ == 0) return;
  sink_("\r" + std::string(drawn_, ' ') + "\r");
  drawn_ = 0;
  last_time_ = -1e9;
}

void CommandProgress::finish() {
  if (style_ == ProgressStyle::none || over_ || !work_.begun()) return;
  work_.finish();
  const std::string line = "done in " + duration_text(now() - start_);
  if (style_ == ProgressStyle::bar) draw(line);
  sink_((style_ == ProgressStyle::bar ? "" : "100 %, " + line) + "\n");
  drawn_ = 0;
  over_ = true;
}

void CommandProgress::stop() {
  if (drawn_ > 0) sink_("\n");
  drawn_ = 0;
  over_ = true;
}

}  // namespace supple
