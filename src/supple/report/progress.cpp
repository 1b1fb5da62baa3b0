#include "supple/report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace supple {

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(0.0, seconds));
  const long s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

ProgressReporter::ProgressReporter(std::string label, long total, ProgressStyle style, Sink sink, Clock clock)
    : label_(std::move(label)),
      total_(std::max(1l, total)),
      style_(style),
      sink_(sink ? std::move(sink) : [](const std::string&) {}),
      clock_(std::move(clock)) {
  start_ = now();
  if (style_ == ProgressStyle::lines) last_time_ = start_;
}

ProgressReporter::~ProgressReporter() {
  if (open_) sink_("\n");
}

std::string ProgressReporter::time_left(long done) const {
  if (done <= 0 || now() - start_ < 0.5) return "";
  return ", " + duration_text((now() - start_) * static_cast<double>(total_ - done) / static_cast<double>(done)) +
         " left";
}

void ProgressReporter::update(long done) {
  if (style_ == ProgressStyle::none) return;
  done = std::clamp(done, 0l, total_);
  const double time = now();
  const std::string count = fmt::format("{}/{}", done, total_);
  if (style_ == ProgressStyle::lines) {
    const long tenth = 10 * done / total_;
    if (tenth == last_tenth_ && time - last_time_ < 10) return;
    last_tenth_ = tenth;
    last_time_ = time;
    sink_(fmt::format("{} {}{}\n", label_, count, time_left(done)));
    return;
  }
  if (time - last_time_ < 0.1 && done < total_) return;
  last_time_ = time;
  constexpr long kWidth = 30;
  const auto full = static_cast<size_t>(kWidth * done / total_);
  std::string line = fmt::format("{} [{}{}] {}{}", label_, std::string(full, '#'), std::string(kWidth - full, '.'),
                                 count, time_left(done));
  const size_t length = line.size();
  if (length < drawn_) line += std::string(drawn_ - length, ' ');
  drawn_ = length;
  open_ = true;
  sink_("\r" + line);
}

void ProgressReporter::finish() {
  if (style_ == ProgressStyle::none) return;
  std::string line = fmt::format("{}: {} in {}", label_, total_, duration_text(now() - start_));
  if (line.size() < drawn_) line += std::string(drawn_ - line.size(), ' ');
  sink_((open_ ? "\r" : "") + line + "\n");
  open_ = false;
}

}  // namespace supple
