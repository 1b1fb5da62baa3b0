// What springs do to a motion, for the tests.
#pragma once
#include "supple/constraint/springs.h"

namespace supple::test {

// Energy, residual and matrix with v = dv_du u + offset.
struct SpringResult {
  double energy = 0;
  VecX residual;
  BlockMatrix matrix;
};

inline SpringResult evaluate(const SpringTerm& term, const VecX& u, double dv_du) {
  const VecX v = dv_du * u + VecX::Constant(u.size(), 0.3), a = VecX::Zero(u.size());
  PatternBuilder builder(static_cast<int>(u.size() / 3));
  term.couple(builder);
  SpringResult r{0, VecX::Zero(u.size()), BlockMatrix(builder.build())};
  term.add({u, v, a, dv_du, 0}, {&r.energy, &r.residual, &r.matrix, false});
  return r;
}

}  // namespace supple::test
