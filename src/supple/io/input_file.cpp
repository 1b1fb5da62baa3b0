#include "supple/io/input_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace supple {

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return false;
  // Too small is zero or a subnormal, which is harmless; too large is not.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  return (error == std::errc() || error == std::errc::result_out_of_range) && std::isfinite(value);
}

bool parse_integer(std::string_view text, long long& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

namespace {
// Opening a pipe that nobody writes to waits for ever, and some devices never end.
void refuse_device(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw InputError({path, 0, 0, ""}, "this is a pipe or a device, not a file", "Name a file that holds the data.");
}
}  // namespace

std::string read_whole_file(const std::string& path, const std::string& place, size_t at_least) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::directory) {
    throw InputError({path, 0, 0, place}, "this is a directory, not a file");
  }
  refuse_device(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({path, 0, 0, place}, "the file cannot be opened", "Check the name and the permissions.");
  const size_t size = std::filesystem::file_size(path, error);
  if (!error && size < at_least) {
    throw InputError({path, 0, 0, place}, fmt::format("the file has {} bytes, but {} are needed", size, at_least),
                     "The file may be truncated.");
  }
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) throw InputError({path, 0, 0, place}, "the file cannot be read");
  return content;
}

InputFile::InputFile(const std::string& path, TextRules rules) : path_(path), rules_(rules) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError({path, 0, 0, ""}, "this is a directory, not a file");
  refuse_device(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({path, 0, 0, ""}, "the file cannot be opened", "Check the name and the permissions.");
  content_.assign(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) throw InputError({path, 0, 0, ""}, "the file cannot be read");
}

void InputFile::skip_blanks(bool across_lines) {
  binary_ = false;
  for (; at_ < content_.size(); ++at_) {
    const char c = content_[at_];
    if (c == '\n') {
      if (!across_lines) return;
    } else if (rules_.comment != '\0' && c == rules_.comment) {
      while (at_ + 1 < content_.size() && content_[at_ + 1] != '\n') ++at_;
    } else if (c == '\\' && rules_.backslash_continues) {
      size_t next = at_ + 1;
      if (next < content_.size() && content_[next] == '\r') ++next;
      if (next >= content_.size() || content_[next] != '\n') return;
      at_ = next;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f' &&
               !(c == ',' && rules_.commas_are_blanks)) {
      return;
    }
  }
}

bool InputFile::done() {
  skip_blanks(true);
  return at_ == content_.size();
}

bool InputFile::line_done() {
  skip_blanks(false);
  return at_ == content_.size() || content_[at_] == '\n';
}

std::string_view InputFile::peek() {
  skip_blanks(true);
  size_t end = at_;
  while (end < content_.size()) {
    const char c = content_[end];
    if (c == ' ' || (c >= '\t' && c <= '\r') || (c == ',' && rules_.commas_are_blanks)) break;
    if (rules_.comment != '\0' && c == rules_.comment) break;
    ++end;
  }
  return std::string_view(content_).substr(at_, end - at_);
}

std::string_view InputFile::token(const char* what) {
  const std::string_view text = peek();
  last_ = at_;
  if (text.empty()) fail(fmt::format("the file ends where {} should be", what), "The file may be truncated.");
  at_ += text.size();
  return text;
}

std::string_view InputFile::digits(const char* what) {
  const std::string_view text = token(what);
  if (rules_.numbers_need_an_end && at_ == content_.size()) {
    fail(fmt::format("the file ends within {}", what), "It may be truncated; if it is whole, end its last line.");
  }
  return text;
}

double InputFile::number(const char* what) {
  const std::string_view text = digits(what);
  double value = 0;
  if (!parse_number(text, value)) fail(fmt::format("{} should be a finite number, not \"{:.40}\"", what, text));
  return value;
}

long long InputFile::integer(const char* what, long long low, long long high) {
  const std::string_view text = digits(what);
  long long value = 0;
  if (!parse_integer(text, value)) fail(fmt::format("{} should be a whole number, not \"{:.40}\"", what, text));
  if (value < low || value > high) fail(fmt::format("{} is {}, outside {} .. {}", what, value, low, high));
  return value;
}

int InputFile::count(const char* what, size_t bytes_each) { return checked_count(integer(what), what, bytes_each); }

int InputFile::checked_count(long long n, const char* what, size_t bytes_each) {
  if (n < 0 || n > INT_MAX) fail(fmt::format("{} is {}, which is out of range", what, n));
  if (bytes_each > 0 && static_cast<size_t>(n) > remaining() / bytes_each + 1) {
    fail(fmt::format("{} is {}, but only {} bytes are left in the file", what, n, remaining()),
         "The file may be truncated, or the count damaged.");
  }
  return static_cast<int>(n);
}

std::string_view InputFile::rest_of_line() {
  binary_ = false;
  last_ = at_;
  const size_t end = std::min(content_.find('\n', at_), content_.size());
  std::string_view text = std::string_view(content_).substr(at_, end - at_);
  at_ = std::min(end + 1, content_.size());
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

bool InputFile::next_line_starts_with(std::string_view text) const {
  const size_t end = content_.find('\n', at_);
  return end != std::string::npos && content_.compare(end + 1, text.size(), text) == 0;
}

bool InputFile::skip_past(std::string_view mark) {
  const size_t found = content_.find(mark, at_);
  if (found == std::string::npos) return false;
  at_ = found + mark.size();
  return true;
}

void InputFile::need(size_t bytes, const char* what) {
  last_ = at_;
  binary_ = true;
  if (remaining() < bytes) fail(fmt::format("the file ends inside {}", what), "The file may be truncated.");
}

int InputFile::line() const {
  // Counted on from the last place asked about.
  if (last_ < counted_to_) {
    counted_to_ = 0;
    counted_ = 0;
  }
  const auto begin = content_.begin() + static_cast<std::ptrdiff_t>(counted_to_);
  counted_ += static_cast<int>(std::count(begin, content_.begin() + static_cast<std::ptrdiff_t>(last_), '\n'));
  counted_to_ = last_;
  return 1 + counted_;
}

void InputFile::fail(const std::string& fault, const std::string& advice) const {
  if (binary_) throw InputError({path_, 0, 0, fmt::format("byte {}", last_)}, fault, advice);
  throw InputError({path_, line(), 0, ""}, fault, advice);
}

void InputFile::fail_at_line(int line, const std::string& fault, const std::string& advice) const {
  throw InputError({path_, line, 0, ""}, fault, advice);
}

}  // namespace supple
