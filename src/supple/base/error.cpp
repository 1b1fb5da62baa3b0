#include "supple/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "supple/base/printable.h"

namespace supple {

std::string to_string(const Location& where) {
  std::string text = where.file;
  if (where.line > 0) text += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
  if (!where.place.empty()) text += text.empty() ? where.place : fmt::format(" ({})", where.place);
  return text;
}

namespace {
// For a terminal, whatever names are in it. Lines of the advice stay lines, set in: none of them begins as we begin
// one.
std::string compose(const Location& where, const std::string& what, const std::string& advice) {
  std::string text = printable(to_string(where));
  if (!text.empty()) text += ": ";
  text += printable(what);
  if (advice.empty()) return text;
  text += "\n  ";
  for (const char c : printable(advice, LineEnds::kept)) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text;
}
}  // namespace

InputError::InputError(Location where, const std::string& what, const std::string& advice)
    : std::runtime_error(compose(where, what, advice)), where_(std::move(where)), fault_(what), advice_(advice) {}
InputError::~InputError() = default;

SimulationFailure::SimulationFailure(double time_s, const std::string& part, const std::string& cause)
    : std::runtime_error(fmt::format("at {:g} s, {}: {}", time_s, printable(part), printable(cause))),
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
