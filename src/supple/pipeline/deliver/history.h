// amplitude.csv: one row a step, kept in memory for the report and on disk for resuming and for people.
#pragma once
#include <string>
#include <vector>

#include "supple/base/part_file.h"

namespace supple::pipeline {

struct HistoryRow {
  double time = 0;                  // [s] from the first frame
  double amplitude = 0;             // A so far, Eq. 5 [m sqrt(s)]
  double rms = 0, peak = 0;         // dynamic displacement now [m]
  double kinetic = 0, elastic = 0;  // [J]
  double newton = 0;                // iterations
  double contacts = 0;
  double step = 0;            // smallest step solved [s]
  double mode1 = 0;           // modal coordinate of the dynamic displacement, first natural mode [m sqrt(kg)]
  std::vector<double> extra;  // one value for each column the table was made with
};

class History {
 public:
  // A new table in PATH.part, or the first `resume_rows` of one that is there with the same columns; its later rows go.
  // extra: names of the columns after the fixed ones; what would break the table in them is replaced. InputError: the
  // table that is there is not one of this run.
  History(const std::string& path, int resume_rows, const std::vector<std::string>& extra = {});
  void add(const HistoryRow& row);
  void flush();
  void finish();  // gives it its name
  const std::vector<HistoryRow>& rows() const { return rows_; }
  uint64_t hash() const { return hash_; }  // of the whole table

 private:
  void read(size_t n_rows);
  void put(const std::string& line);

  std::string header_, unwritten_;
  size_t n_extra_ = 0;
  PartFile file_;
  uint64_t hash_;
  std::vector<HistoryRow> rows_;
};

}  // namespace supple::pipeline
