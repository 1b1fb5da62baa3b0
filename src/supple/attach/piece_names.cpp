#include "supple/attach/piece_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace supple {
namespace {

// Parts of a body that are hard, and things that are worn or carried.
constexpr std::array<std::string_view, 22> kHardBody = {
    "eye",        "eyeball", "pupil", "iris",   "sclera", "cornea", "tooth", "teeth", "fang", "tusk", "nail",
    "fingernail", "toenail", "horn",  "antler", "hoof",   "hoove",  "claw",  "talon", "beak", "bone", "skull"};
constexpr std::array<std::string_view, 26> kHardWorn = {
    "glass",  "glasse", "goggle", "helmet", "hat",    "crown", "mask",  "buckle", "clasp",
    "button", "plate",  "armor",  "armour", "shield", "sword", "axe",   "knife",  "dagger",
    "gun",    "weapon", "staff",  "mug",    "ring",   "bell",  "watch", "coal"};

template <size_t n>
bool named(const Piece& piece, const std::array<std::string_view, n>& list) {
  for (const std::string* name : {&piece.node, &piece.mesh, &piece.material}) {
    for (const std::string& word : name_words(*name)) {
      if (std::find(list.begin(), list.end(), word) != list.end()) return true;
    }
  }
  return false;
}

}  // namespace

bool hard_part_by_name(const Piece& piece) { return named(piece, kHardBody); }
bool worn_by_name(const Piece& piece) { return named(piece, kHardWorn); }

std::vector<std::string> name_words(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (word.size() > 2 && word.back() == 's') word.pop_back();
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  char before = 0;
  for (char c : name) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (!std::isalpha(u)) {
      end_word();
    } else {
      if (std::isupper(u) && std::islower(static_cast<unsigned char>(before))) end_word();
      word += static_cast<char>(std::tolower(u));
    }
    before = c;
  }
  end_word();
  return words;
}

}  // namespace supple
