// What to say to a misspelt word.
#pragma once
#include <string>
#include <vector>

#include "supple/scene/schema.h"

namespace supple {

// The nearest of the known words, or all of them; `what` they are.
std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& what);
// Likewise for the choices of a key. Lists of choices are short: all of them help.
std::string choice_advice(const std::string& word, const KeySpec& spec);
std::vector<std::string> keys_of(const std::string& table);

}  // namespace supple
