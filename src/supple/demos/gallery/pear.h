// The pear: a plump figure with a skeleton, eyes and clips, for trying everything that is done with characters.
#pragma once
#include <map>

#include "supple/anim/character.h"

namespace supple::demos {

struct PearOptions {
  int rings = 36, segments = 32;  // of the body
  double unit = 1;                // file units a metre
  double fps = 24;
};

// A closed body (hips, chest and head on a spine, thinner at neck and foot) with a seam of double vertices, and two
// eyes as pieces of their own, all under one skin. Clips: "hop" (crouches, jumps and lands; two seconds), "twist"
// (turns to and fro, loops) and "hold" (stands as bound).
Character make_pear(const PearOptions& options = {});
std::map<std::string, Vec3> pear_colors();  // of its materials

}  // namespace supple::demos
