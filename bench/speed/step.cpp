// Converged steps of a body whose held end is yanked.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench.h"
#include "bench/record/statistics.h"
#include "memory.h"
#include "supple/base/timer.h"
#include "supple/sim/stepper.h"

namespace supple::bench {

namespace {
constexpr int kSkipped = 2;  // steps at the start: fresh memory, and the body is still at rest
constexpr int kBetween = 3;  // steps between two samples of F
}  // namespace

StepCost measure_steps(const std::function<Model()>& make, double h, int steps) {
  StepCost cost;
  const OthersLoad others;
  const MemoryPeak memory;
  const Model model = make();
  Stepper stepper(model, yank(model), {.integrator = Integrator::backward_euler, .tolerance = 1e-6});
  cost.tets = static_cast<int>(model.mesh().tets.size());
  cost.unknowns = 3 * model.constraints().map().n_free();
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State state = stepper.start(0, zero, zero);
  for (int i = 0; i < kSkipped; ++i) stepper.step(state, h);
  cost.peak_bytes = memory.bytes();  // before the yardstick has memory of its own

  CholmodYardstick f(step_matrix(model, h));
  f.sample();
  const SolverStats before = stepper.solver_stats();
  const double assembled = stepper.assemble_seconds();
  for (int i = kSkipped; i < steps; ++i) {
    const Timer timer;
    const StepReport report = stepper.step(state, h);
    cost.seconds.push_back(timer.seconds());
    cost.swing = std::max(cost.swing, state.u.cwiseAbs().maxCoeff() / model.size());
    cost.newton += report.newton_iterations;
    cost.krylov += report.krylov;
    cost.factorizations += report.factorizations;
    cost.projected += report.projected;
    cost.retries += report.retries;
    if ((i - kSkipped) % kBetween == kBetween - 1 || i + 1 == steps) f.sample();
  }
  cost.yardstick = f.seconds();
  cost.others = others.cores();
  const SolverStats& after = stepper.solver_stats();
  cost.assemble_s = stepper.assemble_seconds() - assembled;
  cost.factorize_s = after.factorize_s - before.factorize_s;
  cost.solve_s = after.solve_s - before.solve_s;
  cost.elsewhere_s = std::accumulate(cost.seconds.begin(), cost.seconds.end(), 0.0) - cost.assemble_s -
                     cost.factorize_s - cost.solve_s;
  for (double* x : {&cost.newton, &cost.krylov, &cost.factorizations, &cost.projected, &cost.retries, &cost.assemble_s,
                    &cost.factorize_s, &cost.solve_s, &cost.elsewhere_s})
    *x /= std::max(1, steps - kSkipped);
  return cost;
}

const StepCost& yanked_steps(Bench& bench, Shape shape, int n_tets, int per_second) {
  const std::string id = fmt::format("{}/{}/h{}", name_of(shape), size_name(n_tets), per_second);
  const auto known = bench.steps.find(id);
  if (known != bench.steps.end()) return known->second;
  const int steps = n_tets <= 50000 ? 20 : n_tets <= 150000 ? 14 : 11;
  return bench.steps[id] =
             measure_steps([&] { return make_model({.shape = shape, .n_tets = n_tets}); }, 1.0 / per_second, steps);
}

Row step_row(const std::string& id, const std::string& label, const StepCost& cost) {
  Row row = row_of(id, label, cost.seconds);
  set_yardstick(row, "F", cost.yardstick, "F");
  row.others = cost.others;
  row.details = {{"tets", cost.tets},
                 {"swing", cost.swing},
                 {"Newton", cost.newton},
                 {"Krylov", cost.krylov},
                 {"factorizations", cost.factorizations},
                 {"projected", cost.projected},
                 {"retries", cost.retries},
                 {"assemble ms", 1e3 * cost.assemble_s},
                 {"factorize ms", 1e3 * cost.factorize_s},
                 {"solve ms", 1e3 * cost.solve_s},
                 {"elsewhere ms", 1e3 * cost.elsewhere_s},
                 {"mean ms", 1e3 * std::accumulate(cost.seconds.begin(), cost.seconds.end(), 0.0) /
                                 static_cast<double>(cost.seconds.size())},
                 {"worst ms", 1e3 * *std::max_element(cost.seconds.begin(), cost.seconds.end())},
                 {"peak MB", 1e-6 * cost.peak_bytes},
                 {"bytes/tet", cost.peak_bytes / cost.tets}};
  return row;
}

void measure_step(Bench& bench) {
  bench.heading(fmt::format("Converged step (backward Euler, tolerance 1e-6), held end yanked, {} threads",
                            bench.options.threads));
  for (int n_tets : sizes_up_to(bench, 300000))
    for (Shape shape : bench.options.shapes)
      for (int per_second : {24, 120}) {
        if (per_second != 24 && n_tets > 150000) continue;
        Row row = step_row(fmt::format("step/{}/{}/h{}", name_of(shape), size_name(n_tets), per_second),
                           fmt::format("step {} {}, h 1/{}", name_of(shape), size_name(n_tets), per_second),
                           yanked_steps(bench, shape, n_tets, per_second));
        if (shape == Shape::beam && per_second == 24)
          row.bar = n_tets == 20000 ? 1.0 : n_tets == 100000 ? 0.6 : n_tets == 300000 ? 0.35 : kUnknown;
        if (shape == Shape::beam && per_second == 120 && n_tets == 20000) row.bar = 0.7;
        bench.add(std::move(row));
      }
}

}  // namespace supple::bench
