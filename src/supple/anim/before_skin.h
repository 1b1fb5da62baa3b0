// Displacements of posed vertices taken back before the skin: what a morph target has to hold.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct BeforeSkin {
  Points displacements;     // in the bound world; exactly zero where nothing was delivered
  Eigen::VectorXf stretch;  // of each vertex: how many times as long one may come out
  double faded = 0;         // the farthest that a vertex falls short, as delivered
};
// skin: linear parts L of the blended map of each vertex; delivered: a displacement d of each.
//
// L^-1 d, as far as L can be undone. Where bones fold or twist the skin flat, L has lost a direction: what is wanted
// along it would need a displacement without bounds. There it fades: of singular values sigma below a quarter of what
// is usual in the pose, x = sigma / that quarter, 2 x - x^3 is taken for 1 / x. That is smooth, at most 1.09, and odd,
// so that a fold that turns inside out is passed evenly.
BeforeSkin before_skin(const std::vector<Mat3>& skin, const Points& delivered);

}  // namespace supple
