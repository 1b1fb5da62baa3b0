#include "yardsticks.h"

#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "supple/base/parallel.h"
#include "supple/base/timer.h"

#ifdef SUPPLE_BENCH_BLAS
#include <cblas.h>
#endif

namespace supple::bench {

double triad_bytes_per_second() {
  constexpr size_t kCount = 8 << 20, kGrain = 1 << 16;
  static std::vector<double> a(kCount, 0.0), b(kCount, 1.0), c(kCount, 2.0);
  const Timer timer;
  parallel_for(kCount, kGrain, [](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) a[i] = b[i] + 3.0 * c[i];
  });
  return 3.0 * sizeof(double) * kCount / timer.seconds();
}

#ifdef SUPPLE_BENCH_BLAS
double dgemm_flops_per_second(int threads) {
  constexpr int n = 1024;
  static std::vector<double> a(n * n, 1.0), b(n * n, 0.5), c(n * n, 0.0);
  openblas_set_num_threads(threads);
  const Timer timer;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
  const double seconds = timer.seconds();
  openblas_set_num_threads(1);
  return 2.0 * n * n * n / seconds;
}
bool have_dgemm() { return true; }
#else
double dgemm_flops_per_second(int) { return std::numeric_limits<double>::quiet_NaN(); }
bool have_dgemm() { return false; }
#endif

void forbid_openmp_threads(char** argv) {
  if (!CholmodYardstick::available() || std::getenv("OMP_THREAD_LIMIT")) return;
  setenv("OMP_THREAD_LIMIT", "1", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace supple::bench
