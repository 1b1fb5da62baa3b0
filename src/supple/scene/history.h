// amplitude.csv: one row a step, kept in memory for the report and on disk for resuming and for people.
#pragma once
#include <fstream>
#include <string>
#include <vector>

namespace supple {

struct HistoryRow {
  double time = 0;                  // [s] from the first frame
  double amplitude = 0;             // A so far, Eq. 5 [m sqrt(s)]
  double rms = 0, peak = 0;         // dynamic displacement now [m]
  double kinetic = 0, elastic = 0;  // [J]
  double newton = 0;                // iterations
  double contacts = 0;
  double step = 0;   // smallest step solved [s]
  double mode1 = 0;  // modal coordinate of u - p along the first natural mode [m sqrt(kg)]
};

class History {
 public:
  // A new table in PATH.part, or the first `rows` of an unfinished one.
  History(const std::string& path, int resume_rows);
  void add(const HistoryRow& row);
  void flush();
  void finish();  // renames
  const std::vector<HistoryRow>& rows() const { return rows_; }

 private:
  std::string path_;
  std::ofstream out_;
  std::vector<HistoryRow> rows_;
};

}  // namespace supple
