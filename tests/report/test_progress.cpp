#include "supple/report/progress.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "supple/report/timings.h"

namespace supple {
namespace {

struct Recorder {
  double time = 0;
  std::string text;
  CommandProgress make(ProgressStyle style) {
    return {style, [this](const std::string& t) { text += t; }, [this] { return time; }};
  }
  long lines() const { return std::count(text.begin(), text.end(), '\n'); }
};

TEST(Progress, plain_lines_come_at_each_tenth_with_the_time_left) {
  Recorder r;
  {
    CommandProgress progress = r.make(ProgressStyle::lines);
    progress.plan({{"frames", 1}});
    for (int k = 1; k <= 100; ++k) {
      r.time += 0.5;
      progress.tell("frames", k, 100);
    }
    progress.finish();
  }
  EXPECT_EQ(r.lines(), 10) << r.text;
  EXPECT_EQ(r.text.find('\r'), std::string::npos);
  EXPECT_NE(r.text.find("10 %, frames 10/100, 45 s left\n"), std::string::npos) << r.text;
  EXPECT_NE(r.text.find("100 %, done in 50 s\n"), std::string::npos) << r.text;
}

// The share and the time left are those of all stages: neither begins again with the next.
TEST(Progress, one_way_over_all_stages) {
  Recorder r;
  CommandProgress progress = r.make(ProgressStyle::lines);
  progress.plan({{"reading", 1}, {"simulating", 2}, {"writing", 1}});
  for (const auto& [stage, steps] : {std::pair{"reading", 25}, {"simulating, 1 of 3 clips done", 50}, {"writing", 25}})
    for (int k = 1; k <= steps; ++k) {
      r.time += 1;
      progress.tell(stage, k, steps);
    }
  progress.finish();
  EXPECT_EQ(r.text,
            "10 %, reading 10/25, 1 min 30 s left\n"
            "20 %, reading 20/25, 1 min 20 s left\n"
            "30 %, simulating 5/50, 1 of 3 clips done, 1 min 10 s left\n"
            "40 %, simulating 15/50, 1 of 3 clips done, 1 min 00 s left\n"
            "50 %, simulating 25/50, 1 of 3 clips done, 50 s left\n"
            "60 %, simulating 35/50, 1 of 3 clips done, 40 s left\n"
            "70 %, simulating 45/50, 1 of 3 clips done, 30 s left\n"
            "80 %, writing 5/25, 20 s left\n"
            "90 %, writing 15/25, 10 s left\n"
            "99 %, writing 25/25, less than 1 s left\n"
            "100 %, done in 1 min 40 s\n");
}

TEST(Progress, slow_work_is_heard_of_every_ten_seconds) {
  Recorder r;
  CommandProgress progress = r.make(ProgressStyle::lines);
  progress.plan({{"frames", 1}});
  for (int k = 1; k <= 5; ++k) {
    r.time += 6;
    progress.tell("frames", k, 1000);
  }
  EXPECT_EQ(r.lines(), 2) << r.text;
}

TEST(Progress, a_bar_redraws_its_line_at_most_ten_times_a_second) {
  Recorder r;
  {
    CommandProgress progress = r.make(ProgressStyle::bar);
    progress.plan({{"frames", 1}});
    for (int k = 1; k <= 500; ++k) {
      r.time += 1.0 / 128;  // no rounding: it draws every 13th time
      progress.tell("frames", k, 1000);
    }
  }
  EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\r'), 39);
  EXPECT_EQ(r.text.back(), '\n');  // an unfinished bar leaves its line
  EXPECT_NE(r.text.find("[##############................] 49 %  frames 495/1000, 3.9 s left"), std::string::npos)
      << r.text;
}

TEST(Progress, other_words_find_the_line_empty_and_shorter_lines_cover_longer_ones) {
  Recorder r;
  CommandProgress progress = r.make(ProgressStyle::bar);
  r.time = 3600;
  progress.tell("frames", 1, 10);
  const size_t drawn = r.text.size() - 1;
  r.text.clear();
  progress.make_room();
  EXPECT_EQ(r.text, "\r" + std::string(drawn, ' ') + "\r");
  progress.tell("frames", 2, 10);
  const size_t first = r.text.size() - drawn - 2;
  r.text.clear();
  progress.finish();
  EXPECT_GE(r.text.size(), first);
  r.text.clear();
  progress.tell("frames", 3, 10);
  progress.finish();
  EXPECT_EQ(r.text, "");  // over
}

TEST(Progress, silent_stopped_and_odd_totals) {
  Recorder r;
  CommandProgress none = r.make(ProgressStyle::none);
  none.tell("a", 5, 10);
  none.finish();
  EXPECT_EQ(r.text, "");
  CommandProgress idle = r.make(ProgressStyle::lines);
  idle.finish();  // nothing was heard of
  EXPECT_EQ(r.text, "");
  CommandProgress zero = r.make(ProgressStyle::lines);
  zero.tell("a", 3, 0);
  zero.tell("a", -1, 0);
  zero.stop();
  zero.finish();
  EXPECT_EQ(r.text.find("nan"), std::string::npos);
  EXPECT_EQ(r.text.find("done"), std::string::npos);
  CommandProgress mute(ProgressStyle::bar, {});
  mute.tell("work", 5, 10);
  mute.finish();
}

TEST(Progress, durations) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
  EXPECT_EQ(duration_text(-1), "0.0 s");
}

TEST(Timings, parts_add_up_to_the_wall_time) {
  Laps laps;
  laps.lap("reading");
  laps.lap("output");
  const auto j = nlohmann::json::parse(timings_json(laps, 7).text());
  double sum = 0;
  for (const auto& [name, seconds] : j.items())
    if (name != "wall" && name != "total") sum += seconds.get<double>();
  EXPECT_NEAR(sum, j.at("wall"), 1e-9);
  EXPECT_EQ(j.at("before_resume"), 7);
  EXPECT_GE(j.at("other"), 0);
  EXPECT_EQ(j.at("total"), j.at("wall"));
}

}  // namespace
}  // namespace supple
