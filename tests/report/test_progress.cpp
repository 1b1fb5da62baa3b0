#include <gtest/gtest.h>

#include <string>

#include "supple/report/progress.h"

namespace supple {
namespace {

struct Recorder {
  double time = 0;
  std::string text;
  ProgressReporter make(long total, ProgressStyle style) {
    return ProgressReporter(
        "frames", total, style, [this](const std::string& t) { text += t; }, [this] { return time; });
  }
};

TEST(Progress, plain_lines_come_at_each_tenth_with_the_time_left) {
  Recorder r;
  {
    ProgressReporter progress = r.make(100, ProgressStyle::lines);
    for (int k = 1; k <= 100; ++k) {
      r.time += 0.5;
      progress.update(k);
    }
    progress.finish();
  }
  EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 11);
  EXPECT_EQ(r.text.find('\r'), std::string::npos);
  EXPECT_NE(r.text.find("frames 10/100, 45 s left\n"), std::string::npos) << r.text;
  EXPECT_NE(r.text.find("frames: 100 in 50 s\n"), std::string::npos) << r.text;
}

TEST(Progress, slow_work_is_heard_of_every_ten_seconds) {
  Recorder r;
  ProgressReporter progress = r.make(1000, ProgressStyle::lines);
  for (int k = 1; k <= 5; ++k) {
    r.time += 6;
    progress.update(k);
  }
  EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 2) << r.text;
}

TEST(Progress, a_bar_redraws_its_line_at_most_ten_times_a_second) {
  Recorder r;
  {
    ProgressReporter progress = r.make(1000, ProgressStyle::bar);
    for (int k = 1; k <= 500; ++k) {
      r.time += 0.01;
      progress.update(k);
    }
  }
  const auto n = std::count(r.text.begin(), r.text.end(), '\r');
  EXPECT_GT(n, 40);
  EXPECT_LE(n, 51);
  EXPECT_EQ(r.text.back(), '\n');  // an unfinished bar leaves its line
  EXPECT_NE(r.text.find("[###############...............] 500/1000, 5.0 s left"), std::string::npos) << r.text;
}

TEST(Progress, a_shorter_line_covers_the_longer_one_before_it) {
  Recorder r;
  ProgressReporter progress = r.make(10, ProgressStyle::bar);
  r.time = 3600;
  progress.update(1);
  const size_t first = r.text.size();
  r.time = 3601;
  progress.finish();
  EXPECT_GE(r.text.size() - first, first);
}

TEST(Progress, silent_and_odd_totals) {
  Recorder r;
  ProgressReporter none = r.make(10, ProgressStyle::none);
  none.update(5);
  none.finish();
  EXPECT_EQ(r.text, "");
  ProgressReporter zero = r.make(0, ProgressStyle::lines);
  zero.update(3);
  zero.update(-1);
  EXPECT_EQ(r.text.find("nan"), std::string::npos);
}

TEST(Progress, without_a_sink_nothing_is_said) {
  ProgressReporter progress("work", 10, ProgressStyle::bar, {});
  progress.update(5);
  progress.finish();
}

TEST(Progress, durations) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
  EXPECT_EQ(duration_text(-1), "0.0 s");
}

}  // namespace
}  // namespace supple
