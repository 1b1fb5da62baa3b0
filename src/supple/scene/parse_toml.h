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

// path: for the places of errors. toml::parse_error: what the parser says is wrong; BrokenToml: what it cannot say.
inline toml::table parse_toml(std::string_view text, const std::string& path = "") {
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
