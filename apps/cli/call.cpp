#include "call.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace supple {

namespace {

std::vector<std::string>& typed() {
  static std::vector<std::string> words;
  return words;
}

struct Begun {
  std::string directory, option;
};
Begun& begun() {
  static Begun one;
  return one;
}

// As a shell takes it for one word.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./:=,+@%", c);
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

void remember_call(int argc, char** argv) { typed().assign(argv, argv + argc); }

void can_be_gone_on_with(const std::string& directory, const std::string& option) { begun() = {directory, option}; }

std::string how_to_go_on() {
  if (begun().directory.empty()) return "";
  std::vector<std::string> more;
  if (!begun().option.empty()) more = {begun().option, begun().directory};
  more.emplace_back("--resume");
  std::vector<std::string> words;
  for (const std::string& word : typed())
    if (word != "--overwrite" && word != "--resume") words.push_back(word);
  words.insert(std::find(words.begin(), words.end(), "--"), more.begin(), more.end());
  std::string line = "\n  go on with:";
  for (const std::string& word : words) line += " " + quoted(word);
  return line;
}

}  // namespace supple
