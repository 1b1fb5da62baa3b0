// What adjusted physics (epsilon 2) costs beside the steps: a body around a core that bends, four substeps a frame.
#include <fmt/format.h>

#include "bench.h"
#include "supple/base/timer.h"
#include "supple/inertia/simulation.h"

namespace supple::bench {

namespace {

void measure(Bench& bench, Integrator integrator, int n_tets) {
  constexpr int kFrames = 96;
  constexpr double kFps = 24;
  const Model model = core_model(n_tets);
  SimulationSpec spec{.frame = 1 / kFps, .substeps = 4, .t_end = kFrames / kFps};
  spec.drive = core_drive(model, kFrames, kFps);
  spec.adjustment.epsilon = VecX::Constant(model.n_vertices(), 2);
  spec.stepper.integrator = integrator;
  Simulation s(model, spec);
  s.start(false);
  const double dynamic_before = s.dynamic_seconds(), force_before = s.force_seconds();
  const int steps = kFrames * spec.substeps;
  int newton = 0, krylov = 0;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = s.step();
    newton += report.newton_iterations;
    krylov += report.krylov;
  }
  const double dynamic = (s.dynamic_seconds() - dynamic_before) / steps;
  const double force = (s.force_seconds() - force_before) / steps;
  // All static solves count, those that place the knots among them.
  const double statics = s.static_seconds() / steps;
  const std::string name = name_of(integrator), size = size_name(n_tets);
  const bool barred = integrator == Integrator::backward_euler && n_tets == 20000;
  auto row_of_share = [&](const char* what, const char* label, double share, double bar) {
    Row row;
    row.id = fmt::format("adjusted/{}/{}/{}", size, name, what);
    row.label = fmt::format("{}, core {}, {}", label, size, name);
    row.value = 100 * share;
    row.unit = "%";
    row.repeats = steps;
    row.bar = barred ? bar : kUnknown;
    return row;
  };
  std::vector<Row> rows = {row_of_share("force", "frames + force", force / dynamic, 1),
                           row_of_share("overhead", "all of adjusted physics", (force + statics) / dynamic, 10)};
  rows.back().details = {{"step ms", 1e3 * dynamic},
                         {"frames and force ms", 1e3 * force},
                         {"static solves ms", 1e3 * statics},
                         {"Newton", static_cast<double>(newton) / steps},
                         {"Krylov", static_cast<double>(krylov) / steps},
                         {"static solves", static_cast<double>(s.track().solves())},
                         {"their Newton", static_cast<double>(s.track().newton_iterations())},
                         {"knots a frame", spec.frame / s.track().knot_spacing()}};
  bench.add(std::move(rows));
}

}  // namespace

void measure_adjusted(Bench& bench) {
  bench.heading("Adjusted physics: deforming core, four substeps, as a share of the step");
  for (int n_tets : sizes_up_to(bench, 20000))
    for (Integrator integrator : {Integrator::backward_euler, Integrator::tr_bdf2}) measure(bench, integrator, n_tets);
}

}  // namespace supple::bench
