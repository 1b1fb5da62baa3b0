// What each source of kernels defines. Inside the room only. Null where the compiler was not given the flags.
#pragma once
#include "supple/linalg/dense_kernels.h"

namespace supple {

struct KernelsOfSet {
  const DenseKernels<double>* of_double = nullptr;
  const DenseKernels<float>* of_float = nullptr;
};
KernelsOfSet dense_kernels_avx512();
KernelsOfSet dense_kernels_avx2();
KernelsOfSet dense_kernels_plain();

}  // namespace supple
