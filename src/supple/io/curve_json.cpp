#include "supple/io/curve_json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/io/input_file.h"

namespace supple {

namespace {

// Characters with a count of the lines that end before the one read last. A number is only over when the character
// after it was read, so a line end counts when it is passed.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (pending_) ++*line_;
    pending_ = *at_ == '\n';
    ++at_;
    return *this;
  }
  LineCounter operator++(int) {
    LineCounter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
  bool pending_ = false;
};

// What the parser finds, piece by piece: the lists of "frames" and of "curves", and "fps". Other keys are passed over.
class CurveSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  CurveSax(const std::string& path, const int& line) : path_(path), line_(line) {}

  CurveTable take() {
    if (!has_frames_ || !has_curves_) fail(fmt::format("there is no \"{}\"", has_frames_ ? "curves" : "frames"));
    if (table_.frames.empty()) fail_at(frames_line_, "there are no frames");
    if (table_.names.empty()) fail_at(curves_line_, "there are no curves");
    table_.values.resize(static_cast<Eigen::Index>(table_.frames.size()),
                         static_cast<Eigen::Index>(table_.names.size()));
    for (size_t c = 0; c < curves_.size(); ++c) {
      if (curves_[c].size() != table_.frames.size()) {
        fail_at(lines_[c], fmt::format("'{}' has {} numbers, and there are {} frames", table_.names[c],
                                       curves_[c].size(), table_.frames.size()));
      }
      table_.values.col(static_cast<Eigen::Index>(c)) =
          Eigen::Map<const VecX>(curves_[c].data(), static_cast<Eigen::Index>(curves_[c].size()));
    }
    return std::move(table_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool string(string_t&) override { return other("text"); }
  bool binary(binary_t&) override { return other("bytes"); }
  bool number_integer(number_integer_t x) override { return number(static_cast<double>(x)); }
  bool number_unsigned(number_unsigned_t x) override { return number(static_cast<double>(x)); }
  bool number_float(number_float_t x, const string_t&) override { return number(x); }

  bool start_object(std::size_t) override {
    if (depth_ == 1 && key_ == "curves") {
      curves_line_ = line_;
      has_curves_ = true;
    } else if (depth_ > 0 && in_use()) {
      fail("an object is no list of numbers");
    }
    keys_.emplace_back();
    ++depth_;
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) fail("the file should hold an object, not a list");
    if (depth_ == 1 && key_ == "frames") {
      frames_line_ = line_;
      has_frames_ = true;
      list_ = &table_.frames;
    } else if (depth_ == 2 && in_curves()) {
      lines_.push_back(line_);
      curves_.emplace_back();
      list_ = &curves_.back();
    } else if (in_use()) {
      fail(fmt::format("\"{}\" should not be a list here", key_));
    }
    keys_.emplace_back();
    ++depth_;
    return true;
  }
  bool end_array() override {
    keys_.pop_back();
    --depth_;
    list_ = nullptr;
    return true;
  }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) fail(fmt::format("the name '{}' is there twice", name));
    if (depth_ == 1) key_ = name;
    if (depth_ == 2 && in_curves()) {
      if (name.empty()) fail("a curve has no name");
      table_.names.push_back(name);
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) override {
    const bool number = error.id == 406;  // too large for a double
    fail(number ? fmt::format("\"{:.40}\" is not a finite number", token) : "this is not JSON: " + reason(error.what()),
         number ? "" : "The file may be cut off, or hold NaN or a comma too many.");
  }

 private:
  bool in_curves() const { return key_ == "curves"; }
  bool in_use() const { return key_ == "curves" || key_ == "frames" || key_ == "fps"; }

  bool number(double x) {
    if (list_) {
      if (list_ == &table_.frames && !list_->empty() && !(x > list_->back()))
        fail(fmt::format("frame {} does not come after frame {}", x, list_->back()));
      list_->push_back(x);
    } else if (depth_ == 1 && key_ == "fps") {
      if (!(x > 0)) fail(fmt::format("{} frames a second cannot be", x));
      table_.fps = x;
    } else {
      other("a number");
    }
    return true;
  }
  bool other(const char* what) {
    if (depth_ == 0) fail(fmt::format("the file should hold an object, not {}", what));
    if (in_use())
      fail(fmt::format("{} stands in \"{}\" where {} should be", what, key_,
                       list_ || key_ == "fps" ? "a number" : "a list"));
    return true;
  }
  // Without the library's own code and place.
  static std::string reason(const std::string& what) {
    const size_t at = what.find(": ");
    return at == std::string::npos ? what : what.substr(at + 2);
  }
  [[noreturn]] void fail(const std::string& what, const std::string& advice = "") const {
    fail_at(line_, what, advice);
  }
  [[noreturn]] void fail_at(int line, const std::string& what, const std::string& advice = "") const {
    throw InputError({path_, line, 0, ""}, what, advice);
  }

  const std::string& path_;
  const int& line_;
  CurveTable table_{.names = {}, .frames = {}, .values = {}, .fps = 0};
  std::vector<std::vector<double>> curves_;
  std::vector<int> lines_;                   // where each begins
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
  std::string key_;                          // of the outermost object
  std::vector<double>* list_ = nullptr;      // that numbers go into
  int depth_ = 0, frames_line_ = 1, curves_line_ = 1;
  bool has_frames_ = false, has_curves_ = false;
};

}  // namespace

CurveTable read_curve_json(const std::string& path) {
  const std::string text = read_whole_file(path, "");
  int line = 1;
  CurveSax sax(path, line);
  nlohmann::json::sax_parse(LineCounter(text.data(), &line), LineCounter(text.data() + text.size(), &line), &sax);
  return sax.take();
}

}  // namespace supple
