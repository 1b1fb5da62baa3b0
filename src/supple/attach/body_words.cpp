#include "supple/attach/body_words.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

namespace supple {

namespace {

using Kind = BodyPartKind;

constexpr double kDegree = std::numbers::pi / 180;

const BodyPart* part_of(const BodyPlan& plan, const BodyPoint& at) {
  return at.part < 0 ? nullptr : &plan.parts[static_cast<size_t>(at.part)];
}
// Of the kind, and of the side when the part has one.
bool of(const BodyPlan& plan, const BodyPoint& at, Kind kind, int side) {
  const BodyPart* part = part_of(plan, at);
  return part && part->kind == kind && (side == 0 || part->side == 0 || part->side == side);
}
// A point of the middle is left or right of it.
bool beside(const BodyPoint& at, int side) {
  return side == 0 || (side * at.around > 0 && std::abs(at.around) < std::numbers::pi - 1e-4);
}
// Degrees from the front, whichever way around.
double off_front(const BodyPoint& at) { return std::round(std::abs(at.around) / kDegree * 10) / 10; }
bool within(double x, double low, double high) { return x >= low && x < high; }
bool arm(const BodyPlan& plan, const BodyPoint& at, int side) { return of(plan, at, Kind::arm, side); }
bool leg(const BodyPlan& plan, const BodyPoint& at, int side) { return of(plan, at, Kind::leg, side); }
bool foreleg(const BodyPlan& plan, const BodyPoint& at, int side) { return of(plan, at, Kind::foreleg, side); }
bool trunk(const BodyPlan& plan, const BodyPoint& at) { return of(plan, at, Kind::trunk, 0); }
bool head(const BodyPlan& plan, const BodyPoint& at) { return of(plan, at, Kind::head, 0); }

// Where a trunk has its parts: hips at 0, shoulders at 1.
constexpr double kBellyFrom = -0.1, kBellyTo = 0.6, kChestTo = 1.05, kSeat = 0.25;
constexpr double kBellySide = 80, kBackFrom = 110;  // [degrees from the front]

bool chest(const BodyPlan& plan, const BodyPoint& at) {
  return trunk(plan, at) && within(at.along, kBellyTo, kChestTo) && off_front(at) < kBellySide;
}

std::vector<BodyWord> make_words() {
  return {
      {"belly",
       "",
       {"stomach", "tummy", "abdomen"},
       "front of the trunk below the chest",
       [](const BodyPlan& p, const BodyPoint& a, int) {
         return trunk(p, a) && within(a.along, kBellyFrom, kBellyTo) && off_front(a) < kBellySide;
       }},
      {"chest",
       "",
       {},
       "front of the trunk above the belly",
       [](const BodyPlan& p, const BodyPoint& a, int) { return chest(p, a); }},
      {"breasts",
       "breast",
       {"boobs", "pecs"},
       "both halves of the chest",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return chest(p, a) && a.along < 0.95 && off_front(a) > 8 && beside(a, side);
       }},
      {"back",
       "",
       {},
       "of the trunk, opposite of belly and chest",
       [](const BodyPlan& p, const BodyPoint& a, int) {
         return trunk(p, a) && a.along >= kSeat && off_front(a) >= kBackFrom;
       }},
      {"flanks",
       "flank",
       {"love handles"},
       "sides of the trunk, between belly and back",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return trunk(p, a) && within(a.along, kBellyFrom, kBellyTo) && within(off_front(a), kBellySide, kBackFrom) &&
                beside(a, side);
       }},
      {"buttocks",
       "buttock",
       {"bottom", "butt", "rump", "glutes"},
       "back of the trunk and of the thighs at the hips",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         if (trunk(p, a)) return a.along < kSeat && off_front(a) >= kBackFrom && beside(a, side);
         return p.upright && leg(p, a, side) && a.along < 0.12 && off_front(a) >= 90;
       }},
      {"trunk",
       "",
       {"torso", "body"},
       "without limbs, neck, head and tail",
       [](const BodyPlan& p, const BodyPoint& a, int) { return trunk(p, a); }},
      {"neck",
       "",
       {"throat"},
       "between shoulders and head",
       [](const BodyPlan& p, const BodyPoint& a, int) { return of(p, a, Kind::neck, 0); }},
      {"head",
       "",
       {"face"},
       "with all that hangs on it but ears",
       [](const BodyPlan& p, const BodyPoint& a, int) { return head(p, a); }},
      {"jowls",
       "jowl",
       {"cheeks"},
       "lower sides of the head",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return head(p, a) && a.along < 0.45 && within(off_front(a), 20, 115) && beside(a, side);
       }},
      {"ears",
       "ear",
       {"antennae"},
       "slender, in pairs on the head",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return of(p, a, Kind::ear, side); }},
      {"arms",
       "arm",
       {"wings"},
       "that do not stand, with their hands",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return arm(p, a, side); }},
      {"upper arms",
       "upper arm",
       {},
       "shoulder to elbow",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return (arm(p, a, side) || foreleg(p, a, side)) && a.along < 0.5;
       }},
      {"forearms",
       "forearm",
       {"lower arms"},
       "elbow to wrist",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return (arm(p, a, side) || foreleg(p, a, side)) && within(a.along, 0.5, 1);
       }},
      {"hands",
       "hand",
       {"paws"},
       "beyond the wrist",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return arm(p, a, side) && a.along >= 1; }},
      {"legs",
       "leg",
       {},
       "that stand, with their feet",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return leg(p, a, side) || foreleg(p, a, side); }},
      {"hind legs",
       "hind leg",
       {},
       "of a body on four",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return leg(p, a, side) && p.part(Kind::foreleg, 1) >= 0;
       }},
      {"forelegs",
       "foreleg",
       {"front legs"},
       "of a body on four",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return foreleg(p, a, side); }},
      {"thighs",
       "thigh",
       {"upper legs", "haunches"},
       "hip to knee",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return leg(p, a, side) && a.along < 0.5; }},
      {"lower legs",
       "lower leg",
       {"shins"},
       "knee to ankle",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return leg(p, a, side) && within(a.along, 0.5, 1); }},
      {"calves",
       "calf",
       {},
       "back of the lower legs",
       [](const BodyPlan& p, const BodyPoint& a, int side) {
         return leg(p, a, side) && within(a.along, 0.5, 0.95) && off_front(a) >= 80;
       }},
      {"feet",
       "foot",
       {"hooves"},
       "below the ankle",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return leg(p, a, side) && a.along >= 1; }},
      {"tail",
       "",
       {},
       "a chain of the middle behind the trunk",
       [](const BodyPlan& p, const BodyPoint& a, int) { return of(p, a, Kind::tail, 0); }},
      {"strands",
       "strand",
       {"hair"},
       "what else trails",
       [](const BodyPlan& p, const BodyPoint& a, int side) { return of(p, a, Kind::strand, side); }},
  };
}

