#include "supple/pipeline/run/history.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "supple/base/error.h"
#include "supple/io/output_file.h"

namespace supple::pipeline {

namespace {

constexpr const char* kHistoryHeader =
    "time_s,amplitude_m_sqrt_s,rms_m,peak_m,kinetic_J,elastic_J,newton_iterations,contacts,step_s,mode1";

constexpr std::array kFields = {
    &HistoryRow::time,    &HistoryRow::amplitude, &HistoryRow::rms,      &HistoryRow::peak, &HistoryRow::kinetic,
    &HistoryRow::elastic, &HistoryRow::newton,    &HistoryRow::contacts, &HistoryRow::step, &HistoryRow::mode1};

// 17 digits bring every double back as it was.
std::string line_of(const HistoryRow& row) {
  std::string line;
  for (auto field : kFields) fmt::format_to(std::back_inserter(line), "{}{:.17g}", line.empty() ? "" : ",", row.*field);
  for (double value : row.extra) fmt::format_to(std::back_inserter(line), ",{:.17g}", value);
  return line + "\n";
}

std::string safe_name(std::string name) {
  for (char& c : name)
    if (c == ',' || c == '"' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return name;
}

}  // namespace

History::History(const std::string& path, int resume_rows, const std::vector<std::string>& extra)
    : path_(path), header_(kHistoryHeader), n_extra_(extra.size()) {
  for (const std::string& name : extra) header_ += "," + safe_name(name);
  const std::string part = path + ".part";
  if (resume_rows > 0) read(part, static_cast<size_t>(resume_rows));
  out_.open(part, std::ios::trunc);
  out_ << header_ << "\n";
  for (const HistoryRow& row : rows_) out_ << line_of(row);
  if (!out_) throw InputError({.file = part}, "cannot be written", "is the folder read-only, or the disk full?");
}

void History::read(const std::string& part, size_t n_rows) {
  const char* what_to_do = "run again without --resume";
  std::ifstream in(part);
  std::string line;
  if (!std::getline(in, line) || line != header_)
    throw InputError({.file = part}, "has other columns than this run", what_to_do);
  while (rows_.size() < n_rows && std::getline(in, line)) {
    HistoryRow row;
    row.extra.resize(n_extra_);
    const char* at = line.c_str();
    const auto next = [&](double& value, bool first) {
      if (!first && *at++ != ',') return false;
      char* end = nullptr;
      value = std::strtod(at, &end);
      const bool ok = end != at;
      at = end;
      return ok;
    };
    bool ok = true;
    for (size_t i = 0; ok && i < kFields.size(); ++i) ok = next(row.*kFields[i], i == 0);
    for (size_t i = 0; ok && i < n_extra_; ++i) ok = next(row.extra[i], false);
    if (!ok || *at != 0)
      throw InputError({.file = part, .line = static_cast<int>(rows_.size()) + 2}, "the row is damaged", what_to_do);
    rows_.push_back(std::move(row));
  }
  if (rows_.size() < n_rows) throw InputError({.file = part}, "has fewer rows than the checkpoint", what_to_do);
}

void History::add(const HistoryRow& row) {
  rows_.push_back(row);
  rows_.back().extra.resize(n_extra_);
  out_ << line_of(rows_.back());
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

}  // namespace supple::pipeline
