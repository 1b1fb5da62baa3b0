// Text and bytes inside XML, HTML or SVG.
#pragma once
#include <string>

namespace supple {

// & < > " ' as entities, characters that XML does not allow left out.
std::string escape_markup(const std::string& text);

std::string base64(const std::string& bytes);

}  // namespace supple
