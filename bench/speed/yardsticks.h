// What the machine can do, measured in the same run: ratios to these can be compared between machines and hours.
#pragma once
#include <memory>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple::bench {

// a = b + s c over arrays far larger than the caches, on as many threads as loops may use [bytes/s].
double triad_bytes_per_second();

// C += A B of OpenBLAS, 1024 x 1024 doubles [flops/s]. NaN in a build without it.
double dgemm_flops_per_second(int threads);
bool have_dgemm();

// F: the numeric phase of CHOLMOD's supernodal Cholesky on one thread, in the order of METIS on the vertices. In a
// build without CHOLMOD there are no samples.
class CholmodYardstick {
 public:
  explicit CholmodYardstick(const BlockMatrix& matrix);
  ~CholmodYardstick();
  CholmodYardstick(CholmodYardstick&&) noexcept;
  // Factorizes once more and keeps the time.
  void sample(int times = 1);
  const std::vector<double>& seconds() const { return seconds_; }
  static bool available();

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
  std::vector<double> seconds_;
};

// CHOLMOD asks OpenMP for threads of its own; only the environment at the start of a program can forbid that. Starts
// the program again where need be.
void forbid_openmp_threads(char** argv);

}  // namespace supple::bench
