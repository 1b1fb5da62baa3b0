// Finding the steps of driven points that no smooth motion explains: of all together (motion_cuts.h), and of points by
// themselves.
//
// A point's step is a jump of its own when it
//   - is more than ten times as fast as each of the two steps before and the two after it (at least two must exist),
//   - is longer than a thousandth of the box around the whole motion, and than rounding of float32 files,
//   - takes at most 0.1 s (a longer one is a move that someone keyed), and
//   - fewer than half of the points take one then.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct Jumps {
  std::vector<char> whole;                // per step k -> k + 1: every point jumps
  std::vector<std::vector<int>> partial;  // per step: the points that jump where not all do
};

// samples[k] flat, at times[k].
Jumps find_jumps(const std::vector<VecX>& samples, const std::vector<double>& times);

// The window of six samples k-2 .. k+3 around step k: the first and last (0..5) on the same side of every jump as the
// time in question, which lies before the jump when step k itself is one. jumped(j) tells whether step j is a jump.
template <class Jumped>
void own_window(int k, Jumped jumped, int& low, int& high) {
  low = 0, high = 5;
  for (int j = k - 2; j < k; ++j)
    if (jumped(j)) low = j + 1 - (k - 2);
  for (int j = k + 2; j >= k; --j)
    if (jumped(j)) high = j - (k - 2);
}

}  // namespace supple
