// Multifrontal factorization by sequential MUMPS on serial BLAS, in our own elimination order. Both are loaded when
// they are first asked for: OpenBLAS starts its threads and takes their memory as soon as it is loaded, and few runs
// need it.
#include <dlfcn.h>
#include <dmumps_c.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

namespace {

// Jobs of MUMPS.
enum Job { kStart = -1, kEnd = -2, kAnalyse = 1, kFactorize = 2, kSolve = 3 };

// MUMPS and its stand-in for MPI keep state in modules: one call at a time.
std::mutex& one_at_a_time() {
  static std::mutex m;
  return m;
}

// Its entry points. InputError: it is not installed.
class MumpsLibrary {
 public:
  MumpsLibrary() {
    // Threads inside BLAS would change the order of sums with their number. One that is loaded here reads this; it is
    // not left to programs that are started later.
    constexpr char kThreads[] = "OPENBLAS_NUM_THREADS";
    const char* before = std::getenv(kThreads);
    const std::string kept = before ? before : "";
    setenv(kThreads, "1", 1);
    void* library = dlopen(SUPPLE_MUMPS, RTLD_NOW | RTLD_LOCAL);
    const char* why = library ? nullptr : dlerror();
    before ? setenv(kThreads, kept.c_str(), 1) : unsetenv(kThreads);
    if (library) call_ = reinterpret_cast<decltype(&dmumps_c)>(dlsym(library, "dmumps_c"));
    if (!call_)
      throw InputError({.place = "key solver.linear"},
                       std::string("MUMPS cannot be loaded: ") + (why ? why : "it is of another kind"),
                       "Install it (Debian: libmumps-seq-5.5), or let solver.linear be auto.");
    set_threads_ = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  }
  void call(DMUMPS_STRUC_C& problem) const {
    if (set_threads_) set_threads_(1);  // of one that was there before
    call_(&problem);
  }

 private:
  decltype(&dmumps_c) call_ = nullptr;
  void (*set_threads_)(int) = nullptr;
};

const MumpsLibrary& mumps_library() {
  static const MumpsLibrary library;
  return library;
}

class MumpsSolver final : public BackEnd {
 public:
  MumpsSolver() = default;
  ~MumpsSolver() override { end(); }
  MumpsSolver(const MumpsSolver&) = delete;
  MumpsSolver& operator=(const MumpsSolver&) = delete;

  std::string name() const override { return "mumps"; }
  bool direct() const override { return true; }
  void take_pattern(std::shared_ptr<const BlockPattern> pattern) override;
  FactorStatus take_values(const BlockMatrix& matrix) override;
  SolveReport answer(const MatX& b, MatX& x) override;

 private:
  void start();
  void end();
  int run(Job job);
  int& icntl(int i) { return mumps_.icntl[i - 1]; }  // numbered as in the manual of MUMPS
  int infog(int i) const { return mumps_.infog[i - 1]; }

