#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "bench/record/record.h"
#include "bench/record/statistics.h"
#include "supple/base/error.h"

namespace supple::bench {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(median({1, 1, 1, 1e9}), 1);  // one disturbance changes nothing
}

TEST(Statistics, SpreadIsTheQuartilesBesideTheMedian) {
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4, 5}), 2.0 / 3);
  EXPECT_EQ(spread({2, 2, 2}), 0);
  EXPECT_TRUE(std::isnan(spread({})));
  EXPECT_EQ(smallest({3, 1, 2}), 1);
}

TEST(Statistics, ExponentOfAPowerLawIsFound) {
  std::vector<double> x = {5e3, 2e4, 1e5, 4e5}, y;
  for (double n : x) y.push_back(3e-6 * std::pow(n, 1.25));
  EXPECT_NEAR(fit_exponent(x, y), 1.25, 1e-12);
  // Least squares: errors that cancel leave the slope.
  EXPECT_NEAR(fit_exponent({1, 10, 100}, {2, 5, 200}), 1, 1e-12);
  EXPECT_TRUE(std::isnan(fit_exponent({5}, {1})));
  EXPECT_TRUE(std::isnan(fit_exponent({5, 5}, {1, 2})));
  EXPECT_TRUE(std::isnan(fit_exponent({1, 2}, {0, 1})));
}

Row timed(const std::string& id, double milliseconds, double yardstick_ms) {
  const double s = 1e-3 * milliseconds;
  Row row = row_of(id, "label of " + id, {s, 0.99 * s, 1.01 * s});
  set_yardstick(row, "F", {1e-3 * yardstick_ms}, "F");
  return row;
}

TEST(Record, BarsAreAboutTheRatioWhereThereIsAYardstick) {
  Row row = timed("step", 50, 100);
  EXPECT_DOUBLE_EQ(row.figure(), 0.5);
  EXPECT_EQ(row.figure_unit(), "F");
  EXPECT_EQ(row.verdict(), Row::Verdict::none);
  row.bar = 0.5;
  EXPECT_EQ(row.verdict(), Row::Verdict::met);
  row.bar = 0.4;
  EXPECT_EQ(row.verdict(), Row::Verdict::missed);
  row.at_least = true;
  EXPECT_EQ(row.verdict(), Row::Verdict::met);
  set_yardstick(row, "F", {}, "F");  // a build without it
  EXPECT_EQ(row.verdict(), Row::Verdict::unknown);
  Row plain = row_of("assembly", "assembly", {2e-3}, 1e6 / 20, "ns/tet");
  plain.bar = 99;
  EXPECT_DOUBLE_EQ(plain.figure(), 100);
  EXPECT_EQ(plain.verdict(), Row::Verdict::missed);
}

TEST(Record, JsonComesBackWhole) {
  Record record;
  record.machine = {{"processor", "a \"fast\" one"}, {"cores", "2"}};
  record.rows = {timed("step", 50, 100), row_of("lone", "lone", {})};
  record.rows[0].bar = 0.7;
  record.rows[0].at_least = true;
  record.rows[0].others = 0.25;
  record.rows[0].details = {{"Newton", 3.5}, {"unknown", kUnknown}};
  const Record back = from_json(to_json(record), "here");
  EXPECT_EQ(back.machine, record.machine);
  ASSERT_EQ(back.rows.size(), 2u);
  const Row &a = record.rows[0], &b = back.rows[0];
  EXPECT_EQ(b.id, a.id);
  EXPECT_EQ(b.label, a.label);
  EXPECT_EQ(b.value, a.value);
  EXPECT_EQ(b.unit, a.unit);
  EXPECT_EQ(b.best, a.best);
  EXPECT_EQ(b.spread, a.spread);
  EXPECT_EQ(b.repeats, 3);
  EXPECT_EQ(b.yardstick, "F");
  EXPECT_EQ(b.yardstick_value, a.yardstick_value);
  EXPECT_EQ(b.ratio, a.ratio);
  EXPECT_EQ(b.ratio_unit, "F");
  EXPECT_EQ(b.bar, 0.7);
  EXPECT_TRUE(b.at_least);
  EXPECT_EQ(b.others, 0.25);
  ASSERT_EQ(b.details.size(), 1u);  // what is no number is left out
  EXPECT_EQ(b.details[0], a.details[0]);
  EXPECT_TRUE(std::isnan(back.rows[1].value));
  EXPECT_TRUE(std::isnan(back.rows[1].bar));
}

