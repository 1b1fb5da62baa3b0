// Names with * (any characters) and ? (any one), upper and lower case the same.
#pragma once
#include <string>

namespace supple {

bool matches(const std::string& pattern, const std::string& text);

}  // namespace supple
