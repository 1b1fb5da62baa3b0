#include "supple/linalg/solver.h"

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/timer.h"
#include "supple/linalg/solver_backends.h"

namespace supple {

VecX LinearSolver::solve(const VecX& b) {
  MatX x;
  solve(MatX(b), x);
  return x.col(0);
}

void BackEnd::analyse(std::shared_ptr<const BlockPattern> pattern) {
  const TimeInto time(stats_.analyse_s);
  ++stats_.analyses;
  n_blocks_ = pattern->size();
  take_pattern(std::move(pattern));
}

FactorStatus BackEnd::factorize(const BlockMatrix& matrix) {
  expect(matrix.pattern->size() == n_blocks_, "a matrix of the pattern that was analysed");
  const TimeInto time(stats_.factorize_s);
  ++stats_.factorizations;
  message_.clear();
  if (all_finite(matrix.values)) return take_values(matrix);
  message_ = "the matrix has entries that are not finite";
  return FactorStatus::failed;
}

SolveReport BackEnd::solve(const MatX& b, MatX& x) {
  const TimeInto time(stats_.solve_s);
  ++stats_.solves;
  return answer(b, x);
}

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names = {
#ifdef SUPPLE_HAVE_CHOLMOD
      "cholmod",
#endif
      "supernodal", "mumps", "eigen", "cg"};
  return names;
}

std::unique_ptr<LinearSolver> make_solver(const std::string& name, int) {
  // Ours is the fastest at every size measured, from 8 to 60,000 vertices. Several levels are no solver of their own.
  if (name == "auto" || name == "supernodal" || name == "multilevel") return make_supernodal_solver();
  if (name == "mumps") return make_mumps_solver();
  if (name == "eigen") return make_eigen_solver();
  if (name == "cg") return make_cg_solver();
#ifdef SUPPLE_HAVE_CHOLMOD
  if (name == "cholmod") return make_cholmod_solver();
#endif
  std::string known = "auto, multilevel";
  for (const auto& n : solver_names()) known += ", " + n;
  throw InputError({}, "unknown linear solver '" + name + "'", "choose one of: " + known);
}

BlockGraph block_graph(const BlockPattern& pattern) {
  BlockGraph graph;
  graph.start.assign(static_cast<size_t>(pattern.n) + 1, 0);
  for (int i = 0; i < pattern.n; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k + 1 < pattern.row_start[static_cast<size_t>(i) + 1];
         ++k) {
      ++graph.start[static_cast<size_t>(i) + 1];
      ++graph.start[static_cast<size_t>(pattern.col[static_cast<size_t>(k)]) + 1];
    }
  for (size_t i = 1; i < graph.start.size(); ++i) graph.start[i] += graph.start[i - 1];
  graph.neighbour.resize(static_cast<size_t>(graph.start.back()));
  graph.block.resize(graph.neighbour.size());
  std::vector<int> next(graph.start.begin(), graph.start.end() - 1);
  auto put = [&](int from, int to, int k) {
    const auto at = static_cast<size_t>(next[static_cast<size_t>(from)]++);
    graph.neighbour[at] = to;
    graph.block[at] = k;
  };
  for (int i = 0; i < pattern.n; ++i)
    for (int k = pattern.row_start[static_cast<size_t>(i)]; k + 1 < pattern.row_start[static_cast<size_t>(i) + 1];
         ++k) {
      const int j = pattern.col[static_cast<size_t>(k)];
      put(i, j, k);
      put(j, i, k);
    }
  return graph;
}

std::vector<int> nested_dissection(const BlockPattern& pattern) {
  // METIS is given the vertices that have neighbours only; the lone ones cause no fill and go first.
  const BlockGraph graph = block_graph(pattern);
  std::vector<int> order, inside, number(static_cast<size_t>(pattern.n), -1);
  for (int i = 0; i < pattern.n; ++i) {
    const bool lone = graph.start[static_cast<size_t>(i)] == graph.start[static_cast<size_t>(i) + 1];
    if (!lone) number[static_cast<size_t>(i)] = static_cast<int>(inside.size());
    (lone ? order : inside).push_back(i);
  }
  constexpr size_t kTiny = 16;  // any order will do, and METIS cannot split less than a few vertices
  if (inside.size() > kTiny) {
    std::vector<idx_t> start{0}, neighbour;
    neighbour.reserve(graph.neighbour.size());
    for (int i : inside) {
      for (int e = graph.start[static_cast<size_t>(i)]; e < graph.start[static_cast<size_t>(i) + 1]; ++e)
        neighbour.push_back(number[static_cast<size_t>(graph.neighbour[static_cast<size_t>(e)])]);
      start.push_back(static_cast<idx_t>(neighbour.size()));
    }
    idx_t n = static_cast<idx_t>(inside.size());
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    std::vector<idx_t> perm(inside.size()), inverse(inside.size());
    // METIS draws its dice from one sequence for the whole process: two threads at once would get other orders, and
    // other bits, in every run.
    static std::mutex dice;
    const std::lock_guard<std::mutex> alone(dice);
    // perm[k]: the vertex that comes k-th. A failure leaves the given order, which is correct though slow.
    if (METIS_NodeND(&n, start.data(), neighbour.data(), nullptr, options, perm.data(), inverse.data()) == METIS_OK) {
      std::vector<int> sorted(inside.size());
      for (size_t k = 0; k < inside.size(); ++k) sorted[k] = inside[static_cast<size_t>(perm[k])];
      inside = std::move(sorted);
    }
  }
  order.insert(order.end(), inside.begin(), inside.end());
  return order;
}

bool all_finite(const std::vector<double>& values) {
  // One sum finds any infinity or NaN: either survives addition to 0 * x.
  double sum = 0;
  for (double v : values) sum += 0 * v;
  return sum == 0;
}

}  // namespace supple
