// A converged step of a shaken beam: stable neo-Hookean, backward Euler at 1/24 s, tolerance 1e-6, stiffness damping
// 0.01 s, 4:1:1, E 3e5, Poisson 0.45, density 1000. The counters split the step: assembly, factorization, solve [ms].
#include <benchmark/benchmark.h>

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/sim/stepper.h"

namespace supple {
namespace {

Model beam(int across, MaterialModel material) {
  ModelSpec spec;
  spec.mesh = make_box(4 * across, across, across, {0.8, 0.2, 0.2});
  spec.material = material;
  spec.per_tet.assign(spec.mesh.tets.size(),
                      {.youngs_modulus = 3e5, .poisson_ratio = 0.45, .density = 1000, .stiffness_damping = 0.01});
  for (int i = 0; i < spec.mesh.n_vertices(); ++i)
    if (spec.mesh.vertices[i][0] < 1e-9) spec.driven.push_back(i);
  return Model(std::move(spec));
}

void step(benchmark::State& bench, MaterialModel material, const char* solver, int across) {
  set_thread_count(0);
  const Model model = beam(across, material);
  Points rest;
  for (int v : model.spec().driven) rest.push_back(model.mesh().vertices[v]);
  const std::shared_ptr<const Track> shaken =
      make_function_track(static_cast<int>(rest.size()), [rest](double t, int d) {
        Points x = rest;
        const double w = 4 * M_PI;
        for (Vec3& p : x)
          p = d == 0 ? Vec3(p + Vec3(0, 0.02 * std::sin(w * t), 0))
                     : Vec3(0, d == 1 ? 0.02 * w * std::cos(w * t) : -0.02 * w * w * std::sin(w * t), 0);
        return flatten(x);
      });
  Stepper stepper(model, {.vertices = shaken},
                  {.integrator = Integrator::backward_euler, .tolerance = 1e-6, .linear_solver = solver});
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State s = stepper.start(0, zero, zero);
  for (int i = 0; i < 3; ++i) stepper.step(s, 1.0 / 24);  // past the start
  const SolverStats before = stepper.solver_stats();
  const double assembly = stepper.assemble_seconds();
  int iterations = 0, steps = 0;
  for (auto _ : bench) {
    iterations += stepper.step(s, 1.0 / 24).newton_iterations;
    ++steps;
  }
  const SolverStats& after = stepper.solver_stats();
  const double per_step = 1e3 / std::max(1, steps);
  bench.counters["tets"] = model.mesh().n_tets();
  bench.counters["newton"] = static_cast<double>(iterations) / std::max(1, steps);
  bench.counters["assembly_ms"] = per_step * (stepper.assemble_seconds() - assembly);
  bench.counters["factorize_ms"] = per_step * (after.factorize_s - before.factorize_s);
  bench.counters["solve_ms"] = per_step * (after.solve_s - before.solve_s);
}

// 6 x 4 x across^3 tets: 5k, 20k and 98k.
#define STEP(name, material, solver)                                                                      \
  BENCHMARK_CAPTURE(step, name##_5k, material, solver, 6)->Unit(benchmark::kMillisecond)->Iterations(10); \
  BENCHMARK_CAPTURE(step, name##_20k, material, solver, 9)->Unit(benchmark::kMillisecond)->Iterations(6)
STEP(stable_neo_hookean_mumps, MaterialModel::stable_neo_hookean, "mumps");
STEP(stable_neo_hookean_cg, MaterialModel::stable_neo_hookean, "cg");
STEP(corotational_mumps, MaterialModel::corotational, "mumps");
STEP(linear_mumps, MaterialModel::linear, "mumps");
BENCHMARK_CAPTURE(step, stable_neo_hookean_mumps_100k, MaterialModel::stable_neo_hookean, "mumps", 16)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);
BENCHMARK_CAPTURE(step, stable_neo_hookean_cg_100k, MaterialModel::stable_neo_hookean, "cg", 16)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);
#undef STEP

}  // namespace
}  // namespace supple
