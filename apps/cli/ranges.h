// What the values of options may be, refused in plain words. The bounds that CLI11 brings are told with 309 digits, let
// NaN pass, and leave a word in place of a number to its conversion, which says neither what is wanted nor why.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace supple {

// hint: what the number is, where its unit or size may be mistaken: "in metres: a person is about 1.8".
CLI::Validator above_zero(const std::string& hint = "");
CLI::Validator zero_or_more(const std::string& hint = "");
CLI::Validator number_within(double low, double high);
CLI::Validator whole_number_within(long long low, long long high);
CLI::Validator one_of_words(const std::vector<std::string>& words);

}  // namespace supple
