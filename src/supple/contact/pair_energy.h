// The barrier of one pair with its derivatives by the pair's points.
#pragma once
#include <Eigen/Core>

#include "supple/contact/contact_pair.h"

namespace supple {

// m(x) b(d(x)): the barrier (barrier.h) times the mollifier of parallel edges (pair_distance.h). Points in the order of
// the pair, three numbers each.
struct PairEnergy {
  double value = 0;                                                               // [m]
  Eigen::Matrix<double, 12, 1> gradient = Eigen::Matrix<double, 12, 1>::Zero();   // pure numbers
  Eigen::Matrix<double, 12, 12> hessian = Eigen::Matrix<double, 12, 12>::Zero();  // [1/m]
};

enum class PairDerivatives { value, gradient, hessian };
// project: the hessian with its negative eigenvalues set to zero.
PairEnergy pair_energy(const ContactPair& pair, const Points& x, const Points& rest, double thickness,
                       PairDerivatives asked, bool project = true);

}  // namespace supple
