#include "supple/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace supple {

std::string to_string(const Location& where) {
  std::string text = where.file;
  if (where.line > 0) text += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
  if (!where.place.empty()) text += text.empty() ? where.place : fmt::format(" ({})", where.place);
  return text;
}

namespace {
std::string compose(const Location& where, const std::string& what, const std::string& advice) {
  std::string text = to_string(where);
  if (!text.empty()) text += ": ";
  text += what;
  if (!advice.empty()) text += "\n  " + advice;
  return text;
}
}  // namespace

InputError::InputError(Location where, const std::string& what, const std::string& advice)
    : std::runtime_error(compose(where, what, advice)), where_(std::move(where)), fault_(what), advice_(advice) {}

SimulationFailure::SimulationFailure(double frame, const std::string& part, const std::string& cause)
    : std::runtime_error(fmt::format("frame {:g}, {}: {}", frame, part, cause)), frame_(frame) {}

std::string nearest_word(const std::string& word, const std::string* known_begin, const std::string* known_end) {
  // Levenshtein distance; a suggestion must share at least about two thirds of the letters.
  std::string best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string* k = known_begin; k != known_end; ++k) {
    std::vector<size_t> row(k->size() + 1);
    for (size_t j = 0; j <= k->size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= k->size(); ++j) {
        size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == (*k)[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = *k;
    }
  }
  return best;
}

}  // namespace supple
