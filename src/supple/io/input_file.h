// A whole input file in memory, read as tokens of text or as bytes. Every complaint is an InputError with the line
// (text) or the byte offset (binary); no count of a file is believed before the file is long enough for it.
#pragma once
#include <bit>
#include <climits>
#include <cmath>
#include <string>
#include <string_view>

#include "supple/base/error.h"
#include "supple/io/bytes.h"

namespace supple {

struct TextRules {
  char comment = '\0';  // from here to the end of the line is ignored
  bool commas_are_blanks = false;
  bool backslash_continues = false;  // a backslash at the end of a line joins it with the next
  bool numbers_need_an_end = false;  // a number that touches the end of the file may be half of one: refused
};

class InputFile {
 public:
  explicit InputFile(const std::string& path, TextRules rules = {});

  const std::string& path() const { return path_; }
  size_t remaining() const { return content_.size() - at_; }
  bool ends_in_newline() const { return !content_.empty() && content_.back() == '\n'; }

  // Text. `what` names the thing wanted, for the message.
  bool done();              // nothing but blanks and comments left
  bool line_done();         // likewise on the current line
  std::string_view peek();  // next token, "" at the end
  std::string_view token(const char* what);
  double number(const char* what);  // finite
  long long integer(const char* what, long long low = LLONG_MIN, long long high = LLONG_MAX);
  // A number of items to follow that take at least `bytes_each` bytes each.
  int count(const char* what, size_t bytes_each);
  std::string_view rest_of_line();  // and moves past its newline
  bool next_line_starts_with(std::string_view text) const;
  bool skip_past(std::string_view mark);  // to after the next `mark`; false, unmoved, when there is none

  // Bytes.
  void set_order(std::endian order) { order_ = order; }
  template <class T>
  T raw(const char* what) {
    need(sizeof(T), what);
    T value;
    std::memcpy(&value, content_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return in_order(value, order_);
  }
  template <class T>
  double raw_number(const char* what) {  // finite
    const double value = static_cast<double>(raw<T>(what));
    if (!std::isfinite(value)) fail(std::string(what) + " is not a finite number");
    return value;
  }
  void need(size_t bytes, const char* what);  // that many more bytes must be there

  // A count that came from elsewhere (binary), checked like count().
  int checked_count(long long n, const char* what, size_t bytes_each);

  // About the last token or value that was read.
  [[noreturn]] void fail(const std::string& fault, const std::string& advice = "") const;
  // About a line noted earlier.
  [[noreturn]] void fail_at_line(int line, const std::string& fault, const std::string& advice = "") const;
  int line() const;

 private:
  void skip_blanks(bool across_lines);
  std::string_view digits(const char* what);
  std::string path_, content_;
  TextRules rules_;
  std::endian order_ = std::endian::little;
  size_t at_ = 0, last_ = 0;       // last_: start of the last token or value
  bool binary_ = false;            // the last value was bytes
  mutable size_t counted_to_ = 0;  // line ends before here:
  mutable int counted_ = 0;
};

// A file's bytes in memory; InputError when it cannot be read. at_least: the size it must have to be worth reading.
std::string read_whole_file(const std::string& path, const std::string& place, size_t at_least = 0);

// A finite double, or an integer, that fills the whole of the text.
bool parse_number(std::string_view text, double& value);
bool parse_integer(std::string_view text, long long& value);

}  // namespace supple
