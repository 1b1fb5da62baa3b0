// Between single values and lanes, for tests and the slow way in.
#pragma once
#include "supple/fem/volume_terms.h"

namespace supple {

// The same matrix in every lane, and one lane taken out.
inline LaneMatrix broadcast(const Mat3& A) {
  return {{A(0, 0), A(1, 0), A(2, 0)}, {A(0, 1), A(1, 1), A(2, 1)}, {A(0, 2), A(1, 2), A(2, 2)}};
}
inline Mat3 extract(const LaneMatrix& A, int lane) {
  Mat3 m;
  m.col(0) = Vec3(A.c0.x[lane], A.c0.y[lane], A.c0.z[lane]);
  m.col(1) = Vec3(A.c1.x[lane], A.c1.y[lane], A.c1.z[lane]);
  m.col(2) = Vec3(A.c2.x[lane], A.c2.y[lane], A.c2.z[lane]);
  return m;
}
inline LaneMaterial broadcast(const ElementMaterial& m) {
  return {m.lame_mu, m.lame_lambda, m.mu, m.lambda, m.alpha, m.volume, m.damping};
}

}  // namespace supple
