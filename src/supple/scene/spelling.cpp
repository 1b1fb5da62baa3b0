#include "supple/scene/spelling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace supple {

std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& what) {
  const std::string near = nearest_word(word, known.data(), known.data() + known.size());
  if (!near.empty()) return fmt::format("Did you mean {}?", near);
  return fmt::format("{}: {}.", what, fmt::join(known, ", "));
}

std::string choice_advice(const std::string& word, const KeySpec& spec) {
  const std::string near = nearest_word(word, spec.choices.data(), spec.choices.data() + spec.choices.size());
  return (near.empty() ? "" : fmt::format("Did you mean {}? ", near)) + fmt::format("One of: {}.", range_of(spec));
}

std::vector<std::string> keys_of(const std::string& table) {
  std::vector<std::string> keys;
  for (const KeySpec& spec : scene_keys())
    if (spec.table == table) keys.push_back(spec.key);
  return keys;
}

}  // namespace supple
