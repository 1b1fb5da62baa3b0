// How a body rings when its parts are damped differently. Its undamped modes then no longer ring each by itself: those
// of nearly the same frequency mix, and the loss of one is not its share of each part's damping. In the space of the
// lowest modes the poles of  a'' + D a' + diag(omega^2) a = 0  tell.
#pragma once
#include <complex>
#include <vector>

#include "supple/sim/analysis.h"

namespace supple {

// x . D y for all pairs of shapes (columns, unit modal mass), D the model's damping about u [1/s].
MatX damping_matrix(const Model& model, const MatX& shapes, const VecX& u = VecX());
// The same of tets with other materials, as a spec has them.
MatX damping_matrix(const ModelSpec& spec, const MatX& shapes, const VecX& u = VecX());

struct Pole {
  std::complex<double> value;  // [1/s] e^(value t): half-life = ln 2 / -real
  Eigen::VectorXcd shape;      // in the modes, of unit length
  double decay() const { return -value.real(); }
};
// squares: omega^2 of the modes. One pole of every pair, and those that creep back without a swing.
std::vector<Pole> poles(const VecX& squares, const MatX& damping);
// Of those, the one that has most of a mode in it.
const Pole& pole_of(const std::vector<Pole>& all, Eigen::Index mode);

// What one pole alone contributes to a mode's coordinate: place . a + speed . a'. D, omega^2 and so the equation are
// symmetric, and a pole's shape picks it out of any motion.
struct PoleFilter {
  VecX place, speed;
};
PoleFilter filter_of(const Pole& pole, const MatX& damping, Eigen::Index mode);

}  // namespace supple
