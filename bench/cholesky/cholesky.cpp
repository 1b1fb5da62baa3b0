// The direct solvers on clamped beams (4:1:1) and cubes, against F: one factorization by CHOLMOD on one thread.
// Repeats of all solvers are interleaved, so that a disturbance of the machine hits them alike.
//   bench_cholesky [repeats = 5] [tets ... = 5000 20000 100000 300000]
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "bench/micro/beam.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/fem/mass.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/solver.h"
#include "supple/linalg/supernodal.h"

namespace supple::bench {
namespace {

// Stable neo-Hookean stiffness at rest plus mass / h^2, h = 1/120 s, without the vertices at x = 0.
BlockMatrix step_matrix(const TetMesh& mesh) {
  const ElasticTerm term(beam_elements(mesh, MaterialModel::stable_neo_hookean, false), ElementDamping::viscous);
  const Mass mass(mesh, std::vector<double>(mesh.tets.size(), 1000.0), MassKind::lumped);
  PatternBuilder builder(mesh.n_vertices());
  term.couple(builder);
  BlockMatrix full(builder.build()), reduced;
  const VecX zero = VecX::Zero(3 * mesh.n_vertices());
  term.add({zero, zero, zero}, {.matrix = &full});
  mass.add_to(full, 120.0 * 120.0);
  std::vector<int> clamped;
  for (int i = 0; i < mesh.n_vertices(); ++i)
    if (mesh.vertices[i][0] == 0) clamped.push_back(i);
  Reduction(AffineMap::without(mesh.n_vertices(), clamped), full.pattern).apply(full, reduced);
  return reduced;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Contender {
  std::string label, solver;
  int threads;
  std::unique_ptr<LinearSolver> direct;
  std::unique_ptr<SupernodalFactor<float>> single;
  std::vector<double> factorize, cpu, solve, solve_many;

  FactorStatus run_factorize(const BlockMatrix& a) { return direct ? direct->factorize(a) : single->factorize(a); }
  void run_solve(const MatX& b, MatX& x) {
    if (direct) {
      direct->solve(b, x);
      return;
    }
    x = b;
    single->solve(x);
  }
};

void compare(const char* body, const TetMesh& mesh, int repeats) {
  const BlockMatrix a = step_matrix(mesh);
  std::printf("\n%s, %d tets, %d unknowns\n", body, static_cast<int>(mesh.n_tets()), 3 * a.n());
  std::vector<Contender> contenders;
  auto add = [&](const char* label, const char* solver, int threads) {
    contenders.push_back({label, solver, threads, {}, {}, {}, {}, {}, {}});
  };
  const auto& names = solver_names();
  const bool cholmod = std::find(names.begin(), names.end(), "cholmod") != names.end();
  if (cholmod) add("cholmod", "cholmod", 1);
  add("ours, 1 thread", "supernodal", 1);
  add("ours, 2 threads", "supernodal", 2);
  add("float, 1 thread", "float", 1);
  add("float, 2 threads", "float", 2);
  add("mumps", "mumps", 1);
  Timer analysis;
  const auto symbolic = SymbolicFactor::analyse(*a.pattern);
  std::printf("analysis %.3f s, %d fronts, %.2f GFlop\n", analysis.seconds(), symbolic->n_fronts(),
              symbolic->flops * 1e-9);
  const VecX exact = VecX::LinSpaced(3 * a.n(), -1, 1);
  const MatX b = a.multiply(exact), many = b.replicate(1, 8);
  MatX x;
  for (int r = 0; r <= repeats; ++r)
    for (Contender& c : contenders) {
      set_thread_count(c.threads);
      if (r == 0) {
        if (c.solver == "float") {
          c.single = std::make_unique<SupernodalFactor<float>>(symbolic);
        } else {
          c.direct = make_solver(c.solver);
          c.direct->analyse(a.pattern);
        }
      }
      const std::clock_t cpu = std::clock();
      Timer factorize;
      if (c.run_factorize(a) != FactorStatus::ok) std::printf("%s failed\n", c.label.c_str());
      const double factorize_s = factorize.seconds();
      const double cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
      Timer solve;
      c.run_solve(b, x);
      const double solve_s = solve.seconds();
      if (r == 0) {  // warm-up, and a check
        const double error = (x.col(0) - exact).norm() / exact.norm();
        if (!(error < (c.single ? 1e-1 : 1e-8))) std::printf("%s: error %g\n", c.label.c_str(), error);
        c.run_solve(many, x);
        continue;
      }
      c.factorize.push_back(factorize_s);
      c.cpu.push_back(cpu_s);
      c.solve.push_back(solve_s);
      Timer solve_many;
      c.run_solve(many, x);
      c.solve_many.push_back(solve_many.seconds());
    }
  // Medians of wall-clock time, the best wall-clock time and the median of CPU time; ratios to the first line.
  auto best = [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); };
  const Contender& f = contenders[0];
  std::printf("%-18s %10s %6s %10s %6s %10s %6s %12s %12s\n", "milliseconds", "factorize", "ratio", "best", "ratio",
              "CPU", "ratio", "solve", "8 solves");
  for (const Contender& c : contenders)
    std::printf("%-18s %10.1f %6.2f %10.1f %6.2f %10.1f %6.2f %12.2f %12.2f\n", c.label.c_str(),
                1e3 * median(c.factorize), median(c.factorize) / median(f.factorize), 1e3 * best(c.factorize),
                best(c.factorize) / best(f.factorize), 1e3 * median(c.cpu), median(c.cpu) / median(f.cpu),
                1e3 * best(c.solve), 1e3 * best(c.solve_many));
  std::fflush(stdout);
  for (const Contender& c : contenders)
    if (c.single)
      std::printf("float factor %.0f MB, with working space %.0f MB\n",
                  1e-6 * static_cast<double>(c.single->factor_bytes()),
                  1e-6 * static_cast<double>(c.single->memory_bytes()));
}

}  // namespace
}  // namespace supple::bench

int main(int argc, char** argv) {
  using namespace supple;
  // CHOLMOD asks OpenMP for threads of its own; only the environment at the start of a program can forbid that.
  if (!std::getenv("OMP_THREAD_LIMIT")) {
    setenv("OMP_THREAD_LIMIT", "1", 1);
    execv("/proc/self/exe", argv);
  }
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {5000, 20000, 100000, 300000};
  for (int tets : sizes) {
    bench::compare("beam", bench::beam(bench::cells_for(tets)), repeats);
    const int side = static_cast<int>(std::lround(std::cbrt(tets / 6.0)));
    bench::compare("cube", make_box(side, side, side, Vec3(1, 1, 1)), repeats);
  }
}
