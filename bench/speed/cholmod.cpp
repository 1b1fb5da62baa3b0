// CHOLMOD is a yardstick only: nothing but this file knows it, and its supernodal module is under the GPL, so a
// benchmark that links it is too.
#include <algorithm>

#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/linalg/solver.h"
#include "yardsticks.h"

#ifdef SUPPLE_BENCH_CHOLMOD
#include <cholmod.h>
#ifdef SUPPLE_BENCH_BLAS
#include <cblas.h>
#endif

namespace supple::bench {

struct CholmodYardstick::Factor {
  cholmod_common common{};
  cholmod_factor* factor = nullptr;
  cholmod_sparse view{};
  // The upper triangle by columns, rows and columns in the order of elimination.
  std::vector<int> start, row;
  std::vector<double> value;

  explicit Factor(const BlockMatrix& a) {
    set_matrix(a);
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.final_ll = 1;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_NATURAL;
    common.postorder = 1;
    factor = cholmod_analyze(&view, &common);
  }
  ~Factor() {
    if (factor) cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
  Factor(const Factor&) = delete;
  Factor& operator=(const Factor&) = delete;

  void set_matrix(const BlockMatrix& a) {
    const BlockPattern& p = *a.pattern;
    const std::vector<int> order = nested_dissection(p);
    std::vector<int> place(order.size());
    for (size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
    // Blocks of each block column, from the diagonal's side: (block row, block, whether it is stored transposed).
    struct Entry {
      int row, block;
      bool transposed;
    };
    std::vector<std::vector<Entry>> columns(order.size());
    for (int i = 0; i < p.n; ++i)
      for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
        const int r = place[i], c = place[p.col[k]];
        columns[std::max(r, c)].push_back({std::min(r, c), k, r > c});
      }
    start.assign(1, 0);
    for (size_t c = 0; c < columns.size(); ++c) {
      auto& list = columns[c];
      std::sort(list.begin(), list.end(), [](const Entry& x, const Entry& y) { return x.row < y.row; });
      for (int j = 0; j < 3; ++j) {
        for (const Entry& e : list)
          for (int i = 0; i < 3; ++i) {
            if (e.row == static_cast<int>(c) && i > j) continue;
            row.push_back(3 * e.row + i);
            value.push_back(a.block(e.block)[e.transposed ? 3 * j + i : 3 * i + j]);
          }
        start.push_back(static_cast<int>(row.size()));
      }
    }
    view.nrow = view.ncol = 3 * order.size();
    view.nzmax = row.size();
    view.p = start.data();
    view.i = row.data();
    view.x = value.data();
    view.stype = 1;  // upper triangle
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
  }

  double run() {
#ifdef SUPPLE_BENCH_BLAS
    openblas_set_num_threads(1);
#endif
    const Timer timer;
    const bool done = factor && cholmod_factorize(&view, factor, &common);
    const double seconds = timer.seconds();
    if (!done || common.status != CHOLMOD_OK)
      throw InputError({}, "CHOLMOD failed with status " + std::to_string(common.status));
    return seconds;
  }
};

CholmodYardstick::CholmodYardstick(const BlockMatrix& matrix) : factor_(std::make_unique<Factor>(matrix)) {
  factor_->run();  // memory is allocated by the first one
}
void CholmodYardstick::sample(int times) {
  for (int i = 0; i < times; ++i) seconds_.push_back(factor_->run());
}
bool CholmodYardstick::available() { return true; }

#else

namespace supple::bench {

struct CholmodYardstick::Factor {};
CholmodYardstick::CholmodYardstick(const BlockMatrix&) {}
void CholmodYardstick::sample(int) {}
bool CholmodYardstick::available() { return false; }

#endif

CholmodYardstick::~CholmodYardstick() = default;
CholmodYardstick::CholmodYardstick(CholmodYardstick&&) noexcept = default;

}  // namespace supple::bench
