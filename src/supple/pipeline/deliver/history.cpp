#include "supple/pipeline/deliver/history.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "supple/base/error.h"
#include "supple/base/hash.h"

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
    : header_(kHistoryHeader),
      n_extra_(extra.size()),
      file_(resume_rows > 0 ? PartFile::found(path) : PartFile(path)),
      hash_(hash_bytes(nullptr, 0)) {
  for (const std::string& name : extra) header_ += "," + safe_name(name);
  if (resume_rows > 0)
    read(static_cast<size_t>(resume_rows));
  else
    put(header_ + "\n");
}

void History::read(size_t n_rows) {
  const char* what_to_do = "run again without --resume";
  std::string text;
  file_.read(0, file_.size(), [&](std::string_view bytes) { text += bytes; });
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line) || line != header_)
    throw InputError({.file = file_.part()}, "has other columns than this run", what_to_do);
  size_t end = line.size() + 1;
  while (rows_.size() < n_rows && std::getline(in, line)) {
    HistoryRow row;
    row.extra.resize(n_extra_);
    const char* at = line.c_str();
    const auto next = [&](double& value, bool first) {
      if (!first && *at++ != ',') return false;
      char* stop = nullptr;
      value = std::strtod(at, &stop);
      const bool ok = stop != at;
      at = stop;
      return ok;
    };
    bool ok = true;
    for (size_t i = 0; ok && i < kFields.size(); ++i) ok = next(row.*kFields[i], i == 0);
    for (size_t i = 0; ok && i < n_extra_; ++i) ok = next(row.extra[i], false);
    if (!ok || *at != 0)
      throw InputError({.file = file_.part(), .line = static_cast<int>(rows_.size()) + 2}, "the row is damaged",
                       what_to_do);
    rows_.push_back(std::move(row));
    end += line.size() + 1;
  }
  if (rows_.size() < n_rows || end > text.size())
    throw InputError({.file = file_.part()}, "has fewer rows than the checkpoint", what_to_do);
  file_.cut(end);
  hash_ = hash_bytes(text.data(), end);
}

void History::add(const HistoryRow& row) {
  rows_.push_back(row);
  rows_.back().extra.resize(n_extra_);
  put(line_of(rows_.back()));
}

void History::put(const std::string& line) {
  unwritten_ += line;
  hash_ = hash_bytes(line.data(), line.size(), hash_);
}

void History::flush() {
  file_.write(unwritten_);
  unwritten_.clear();
  file_.sync();
}

void History::finish() {
  flush();
  file_.put_in_place();
}

}  // namespace supple::pipeline
