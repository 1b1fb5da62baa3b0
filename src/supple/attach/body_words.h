// Words for places on a body, such as belly and thighs, as skin: by the parts of the body and where on them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/attach/body_plan.h"

namespace supple {

struct BodyWord {
  const char* word;                 // of a pair that of both: "thighs"
  const char* one = "";             // of one of a pair: "thigh"; "": it is of the middle
  std::vector<const char*> others;  // that mean the same
  const char* where = "";           // for a reader
  bool (*holds)(const BodyPlan& plan, const BodyPoint& at, int side) = nullptr;  // side: 0: either
};
const std::vector<BodyWord>& body_words();

// "thighs", "thigh.L", "left thigh": the word and its side (0: both, or of the middle). Nothing: no such word.
struct SaidWord {
  const BodyWord* word = nullptr;
  int side = 0;
};
std::optional<SaidWord> said_word(const std::string& text);
std::string text_of(const SaidWord& said);  // "thighs", "thigh.L", "belly"

// Per skin vertex; all 0: the body has no such place.
std::vector<char> skin_of(const SaidWord& said, const BodyPlan& plan);

}  // namespace supple
