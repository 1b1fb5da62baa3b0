// Characters that nobody tuned anything for, made by code: bodies of many kinds, each with a few clips. Names in their
// files mean nothing. Sizes are metres; the floor is y = 0 where they have one.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/anim/character.h"

namespace supple::cast {

// Four legs, a tail of four bones, ears. Clips: idle, walk, run.
Character make_quadruped();
// Two legs, sword, shield (an unskinned mesh on its hand) and helmet. Clips: idle, walk, strike, fall and lie.
Character make_fighter();
// Two legs and nothing else. Clips: walk, or sway.
struct WalkerOptions {
  int walk_keys = 25;  // over one second
  bool sway = false;   // from side to side instead, in five straight keys
};
Character make_walker(const WalkerOptions& options = {});
// Boxes and discs on joints. Clips: work.
Character make_machine();
// One chain of bones. Clips: creep, strike.
Character make_serpent();
// Wings, thin legs, antennae of three bones. Clips: stand, hover.
Character make_bird();
// Soft as a whole, with open shells for eyes and mouth. Clips: wobble, hop.
Character make_blob();
// A tree of rounded cones with random joints and motions; odd ones are livelier.
Character make_creature(unsigned seed);

struct Member {
  std::string name;  // in tests alone
  std::function<Character()> make;
  std::vector<std::string> clips;  // what each does, in the order of the file
  bool hard = false;               // has no flesh
};
const std::vector<Member>& members();

}  // namespace supple::cast
