#include "supple/linalg/dense_kernels_sets.h"
#include "supple/linalg/dense_solve_body.h"

namespace supple {

KernelsOfSet dense_kernels_plain() {
  static constexpr DenseKernels<double> of_double = all_kernels<double>("plain");
  static constexpr DenseKernels<float> of_float = all_kernels<float>("plain");
  return {&of_double, &of_float};
}

}  // namespace supple