  DMUMPS_STRUC_C mumps_{};
  bool started_ = false;
  std::vector<int> row_, column_;  // from 1, of the lower triangle
  std::vector<int> source_;        // value_[k] = matrix.values[source_[k]]
  std::vector<double> value_;
  std::vector<int> place_;  // in the elimination order, from 1
};

int MumpsSolver::run(Job job) {
  const std::lock_guard lock(one_at_a_time());
  mumps_.job = job;
  mumps_library().call(mumps_);
  return infog(1);
}

void MumpsSolver::start() {
  mumps_ = DMUMPS_STRUC_C{};
  mumps_.par = 1;
  mumps_.sym = 1;                 // positive definite: no pivoting
  mumps_.comm_fortran = -987654;  // MPI_COMM_WORLD by the convention of MUMPS
  if (run(kStart) < 0) throw SimulationFailure(0, "linear solver", "MUMPS could not be started");
  started_ = true;
  for (int unit = 1; unit <= 4; ++unit) icntl(unit) = unit == 4 ? 0 : -1;  // silent
  icntl(6) = 0;                                                            // no column permutation
  icntl(7) = 1;                                                            // the order is given
  icntl(8) = 0;    // no scaling: the order of elimination and the pivots stay ours
  icntl(10) = 0;   // no refinement
  icntl(14) = 30;  // spare room over the estimate [%]
  icntl(28) = 1;   // sequential analysis
}

void MumpsSolver::end() {
  if (started_) run(kEnd);
  started_ = false;
}

void MumpsSolver::take_pattern(std::shared_ptr<const BlockPattern> pattern) {
  end();
  row_.clear();
  column_.clear();
  source_.clear();
  for (int i = 0; i < pattern->n; ++i)
    for (int k = pattern->row_start[static_cast<size_t>(i)]; k < pattern->row_start[static_cast<size_t>(i) + 1]; ++k) {
      const int j = pattern->col[static_cast<size_t>(k)];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < (i == j ? r + 1 : 3); ++c) {
          row_.push_back(3 * i + r + 1);
          column_.push_back(3 * j + c + 1);
          source_.push_back(9 * k + 3 * r + c);
        }
    }
  value_.assign(source_.size(), 0.0);
  const std::vector<int> order = nested_dissection(*pattern);
  place_.resize(3 * order.size());
  for (size_t k = 0; k < order.size(); ++k)
    for (size_t c = 0; c < 3; ++c) place_[3 * static_cast<size_t>(order[k]) + c] = static_cast<int>(3 * k + c) + 1;
  if (pattern->n == 0) return;

  start();
  mumps_.n = 3 * pattern->n;
  mumps_.nnz = static_cast<MUMPS_INT8>(row_.size());
  mumps_.irn = row_.data();
  mumps_.jcn = column_.data();
  mumps_.a = value_.data();
  mumps_.perm_in = place_.data();
  const int code = run(kAnalyse);
  if (code < 0)
    throw SimulationFailure(0, "linear solver", "the analysis of MUMPS failed with code " + std::to_string(code));
}

FactorStatus MumpsSolver::take_values(const BlockMatrix& matrix) {
  if (!started_) return FactorStatus::ok;
  parallel_for(value_.size(), 1 << 15, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) value_[k] = matrix.values[static_cast<size_t>(source_[k])];
  });
  int code = run(kFactorize);
  // The working space was too small: ask for more.
  while ((code == -8 || code == -9) && icntl(14) < 4000) {
    icntl(14) *= 2;
    code = run(kFactorize);
  }
  // A vanishing pivot; or a negative one, which MUMPS takes in its stride (it factors L D L^T) but counts.
  if (code == -10 || code == -40) return FactorStatus::not_positive_definite;
  if (code < 0) {
    message_ = "MUMPS failed with code " + std::to_string(code) + (code == -13 ? " (out of memory)" : "");
    return FactorStatus::failed;
  }
  return infog(12) > 0 ? FactorStatus::not_positive_definite : FactorStatus::ok;
}

SolveReport MumpsSolver::answer(const MatX& b, MatX& x) {
  x = b;
  if (!started_ || b.cols() == 0) return {.ok = true, .iterations = 0, .residual = 0};
  expect(b.rows() == mumps_.n, "a right-hand side of the size of the matrix");
  mumps_.rhs = x.data();
  mumps_.nrhs = static_cast<int>(b.cols());
  mumps_.lrhs = mumps_.n;
  const int code = run(kSolve);
  mumps_.rhs = nullptr;
  if (code < 0) message_ = "the solution of MUMPS failed with code " + std::to_string(code);
  return {.ok = code >= 0, .iterations = 0, .residual = 0};
}

}  // namespace

std::unique_ptr<LinearSolver> make_mumps_solver() {
  mumps_library();
  return std::make_unique<MumpsSolver>();
}

}  // namespace supple
