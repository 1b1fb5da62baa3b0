#include "ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "supple/base/error.h"
#include "supple/io/input_file.h"

namespace supple {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct NumberRange {
  double low = 0, high = kNoLimit;
  bool low_itself = true;
  std::string words;  // "above 0"

  bool holds(double x) const { return (low_itself ? x >= low : x > low) && x <= high; }
};

CLI::Validator numbers(const NumberRange& range, const std::string& hint) {
  return {[range, hint](std::string& text) -> std::string {
            double value = 0;
            if (parse_number(text, value) && range.holds(value)) return "";
            return fmt::format("needs a number {}, not \"{}\"{}", range.words, text,
                               hint.empty() ? "" : " (" + hint + ")");
          },
          range.words};
}

}  // namespace

CLI::Validator above_zero(const std::string& hint) { return numbers({.low_itself = false, .words = "above 0"}, hint); }

CLI::Validator zero_or_more(const std::string& hint) { return numbers({.words = "of 0 or more"}, hint); }

CLI::Validator number_within(double low, double high) {
  return numbers({.low = low, .high = high, .words = fmt::format("from {:g} to {:g}", low, high)}, "");
}

CLI::Validator whole_number_within(long long low, long long high) {
  const std::string words = fmt::format("from {} to {}", low, high);
  return {[low, high, words](std::string& text) -> std::string {
            long long value = 0;
            if (parse_integer(text, value) && value >= low && value <= high) return "";
            return fmt::format("needs a whole number {}, not \"{}\"", words, text);
          },
          words};
}

CLI::Validator one_of_words(const std::vector<std::string>& words) {
  return {[words](std::string& text) -> std::string {
            for (const std::string& word : words)
              if (text == word) return "";
            const std::string near = nearest_word(text, words.data(), words.data() + words.size());
            return fmt::format("does not know \"{}\"; {}", text,
                               near.empty() ? fmt::format("one of {}", fmt::join(words, ", "))
                                            : fmt::format("did you mean {}?", near));
          },
          fmt::format("{}", fmt::join(words, ", "))};
}

}  // namespace supple
