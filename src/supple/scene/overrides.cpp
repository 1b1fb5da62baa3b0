#include "supple/scene/overrides.h"

namespace supple {

size_t Override::end_of_key(const std::string& text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && i > 0 && text[i - 1] == '.') {
      quote = c;  // elsewhere it is a letter of a name, as in Bob's ear
    } else if (c == '=') {
      return i;
    }
  }
  return std::string::npos;
}

}  // namespace supple
