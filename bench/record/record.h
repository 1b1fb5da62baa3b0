// What a run of the benchmarks found, as a table for people and as JSON; and how it compares with an earlier one.
#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace supple::bench {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kDisturbing = 0.15;  // cores that others may take before a row is not to be trusted

struct Row {
  std::string id;     // the same in every run: "step/beam/20k/h24"
  std::string label;  // for people
  double value = 0;   // median of the repeats...
  std::string unit;   // ..."ms", "ns/tet", "%"
  double best = kUnknown, spread = kUnknown;
  int repeats = 0;
  // What was measured beside it, in the same unit; "": nothing, and the figure is the value.
  std::string yardstick;
  double yardstick_value = kUnknown;
  double ratio = kUnknown;   // value to yardstick, or as ratio_unit says
  std::string ratio_unit;    // "F", "pairs", "x"
  double bar = kUnknown;     // that the figure has to meet; NaN: none
  bool at_least = false;     // the figure shall not be below the bar, else not above
  double others = kUnknown;  // cores that other programs kept busy meanwhile
  std::vector<std::pair<std::string, double>> details;

  bool disturbed() const { return others > kDisturbing; }
  // The number that counts: bars and comparisons are about it.
  double figure() const { return yardstick.empty() ? value : ratio; }
  std::string figure_unit() const { return yardstick.empty() ? unit : ratio_unit; }
  enum class Verdict { none, met, missed, unknown };
  Verdict verdict() const;
};

// The row of repeated seconds: value, best and spread, times `scale`.
Row row_of(std::string id, std::string label, const std::vector<double>& seconds, double scale = 1e3,
           std::string unit = "ms");
// Sets the yardstick from its own repeats in seconds; none: the ratio stays unknown.
void set_yardstick(Row& row, const std::string& name, const std::vector<double>& seconds, const std::string& ratio_unit,
                   double scale = 1e3);

struct Record {
  std::vector<std::pair<std::string, std::string>> machine;  // "processor", "threads", "compiler", ...
  std::vector<Row> rows;

  const Row* find(const std::string& id) const;
};

std::string to_json(const Record& record);
// Throws InputError for text that is not such a record. name: of the file, for the message.
Record from_json(const std::string& text, const std::string& name);
void write_record(const Record& record, const std::string& path);
Record read_record(const std::string& path);

// One line a row, details below it when asked for.
std::string table_line(const Row& row, bool details = true);
std::string table_head();
// The rows that have a bar, how many meet theirs, and how many rows are not to be trusted.
std::string bars_table(const Record& record);

struct Change {
  std::string id, label, unit;
  double before = 0, now = 0;  // figures
  double share = 0;            // now / before - 1
  enum class Kind { same, better, worse, disturbed } kind = Kind::same;
};
// Rows that both have, in the order of `now`. A change counts when it is beyond `allowed` and beyond thrice what the
// spread of the repeats lets a median err; where other programs were at work it does not.
std::vector<Change> compare(const Record& before, const Record& now, double allowed = 0.05);
std::string compare_table(const std::vector<Change>& changes);

}  // namespace supple::bench
