// Finding the steps of a sampled motion that no smooth motion explains.
//
// A point's step is a jump when it
//   - is more than ten times as fast as each of the two steps before and the two after it (at least two must exist),
//   - is longer than a thousandth of the box around the whole motion, and than rounding of float32 files, and
//   - takes at most 0.1 s (a longer one is a move that someone keyed).
// So a start or stop at full speed is none (its neighbour is as fast), nor is animation on twos, nor a one-frame spike;
// a hold, one step, and a hold again is. Where half of the points or more jump, all do: the character was moved.
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
