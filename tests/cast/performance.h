// A character of the cast through the whole program, as `supple run` goes through it, and the verdict on what comes
// out.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/anim/character.h"
#include "tests/cast/verdict.h"

namespace supple::cast {

struct Performance {
  Character before, after;        // as their files are read
  std::vector<Numbers> clips;     // in the order of those that were run
  std::string flesh;              // the scene's numbers of it, as text
  std::vector<std::string> told;  // notes and warnings
  std::string failure;            // why there is no result; empty: there is one
};

struct Staging {
  std::string clip = "all";  // or a number
  std::string tets = "preview";
  std::vector<std::string> set;  // further keys of the scene
};

// Without any cache.
Performance perform(const Character& character, const Staging& staging = {});

// The soft clip of clip number `k` of the input, beside it.
Shot shot_of(const Performance& p, size_t k);

}  // namespace supple::cast
