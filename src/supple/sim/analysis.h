// What a model will do, before it is run: natural frequencies, sag, half-life.
#pragma once
#include "supple/linalg/eigen_pairs.h"
#include "supple/sim/static_solver.h"

namespace supple {

struct Modes {
  bool ok = false;
  VecX frequencies_hz;     // ascending
  MatX shapes;             // 3n x k, unit modal mass
  bool free_body = false;  // nothing holds it: the six rigid motions come first, at zero
  std::string message;
};
// The k lowest modes about the rest shape, or about the state u when given, with driven vertices and ties held
// [Eqs. 3-4] and springs in place. About a state that is no stable equilibrium there may be none.
Modes natural_modes(const Model& model, int k, const std::string& linear_solver = "auto", const VecX& u = VecX());

// Eq. 7 from Rayleigh damping: 2 log 2 / (d_m + 4 pi^2 d_k f^2) [s]; infinity without damping.
double half_life(double frequency_hz, double stiffness_damping, double mass_damping);
// d_k for a half-life at a frequency, mass damping given [s].
double stiffness_damping_for(double half_life_s, double frequency_hz, double mass_damping = 0);

struct Sag {
  bool converged = false;
  double sag_m = 0;   // sqrt(<M u, u> / free mass)
  double peak_m = 0;  // largest displacement
  VecX u;
};
// Under gravity with every driven point at its rest place. guess: where to start, empty: the rest shape.
Sag gravity_sag(const Model& model, const std::string& linear_solver = "auto", double tolerance = 1e-8,
                const VecX& guess = VecX());

// The same body with every tet cut in eight, for a look at how much too stiff the mesh is (locking).
Model refined(const Model& model);

}  // namespace supple
