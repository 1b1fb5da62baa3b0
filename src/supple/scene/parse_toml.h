// TOML, read by toml++, whatever stands in the file. Inside the scene room only, as its header is large: for one
// source.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace supple {

// The parser takes for granted what files may break: "[.a]" has no letter where it expects one. Thrown from its
// assertions in every build, as what it would go on with is none of the file.
struct BrokenToml {
  int line = 0;  // 1-based
};
[[noreturn]] inline void broken_toml() { throw BrokenToml(); }

}  // namespace supple

#define TOML_ASSERT(so) (static_cast<bool>(so) ? void(0) : ::supple::broken_toml())
#include <toml++/toml.h>

namespace supple {

// Of two bytes or more. What is no UTF-8 the parser tells itself.
inline bool is_letter_of_utf8(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc2 ? 2 : 0;
  for (size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return false;
  return length > 0;
}

// The line of the first letter that is not ASCII and stands in neither quotes nor a comment, where none may be and the
// parser runs into what it holds for impossible; 0: there is none.
inline int line_of_stray_letter(std::string_view text) {
  int line = 1;
  const size_t mark = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // of a file in UTF-8
  for (size_t i = mark; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (is_letter_of_utf8(text.substr(i))) return line;
    if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '"' || c == '\'') {
      const std::string three(3, c);
      const bool long_one = text.substr(i).starts_with(three);
      i += long_one ? 3 : 1;
      for (; i < text.size(); ++i) {
        if (text[i] == '\n') {
          ++line;
          if (!long_one) break;  // not closed: the parser says so
        }
        if (c == '"' && text[i] == '\\') {
          if (++i < text.size() && text[i] == '\n') ++line;
        } else if (long_one ? text.substr(i).starts_with(three) : text[i] == c) {
          i += long_one ? 2 : 0;
          break;
        }
      }
    }
  }
  return 0;
}

// path: for the places of errors. toml::parse_error: what the parser says is wrong; BrokenToml: what it cannot say.
inline toml::table parse_toml(std::string_view text, const std::string& path = "") {
  if (const int line = line_of_stray_letter(text); line > 0) throw BrokenToml{line};
  try {
    return toml::parse(text, path);
  } catch (const BrokenToml&) {
  }
  // It does not say where. What comes before the place can be read, or is found wrong in words; what goes up to it
  // cannot: the first line with which it breaks.
  std::vector<size_t> ends;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') ends.push_back(i + 1);
  ends.push_back(text.size());
  const auto breaks = [&](size_t end) {
    try {
      (void)toml::parse(text.substr(0, end), path);
    } catch (const toml::parse_error&) {
    } catch (const BrokenToml&) {
      return true;
    }
    return false;
  };
  const auto at = std::partition_point(ends.begin(), ends.end() - 1, [&](size_t end) { return !breaks(end); });
  throw BrokenToml{static_cast<int>(at - ends.begin()) + 1};
}

}  // namespace supple
