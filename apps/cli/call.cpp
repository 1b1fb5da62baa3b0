#include "call.h"

#include <algorithm>
#include <vector>

#include "supple/base/shell_word.h"

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
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

}  // namespace supple
