// Which of several has the most, where rounding is to decide nothing: lattices, mirrored bodies and files in other
// units make ties all the time.
#pragma once
#include <cstddef>

namespace supple {

// How much more the next one must have to be more.
inline constexpr double kClearlyMore = 1e-6;
inline bool clearly_more(double x, double than) { return x > than + kClearlyMore * (than < 0 ? -than : than); }

// The first of those that have the most; 0 of none.
template <class List>
size_t first_of_most(const List& list) {
  size_t best = 0;
  for (size_t i = 1; i < list.size(); ++i)
    if (clearly_more(list[i], list[best])) best = i;
  return best;
}

}  // namespace supple