TEST(Record, DamagedFilesAreRefused) {
  Record record;
  record.rows = {timed("step", 50, 100)};
  const std::string text = to_json(record);
  EXPECT_NO_THROW(from_json(text, "here"));
  EXPECT_THROW(from_json(text.substr(0, text.size() / 2), "here"), InputError);
  EXPECT_THROW(from_json("", "here"), InputError);
  EXPECT_THROW(from_json("[]", "here"), InputError);
  EXPECT_THROW(from_json("{\"format\": \"other\"}", "here"), InputError);
  EXPECT_THROW(from_json("{\"format\": \"supple-bench 1\", \"rows\": [3]}", "here"), InputError);
  EXPECT_THROW(read_record("/nowhere/at/all.json"), InputError);
  EXPECT_THROW(write_record(record, "/nowhere/at/all.json"), InputError);
}

TEST(Record, FilesAreWrittenWhole) {
  const std::string path = testing::TempDir() + "supple_record.json";
  Record record;
  record.rows = {timed("step", 50, 100)};
  write_record(record, path);
  EXPECT_EQ(to_json(read_record(path)), to_json(record));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::remove(path.c_str());
}

TEST(Compare, ChangesOfRatiosCountAndNoiseDoesNot) {
  Record before, now;
  before.rows = {timed("same", 50, 100),     timed("worse", 50, 100), timed("better", 50, 100),
                 timed("speed-up", 50, 100), timed("noisy", 50, 100), timed("gone", 1, 1),
                 timed("disturbed", 50, 100)};
  // The machine is twice as slow, and so is its yardstick.
  now.rows = {timed("same", 100, 200),     timed("worse", 130, 200), timed("better", 70, 200),    timed("new", 1, 1),
              timed("speed-up", 130, 200), timed("noisy", 130, 200), timed("disturbed", 130, 200)};
  now.rows[4].at_least = true;
  now.rows[5].spread = 0.4;
  now.rows[6].others = 1;
  const std::vector<Change> changes = compare(before, now);
  ASSERT_EQ(changes.size(), 6u);
  using Kind = Change::Kind;
  const std::vector<std::pair<std::string, Kind>> expected = {{"same", Kind::same},     {"worse", Kind::worse},
                                                              {"better", Kind::better}, {"speed-up", Kind::better},
                                                              {"noisy", Kind::same},    {"disturbed", Kind::disturbed}};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(changes[i].id, expected[i].first);
    EXPECT_EQ(changes[i].kind, expected[i].second) << changes[i].id;
  }
  EXPECT_NEAR(changes[1].share, 0.3, 1e-12);
  const std::string table = compare_table(changes);
  EXPECT_NE(table.find("+30.0 %  F WORSE"), std::string::npos) << table;
}

TEST(Table, SaysWhatIsMetAndWhatWasDisturbed) {
  Record record;
  record.rows = {timed("good", 50, 100), timed("bad", 150, 100), timed("plain", 50, 100)};
  record.rows[0].bar = record.rows[1].bar = 1;
  record.rows[1].others = 1.2;
  record.rows[1].details = {{"Newton", 3}, {"Krylov", 0.123456}};
  const std::string bars = bars_table(record);
  EXPECT_NE(bars.find("1 of 2 met"), std::string::npos) << bars;
  EXPECT_NE(bars.find("1 of 3 rows were measured beside other programs"), std::string::npos) << bars;
  EXPECT_EQ(bars.find("plain"), std::string::npos) << bars;
  const std::string line = table_line(record.rows[1]);
  EXPECT_NE(line.find("MISSED (others took 1.2 cores)"), std::string::npos) << line;
  EXPECT_NE(line.find("Newton 3, Krylov 0.123\n"), std::string::npos) << line;
  EXPECT_EQ(table_line(record.rows[1], false).find("Newton"), std::string::npos);
}

}  // namespace
}  // namespace supple::bench
