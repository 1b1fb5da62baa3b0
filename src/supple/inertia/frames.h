// The local orientation of the material around each vertex [adjustable constrained dynamics, Sec. 4]:
// F of a vertex is the mean of the deformation gradients of its tets weighted by rest volume, R its polar rotation.
#pragma once
#include <vector>

#include "supple/fem/elements.h"

namespace supple {

class VertexFrames {
 public:
  explicit VertexFrames(const Elements& elements);
  // Rotations at displacement u, one a vertex; identity at vertices without tets.
  std::vector<Mat3> rotations(const VecX& u) const;

 private:
  const Elements& elements_;
  std::vector<std::vector<std::pair<int, double>>> around_;  // (element, share of the rest volume)
};

}  // namespace supple
