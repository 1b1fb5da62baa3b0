#include "supple/linalg/dense_kernels_sets.h"
#include "supple/linalg/dense_solve_body.h"

namespace supple {

KernelsOfSet dense_kernels_avx512() {
#ifdef __AVX512F__
  static constexpr DenseKernels<double> of_double = all_kernels<double>("avx512");
  static constexpr DenseKernels<float> of_float = all_kernels<float>("avx512");
  return {&of_double, &of_float};
#else
  return {};
#endif
}

}  // namespace supple
