// The jellyphant: an elephant of jelly that hops, for ears and a trunk that fly.
#pragma once
#include <map>
#include <string>

#include "supple/anim/character.h"

namespace supple::demos {

constexpr int kJellyphantFrames = 120;
constexpr double kJellyphantFps = 24;

struct JellyphantOptions {
  double edge = 0.036;             // [m] of its skin
  int frames = kJellyphantFrames;  // of the clip, from its beginning
};

// One closed skin in several materials, eyes and tusks. Painted: _SOFT, 1 is flesh and 0 follows, and _LOOSE, 1 on
// ears, trunk and tail. Blend shapes "squash" and "stretch" besides correctives. Clip "hop": two hops and a trot in
// place.
Character make_jellyphant(const JellyphantOptions& options = {});
std::map<std::string, Vec3> jellyphant_colors();  // of its materials

}  // namespace supple::demos
