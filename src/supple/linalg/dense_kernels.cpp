#include "supple/linalg/dense_kernels.h"

#include <type_traits>

#include "supple/base/expect.h"
#include "supple/linalg/dense_kernels_sets.h"

namespace supple {

template <typename T>
KernelSets<T> dense_kernel_sets() {
  KernelSets<T> sets{};
  auto add = [&](const KernelsOfSet& kernels) {
    const DenseKernels<T>* set;
    if constexpr (std::is_same_v<T, double>)
      set = kernels.of_double;
    else
      set = kernels.of_float;
    if (set) sets.set[sets.count++] = set;
  };
#ifdef __x86_64__
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) add(dense_kernels_avx512());
  if (fma) add(dense_kernels_avx2());
#endif
  add(dense_kernels_plain());
  return sets;
}

template <typename T>
const DenseKernels<T>& dense_kernels() {
  static const KernelSets<T> sets = dense_kernel_sets<T>();
  expect(sets.set[0] != nullptr, "kernels for this processor");
  return *sets.set[0];
}

template KernelSets<double> dense_kernel_sets<double>();
template KernelSets<float> dense_kernel_sets<float>();
template const DenseKernels<double>& dense_kernels<double>();
template const DenseKernels<float>& dense_kernels<float>();

}  // namespace supple
