#include "supple/linalg/dense_kernels_sets.h"
#include "supple/linalg/dense_solve_body.h"

namespace supple {

KernelsOfSet dense_kernels_avx2() {
#ifdef __AVX2__
  static constexpr DenseKernels<double> of_double = all_kernels<double>("avx2");
  static constexpr DenseKernels<float> of_float = all_kernels<float>("avx2");
  return {&of_double, &of_float};
#else
  return {};
#endif
}

}  // namespace supple
