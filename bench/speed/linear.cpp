// A step of the linear material, whose factorization serves the whole shot, in solves with that factor.
#include <fmt/format.h>

#include "bench.h"
#include "supple/base/timer.h"
#include "supple/sim/stepper.h"

namespace supple::bench {

namespace {

void measure(Bench& bench, const Model& model, int n_tets, Integrator integrator) {
  const double h = 1.0 / 24;
  Stepper stepper(model, yank(model), {.integrator = integrator, .tolerance = 1e-6});
  const auto n_stages = static_cast<double>(stages(integrator, h).size());
  const VecX zero = VecX::Zero(3 * model.n_vertices());
  State state = stepper.start(0, zero, zero);
  const BlockMatrix a = step_matrix(model, h);
  const auto solver = make_solver("auto", a.n());
  solver->analyse(a.pattern);
  solver->factorize(a);
  const MatX b = MatX::Ones(3 * a.n(), 1);
  MatX x;
  std::vector<double> stage_s, pair_s;
  int newton = 0, factorizations = 0, measured = 0;
  for (int i = 0; i < 3 * bench.options.repeats + 3; ++i) {
    const Timer pair;
    solver->solve(b, x);
    const double pair_seconds = pair.seconds();
    const Timer timer;
    const StepReport report = stepper.step(state, h);
    const double step_seconds = timer.seconds();
    if (i < 3) continue;
    pair_s.push_back(pair_seconds);
    stage_s.push_back(step_seconds / n_stages);
    newton += report.newton_iterations;
    factorizations += report.factorizations;
    ++measured;
  }
  const std::string name = name_of(integrator), size = size_name(n_tets);
  Row row =
      row_of(fmt::format("linear/{}/{}", size, name), fmt::format("linear stage, beam {}, {}", size, name), stage_s);
  set_yardstick(row, "solve", pair_s, "pairs");
  if (n_tets == 20000) row.bar = 1.5;
  row.details = {{"Newton a stage", newton / n_stages / measured},
                 {"factorizations a step", static_cast<double>(factorizations) / measured}};
  bench.add(std::move(row));
}

}  // namespace

void measure_linear(Bench& bench) {
  bench.heading("Linear material: a stage of a step against one pair of triangular solves");
  for (int n_tets : sizes_up_to(bench, 100000)) {
    const Model model = make_model({.n_tets = n_tets, .material = MaterialModel::linear});
    for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2})
      measure(bench, model, n_tets, integrator);
  }
}

}  // namespace supple::bench
