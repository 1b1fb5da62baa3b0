#include "supple/fem/element_kernels.h"

#include "supple/fem/patch_loops.h"

namespace supple {

const ElementKernels& baseline_kernels() { return kKernels; }

const ElementKernels& element_kernels() {
  static const ElementKernels& best = avx2_kernels() ? *avx2_kernels() : baseline_kernels();
  return best;
}

}  // namespace supple
