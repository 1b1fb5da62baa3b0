// What a solve of Newton (newton.h) is asked for, and what it says of itself.
#pragma once
#include <string>

namespace supple {

struct NewtonOptions {
  double tolerance = 1e-6;  // max|r_free| <= tolerance (sum over terms in scale of max|r_term|) + floor
  double floor = 0;         // rounding floor [N]
  int max_iterations = 80;
  // Use the factor of an earlier solve as a preconditioner while it serves: for solutions that follow one another
  // closely, where factorizing is most of the work. Without, it serves the iterations of one solve only.
  bool keep_factor = false;
  // The start has the constraints imposed; where that moves a vertex by more than this [m], the rest is carried along.
  double follow_beyond = 0;
  // With contact: what bars the way of prescribed things is let go of, instead of failing; and something is prescribed
  // beyond what the unknowns know of (obstacles), and has its way to go.
  bool may_let_go = true, others_move = false;
};

struct NewtonReport {
  bool converged = false;
  int iterations = 0;
  int factorizations = 0;
  int projected = 0;      // iterations whose matrix had to be projected
  int cut_steps = 0;      // iterations whose full step was not taken
  int krylov = 0;         // iterations of linear solves
  double residual = 0;    // max|r_free| [N]
  double scale = 0;       // what the tolerance multiplies [N]
  int worst_vertex = -1;  // free vertex (an index of the map's unknowns) of the largest residual
  std::string worst;      // what it is of, where that is no vertex
  std::string trouble;    // when not converged: why
};

}  // namespace supple
