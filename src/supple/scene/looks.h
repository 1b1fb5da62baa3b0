// Looks: what flesh is like, as ratios to the flesh that a character gets without a word. They have no size and no
// frame rate in them, because that flesh follows the thickness of the body: a look is the same on a mouse and a whale.
#pragma once
#include <string>
#include <vector>

#include "supple/tune/dials.h"

namespace supple {

struct Look {
  const char* name;
  DialRatios ratios;
  const char* like;  // in words
};

// Half-life of flesh without a look, in its periods: it stands within a second and a half of what moved it.
inline constexpr double kUsualPeriods = 0.6;

const std::vector<Look>& looks();
std::vector<std::string> look_names();
// Of a name in looks(); "": all 1.
DialRatios look_ratios(const std::string& name);

}  // namespace supple
