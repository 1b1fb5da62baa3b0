// A word of a call as a shell takes it for one, for calls that are printed to be typed.
#pragma once
#include <string>

namespace supple {

std::string shell_word(const std::string& text);

}  // namespace supple