// In small letters, with one space where something else than letters is.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Takes a word off the beginning or the end.
bool taken(std::string& text, const std::string& word) {
  if (text.starts_with(word + " ")) return text.erase(0, word.size() + 1), true;
  if (text.ends_with(" " + word)) return text.erase(text.size() - word.size() - 1), true;
  return false;
}

}  // namespace

const std::vector<BodyWord>& body_words() {
  static const std::vector<BodyWord> words = make_words();
  return words;
}

std::optional<SaidWord> said_word(const std::string& text) {
  // A word has letters, spaces and what stands before a side; anything else is the name of something in the file.
  if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ._-") != std::string::npos)
    return std::nullopt;
  std::string name = plain(text);
  int side = 0;
  if (taken(name, "left") || taken(name, "l")) side = 1;
  if (side == 0 && (taken(name, "right") || taken(name, "r"))) side = -1;
  for (const BodyWord& w : body_words()) {
    const bool pair = w.one[0] != '\0';
    const bool said = name == w.word || (pair && name == w.one) ||
                      std::any_of(w.others.begin(), w.others.end(),
                                  [&](const std::string& o) { return name == o || (pair && name + "s" == o); });
    if (said && (side == 0 || pair)) return SaidWord{&w, side};
  }
  return std::nullopt;
}

std::string text_of(const SaidWord& said) {
  if (said.side == 0) return said.word->word;
  return said.word->one + std::string(said.side > 0 ? ".L" : ".R");
}

std::vector<char> skin_of(const SaidWord& said, const BodyPlan& plan) {
  std::vector<char> on;
  for (const BodyPoint& at : plan.at) on.push_back(said.word->holds(plan, at, said.side));
  return on;
}

}  // namespace supple
