// The weightless shape of a body that was modelled already hanging.
//
// Found from the equations of equilibrium with the shape known and the rest shape not (inverse_equilibrium.h), their
// steps accelerated for every part of the flesh on its own. Springs pull their points to where these are in the given
// shape. There they are slack: the flesh itself must carry the weight, and flesh that only springs hold cannot.
#pragma once
#include "supple/sim/model.h"

namespace supple {

struct Parts;

struct RestShape {
  Points vertices;     // X whose equilibrium under gravity is the given shape
  VecX gravity_scale;  // of every vertex, times that of the spec: below 1 where only less gravity could be undone;
                       // empty: 1 everywhere
  double error = 0;    // largest distance of the equilibrium from the given shape, as a share of size
  int iterations = 0;
  std::vector<std::string> warnings;
};

// spec: the body with spec.mesh in the given shape. Driven vertices and tied points keep their place; the targets of
// springs belong where their points are in the given shape. tolerance: of `error`.
// Where gravity cannot be undone (tets of X below a tenth of their volume, an equilibrium that would not be stable, no
// convergence) that connected part of the free flesh gets half of it, and so on up to six times, then none, and a
// warning; from the first that works it is raised again as far as it goes. Parts that nothing holds keep their shape.
// The given shape is the equilibrium that runs should start in: SimulationSpec::first_guess = given - vertices.
// pieces: as split_into_parts has them without groups, where they are known; null: they are found.
RestShape solve_rest_shape(const ModelSpec& spec, double tolerance = 1e-3, const std::string& linear_solver = "auto",
                           const Parts* pieces = nullptr);

}  // namespace supple
