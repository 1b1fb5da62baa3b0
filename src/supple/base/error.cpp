#include "supple/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace supple {

namespace {
// Names of files and of what is in them are shown on terminals, which would do what they read there.
std::string without_controls(const std::string& text, const char* kept = "") {
  std::string shown;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte >= 0x20 && byte != 0x7f) || (letter != 0 && std::strchr(kept, letter)))
      shown += letter;
    else
      shown += fmt::format("\\x{:02x}", byte);
  }
  return shown;
}
}  // namespace

std::string to_string(const Location& where) {
  std::string text = without_controls(where.file);
  if (where.line > 0) text += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
  const std::string place = without_controls(where.place);
  if (!place.empty()) text += text.empty() ? place : fmt::format(" ({})", place);
  return text;
}

namespace {
std::string compose(const Location& where, const std::string& what, const std::string& advice) {
  std::string text = to_string(where);
  if (!text.empty()) text += ": ";
  text += without_controls(what, "\n");
  if (!advice.empty()) text += "\n  " + without_controls(advice, "\n");
  return text;
}
}  // namespace

InputError::InputError(Location where, const std::string& what, const std::string& advice)
    : std::runtime_error(compose(where, what, advice)), where_(std::move(where)), fault_(what), advice_(advice) {}
InputError::~InputError() = default;

SimulationFailure::SimulationFailure(double time_s, const std::string& part, const std::string& cause)
    : std::runtime_error(fmt::format("at {:g} s, {}: {}", time_s, part, cause)),
      time_s_(time_s),
      part_(part),
      cause_(cause) {}

namespace {
// Edits between two words: letters put in, left out or changed, and neighbours swapped.
size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}
}  // namespace

std::string nearest_word(const std::string& word, const std::string* known_begin, const std::string* known_end) {
  // A suggestion must share at least about two thirds of the letters.
  std::string best;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string* k = known_begin; k != known_end; ++k) {
    const size_t n = edits(word, *k);
    if (n < fewest) fewest = n, best = *k;
  }
  return best;
}

}  // namespace supple
