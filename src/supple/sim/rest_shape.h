// The weightless shape of a body that was modelled already hanging.
#pragma once
#include "supple/sim/model.h"

namespace supple {

struct RestShape {
  Points vertices;     // X whose equilibrium under gravity is the given shape
  VecX gravity_scale;  // of every vertex: below 1 where only less gravity could be undone; empty: 1 everywhere
  double error = 0;    // largest distance of the equilibrium from the given shape, as a share of size
  int iterations = 0;
  std::vector<std::string> warnings;
};

// spec: the body with spec.mesh in the given shape. Driven vertices keep their place. tolerance: of `error`.
RestShape solve_rest_shape(const ModelSpec& spec, double tolerance = 1e-3, const std::string& linear_solver = "auto");

}  // namespace supple
