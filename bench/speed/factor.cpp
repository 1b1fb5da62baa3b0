// Our Cholesky against F, repeat by repeat in turn, so that a disturbance of the machine hits all alike.
#include <fmt/format.h>

#include "bench.h"
#include "bench/record/statistics.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/linalg/supernodal.h"

namespace supple::bench {

namespace {

struct Contender {
  std::string label, id;
  int threads;
  std::function<FactorStatus()> factorize;
  std::function<void(const MatX& b, MatX& x)> solve;
  double allowed_error, bar;
  std::vector<double> factorize_s, solve_s, solve_many_s;
};

Contender ours(const std::string& solver, const BlockMatrix& a, int threads, double bar) {
  const std::shared_ptr<LinearSolver> s = make_solver(solver, a.n());
  s->analyse(a.pattern);
  return {.label = solver + (threads == 1 ? ", 1 thread" : fmt::format(", {} threads", threads)),
          .id = fmt::format("{}/{}", solver, threads),
          .threads = threads,
          .factorize = [s, &a] { return s->factorize(a); },
          .solve = [s](const MatX& b, MatX& x) { s->solve(b, x); },
          .allowed_error = 1e-8,
          .bar = bar};
}

Contender single(const std::shared_ptr<const SymbolicFactor>& symbolic, const BlockMatrix& a, int threads) {
  const auto f = std::make_shared<SupernodalFactor<float>>(symbolic);
  return {.label = threads == 1 ? "float, 1 thread" : fmt::format("float, {} threads", threads),
          .id = fmt::format("float/{}", threads),
          .threads = threads,
          .factorize = [f, &a] { return f->factorize(a); },
          .solve =
              [f](const MatX& b, MatX& x) {
                x = b;
                f->solve(x);
              },
          .allowed_error = 1e-1,
          .bar = kUnknown};
}

void compare_on(Bench& bench, Shape shape, int n_tets) {
  const BlockMatrix a = step_matrix(make_model({.shape = shape, .n_tets = n_tets}), 1.0 / 24);
  const Timer analysis;
  const auto symbolic = SymbolicFactor::analyse(*a.pattern);
  const double analysis_s = analysis.seconds();
  const std::string body = fmt::format("{} {}", name_of(shape), size_name(n_tets));
  bench.note(fmt::format("{}: {} unknowns, {:.2f} Gflop, analysis {:.0f} ms", body, 3 * a.n(), 1e-9 * symbolic->flops,
                         1e3 * analysis_s));
  CholmodYardstick f(a);
  const bool barred = n_tets >= 20000;
  std::vector<Contender> contenders;
  contenders.push_back(ours("supernodal", a, 1, barred ? 1.1 : kUnknown));
  if (bench.options.threads > 1)
    contenders.push_back(
        ours("supernodal", a, bench.options.threads, barred && bench.options.threads == 2 ? 0.65 : kUnknown));
  contenders.push_back(single(symbolic, a, 1));
  if (bench.options.threads > 1) contenders.push_back(single(symbolic, a, bench.options.threads));
  for (const std::string& solver : bench.options.solvers) contenders.push_back(ours(solver, a, 1, kUnknown));

  const VecX exact = VecX::LinSpaced(3 * a.n(), -1, 1);
  const MatX b = a.multiply(exact), many = b.replicate(1, 8);
  MatX x;
  bench.sample_machine();
  for (int r = 0; r <= repeats_for(bench, n_tets); ++r) {
    f.sample();
    for (Contender& c : contenders) {
      set_thread_count(c.threads);
      Timer factorize;
      if (c.factorize() != FactorStatus::ok) throw InputError({}, c.label + ": the factorization failed");
      const double factorize_s = factorize.seconds();
      Timer solve;
      c.solve(b, x);
      const double solve_s = solve.seconds();
      const double error = (x.col(0) - exact).norm() / exact.norm();
      if (!(error < c.allowed_error))
        throw InputError({}, fmt::format("{}: a solution is off by {:g}", c.label, error));
      Timer solve_many;
      c.solve(many, x);
      if (r == 0) continue;  // memory is allocated by the first
      c.factorize_s.push_back(factorize_s);
      c.solve_s.push_back(solve_s);
      c.solve_many_s.push_back(solve_many.seconds());
    }
  }
  bench.sample_machine();
  const double gflops = have_dgemm() ? 1e-9 * median(bench.dgemm.at(1)) : kUnknown;
  std::vector<Row> rows;
  for (const Contender& c : contenders) {
    Row row = row_of(fmt::format("factor/{}/{}/{}", name_of(shape), size_name(n_tets), c.id),
                     fmt::format("factorize {}: {}", body, c.label), c.factorize_s);
    set_yardstick(row, "F", f.seconds(), "F");
    row.bar = c.bar;
    const double rate = 1e-9 * symbolic->flops / median(c.factorize_s);
    row.details = {{"solve ms", 1e3 * median(c.solve_s)},
                   {"8 solves ms", 1e3 * median(c.solve_many_s)},
                   {"Gflop/s", rate},
                   {"of one-thread DGEMM", rate / gflops}};
    rows.push_back(std::move(row));
  }
  bench.add(std::move(rows));
  set_thread_count(bench.options.threads);
}

}  // namespace

void measure_factor(Bench& bench) {
  bench.heading("Factorization of the step matrix (h 1/24), F: CHOLMOD on one thread");
  for (int n_tets : sizes_up_to(bench, 300000))
    for (Shape shape : bench.options.shapes) compare_on(bench, shape, n_tets);
}

}  // namespace supple::bench
