// Finite-difference check of any Term: energy -> residual -> matrix.
//
// Central differences along random directions over a sweep of steps; the best error of the sweep counts, since no one
// step is right for both truncation and rounding. Within the check v and a follow u as they do in a stage. A derivative
// that is zero along every direction is a failure, not a pass: it would agree with code that does nothing.
#pragma once
#include <string>

#include "supple/energy/term.h"

namespace supple {

struct DerivativeCheck {
  bool energy_checked = false;      // false for a term without energy
  double residual_error = 0;        // |r.d - dE/dd| / |r||d|, worst direction, best step
  double matrix_error = 0;          // |K d - dr/dd| / |K d|, in the largest entry
  double residual_size = 0;         // largest entry [N]
  double matrix_size = 0;           // largest entry of K d over the directions (|d| = 1 in the largest entry) [N/m]
  bool matrix_may_be_zero = false;  // as asked

  bool ok(double tolerance) const;
  std::string text() const;  // for a failure message
};

struct DerivativeCheckOptions {
  double step = 1e-2;  // largest displacement tried [m]; the sweep goes down to 1e-7 of it
  int directions = 4;
  bool matrix_may_be_zero = false;  // loads
};

DerivativeCheck check_derivatives(const Term& term, const Kinematics& at, const DerivativeCheckOptions& options = {});

}  // namespace supple
