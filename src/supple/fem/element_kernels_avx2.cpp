// The element loops for processors with AVX2. All outside headers come before the switch of instruction set, so that
// nothing they define is compiled for it; what comes after is inlined or has no name outside this file.
#include <cmath>
#include <cstring>

#include "supple/fem/element_kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#define SUPPLE_LANES_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "supple/fem/patch_loops.h"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#include "supple/fem/patch_loops.h"
#pragma GCC pop_options
#endif

namespace supple {
const ElementKernels* avx2_kernels() { return __builtin_cpu_supports("avx2") ? &kKernels : nullptr; }
}  // namespace supple

#else

namespace supple {
const ElementKernels* avx2_kernels() { return nullptr; }
}  // namespace supple

#endif
