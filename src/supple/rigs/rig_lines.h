// Lines of the protocol that rigs are spoken with in (docs/reference/rig-protocol.md): what both sides need.
// Inside the room only.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/types.h"
#include "supple/rigs/rig_map.h"

namespace supple {

inline constexpr int kRigProtocol = 1;
inline constexpr const char* kRigGreeting = "supple-rig";

// Each after a blank, the shortest that gives the same number when read.
void append_numbers(std::string& line, const VecX& values);
void append_number(std::string& line, double value);

// Words between blanks.
std::vector<std::string_view> words_of(std::string_view line);
// All numbers of a line. Returns the first word that is none, or "".
std::string_view read_numbers(std::string_view line, std::vector<double>& values);
// False: not a whole number of this size.
bool read_count(std::string_view word, int& value);
bool read_number(std::string_view word, double& value);

const char* word_of(Quantity quantity);  // "angle", "length", "factor"
bool quantity_of(std::string_view word, Quantity& quantity);

// For messages: what can be printed of the beginning, in quotes.
std::string shown_line(std::string_view line);

}  // namespace supple
