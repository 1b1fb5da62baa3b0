#include "supple/scene/history.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "supple/base/error.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

constexpr const char* kHeader =
    "time_s,amplitude_m_sqrt_s,rms_m,peak_m,kinetic_J,elastic_J,newton_iterations,contacts,step_s,mode1";

constexpr std::array kFields = {
    &HistoryRow::time,    &HistoryRow::amplitude, &HistoryRow::rms,      &HistoryRow::peak, &HistoryRow::kinetic,
    &HistoryRow::elastic, &HistoryRow::newton,    &HistoryRow::contacts, &HistoryRow::step, &HistoryRow::mode1};

std::string line_of(const HistoryRow& row) {
  std::string line;
  for (auto field : kFields) line += fmt::format("{}{:.17g}", line.empty() ? "" : ",", row.*field);
  return line + "\n";
}

}  // namespace

History::History(const std::string& path, int resume_rows) : path_(path) {
  const std::string part = path + ".part";
  if (resume_rows > 0) {
    std::ifstream in(part);
    std::string line;
    std::getline(in, line);
    while (static_cast<int>(rows_.size()) < resume_rows && std::getline(in, line)) {
      std::stringstream cells(line);
      HistoryRow row;
      std::string cell;
      for (auto field : kFields) {
        if (!std::getline(cells, cell, ',')) break;
        row.*field = std::strtod(cell.c_str(), nullptr);
      }
      rows_.push_back(row);
    }
    if (static_cast<int>(rows_.size()) < resume_rows)
      throw InputError({.file = part}, "has fewer rows than the checkpoint", "run again without --resume");
  }
  out_.open(part, std::ios::trunc);
  out_ << kHeader << "\n";
  for (const HistoryRow& row : rows_) out_ << line_of(row);
  if (!out_) throw InputError({.file = part}, "cannot be written", "is the folder read-only, or the disk full?");
}

void History::add(const HistoryRow& row) {
  rows_.push_back(row);
  out_ << line_of(row);
}

void History::flush() {
  out_.flush();
  if (!out_) throw InputError({.file = path_}, "cannot be written", "is the disk full?");
}

void History::finish() {
  flush();
  out_.close();
  rename_into_place(path_ + ".part", path_);
}

}  // namespace supple
