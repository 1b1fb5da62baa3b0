// Factorization, solution and eigenpairs of the clamped 20k-tet beam with each back end.
#include <benchmark/benchmark.h>

#include "bench/micro/beam.h"
#include "supple/base/parallel.h"
#include "supple/fem/mass.h"
#include "supple/linalg/affine_map.h"
#include "supple/linalg/eigen_pairs.h"

namespace supple::bench {
namespace {

struct System {
  BlockMatrix K, M;
};

// The free part of stiffness and mass. A step of h = 1/120 s has the matrix K + M / h^2.
System clamped_beam(int n_tets, bool anti_locking) {
  const TetMesh mesh = beam(cells_for(n_tets));
  const ElasticTerm term(beam_elements(mesh, MaterialModel::stable_neo_hookean, anti_locking), ElementDamping::viscous);
  const Mass mass(mesh, std::vector<double>(mesh.tets.size(), 1000.0), MassKind::lumped);
  PatternBuilder builder(mesh.n_vertices());
  term.couple(builder);
  BlockMatrix K(builder.build()), M(K.pattern);
  const VecX zero = VecX::Zero(3 * mesh.n_vertices());
  term.add({zero, zero, zero}, {.matrix = &K});
  mass.add_to(M, 1);
  std::vector<int> clamped;
  for (int i = 0; i < mesh.n_vertices(); ++i)
    if (mesh.vertices[i][0] == 0) clamped.push_back(i);
  const Reduction reduction(AffineMap::without(mesh.n_vertices(), clamped), K.pattern);
  System s;
  reduction.apply(K, s.K);
  reduction.apply(M, s.M);
  return s;
}

enum class Phase { analyse, factorize, solve };

void linear(benchmark::State& state, const std::string& name, Phase phase, bool anti_locking) {
  set_thread_count(1);
  System s = clamped_beam(20000, anti_locking);
  s.K.add(120.0 * 120.0, s.M);
  const auto solver = make_solver(name);
  solver->set_tolerance(1e-8);
  solver->analyse(s.K.pattern);
  if (solver->factorize(s.K) != FactorStatus::ok) return state.SkipWithError("not factorized");
  const MatX b = MatX::Ones(3 * s.K.n(), 1);
  MatX x;
  for (auto _ : state) {
    if (phase == Phase::analyse) solver->analyse(s.K.pattern);
    if (phase == Phase::factorize) solver->factorize(s.K);
    if (phase == Phase::solve && !solver->solve(b, x).ok) return state.SkipWithError("not solved");
  }
  state.counters["unknowns"] = 3 * s.K.n();
}

void eigenpairs(benchmark::State& state, const std::string& name) {
  set_thread_count(1);
  const System s = clamped_beam(20000, false);
  const auto solver = make_solver(name);
  for (auto _ : state)
    if (!lowest_eigenpairs(s.K, s.M, 20, *solver).ok) return state.SkipWithError("not converged");
  state.counters["unknowns"] = 3 * s.K.n();
}

int register_all() {
  for (const std::string& name : solver_names()) {
    for (bool anti : {false, true}) {
      const std::string mesh = anti ? "/20k/anti-locking" : "/20k";
      auto add = [&](const char* what, Phase phase) {
        benchmark::RegisterBenchmark((what + name + mesh).c_str(), [=](benchmark::State& s) {
          linear(s, name, phase, anti);
        })->Unit(benchmark::kMillisecond);
      };
      add("analyse/", Phase::analyse);
      add("factorize/", Phase::factorize);
      add("solve/", Phase::solve);
    }
    if (make_solver(name)->direct())
      benchmark::RegisterBenchmark(("20 eigenpairs/" + name + "/20k").c_str(), [=](benchmark::State& s) {
        eigenpairs(s, name);
      })->Unit(benchmark::kMillisecond);
  }
  return 0;
}
const int registered = register_all();

}  // namespace
}  // namespace supple::bench
