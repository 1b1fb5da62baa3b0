#include "supple/rigs/rig_lines.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace supple {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The word at `at`, which moves on behind it; empty: there is none.
std::string_view next_word(std::string_view line, size_t& at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  const size_t begin = at;
  while (at < line.size() && !is_blank(line[at])) ++at;
  return line.substr(begin, at - begin);
}

}  // namespace

void append_number(std::string& line, double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  line += ' ';
  line.append(text, end);
}

void append_numbers(std::string& line, const VecX& values) {
  for (double v : values) append_number(line, v);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  for (std::string_view word = next_word(line, at); !word.empty(); word = next_word(line, at)) words.push_back(word);
  return words;
}

bool read_number(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) {
    const double near = std::strtod(std::string(word).c_str(), nullptr);
    value = std::abs(near) < 1 ? 0 : near;  // too small is nothing, too large infinite
  }
  return (error == std::errc() || error == std::errc::result_out_of_range) && end == word.data() + word.size();
}

bool read_count(std::string_view word, int& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && value >= 0;
}

std::string_view read_numbers(std::string_view line, std::vector<double>& values) {
  values.clear();
  size_t at = 0;
  for (std::string_view word = next_word(line, at); !word.empty(); word = next_word(line, at)) {
    double value = 0;
    if (!read_number(word, value)) return word;
    values.push_back(value);
  }
  return {};
}

const char* word_of(Quantity quantity) {
  return quantity == Quantity::angle ? "angle" : quantity == Quantity::length ? "length" : "factor";
}

bool quantity_of(std::string_view word, Quantity& quantity) {
  for (Quantity q : {Quantity::angle, Quantity::length, Quantity::factor})
    if (word == word_of(q)) {
      quantity = q;
      return true;
    }
  return false;
}

std::string shown_line(std::string_view line) {
  constexpr size_t kShown = 100;
  std::string text = "\"";
  for (char c : line.substr(0, kShown)) text += static_cast<unsigned char>(c) < 32 ? '?' : c;
  return text + (line.size() > kShown ? "...\"" : "\"");
}

}  // namespace supple
