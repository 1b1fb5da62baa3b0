// Anderson acceleration [1965] of a fixed-point iteration x <- x + f(x): the next x also uses the steps before, mixed
// so that, to first order, as little as possible of f is left. For steps that already point about the right way; a
// method of Newton's kind without derivatives.
#pragma once
#include <deque>

#include "supple/base/types.h"

namespace supple {

class Anderson {
 public:
  explicit Anderson(int memory) : memory_(memory) {}  // steps remembered
  void forget();
  // The next x after f was found at x. It may be cut short by the caller.
  VecX next(const VecX& x, const VecX& f);

 private:
  int memory_;
  VecX x_before_, f_before_;
  std::deque<VecX> dx_, df_;
};

}  // namespace supple
