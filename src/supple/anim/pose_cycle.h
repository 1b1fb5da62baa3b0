// Whether a clip is a cycle, by its drawn poses alone: nothing of tets, flesh or what is driven has a say in it.
//
// A cycle is a clip whose last pose is the first again, where it stands or carried by one rigid motion T (a walk that
// travels or turns). How fast it moves at either end does not matter where it stands: what is played again and again
// must not jump, also when the drawn motion bends there.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/loop_track.h"

namespace supple {

struct PoseCycle {
  enum class Kind {
    none,
    smooth,  // it goes on as it begins
    corner   // the poses meet, and the drawn motion bends where they do
  };
  Kind kind = Kind::none;
  // Of both kinds of exporters: the last pose is the first, or comes one step before it. Then a period is a step longer
  // than the clip.
  bool ends_before_first = false;
  int steps = 0;      // of a period
  RigidMotion carry;  // T
  double miss = 0;    // farthest a point of the pose that closes it is from T(first), of the size
  double bend = 0;    // farthest a step changes over the seam beyond what the same point does inside, of the size
  std::string why;    // of none: what is in the way
  bool repeats() const { return kind != Kind::none; }
  bool in_place() const { return carry.R.isIdentity(0) && carry.from == carry.to; }
};

// poses: of some points all over the drawn body, one a frame; cuts: steps that are leaps (motion_cuts.h).
// In place, poses agree when no point is off by more than 0.5 % of the size; or, as cycles made by hand are, by 5 % and
// a fifth of how far the clip goes. Where one step more would bring the first pose in its stride, and far more closely,
// it is a cycle of one step more. Travelling cycles agree to 0.5 %, do not bend more sharply at the seam than they do
// inside, and do not stand at both ends: a leap from stand to stand is none.
PoseCycle find_pose_cycle(const std::vector<VecX>& poses, const std::vector<int>& cuts = {});
std::string describe(
    const PoseCycle& cycle);  // "its last pose is its first", "its last pose is 12 % of the size from the first"

}  // namespace supple
