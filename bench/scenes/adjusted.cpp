// What adjusted physics costs beside the plain run: a body of 20k tets around a core that bends (trapezoid-BDF2, four
// substeps at 24 frames a second, tolerance 1e-6, gravity, epsilon 2), and the StVK sunflower at its own setting.
// Counters, all of the adjusted run [ms a step]: dynamics, static solves, frames with force; and overhead_percent, what
// the latter two add. plain_ms is the same motion without adjustment.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>

#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/scene/examples.h"
#include "supple/scene/load.h"
#include "supple/scene/run.h"

namespace supple {
namespace {

void compare(benchmark::State& bench, const Model& model, SimulationSpec spec, int steps) {
  set_thread_count(0);
  for (auto _ : bench) {
    double seconds[2];
    for (bool adjusted : {false, true}) {
      if (adjusted) spec.adjustment.epsilon = VecX::Constant(model.n_vertices(), 2);
      Simulation s(model, spec);
      const double setting_up = 1e3 * s.static_seconds();
      s.start(false);
      const double before = s.dynamic_seconds();
      Timer timer;
      int newton = 0;
      for (int i = 0; i < steps; ++i) newton += s.step().newton_iterations;
      seconds[adjusted] = timer.seconds();
      if (!adjusted) continue;
      const double dynamic = 1e3 / steps * (s.dynamic_seconds() - before), force = 1e3 / steps * s.force_seconds();
      // All static solves count, those that place the knots among them.
      const double statics = 1e3 / steps * s.static_seconds();
      bench.counters["tets"] = model.mesh().n_tets();
      bench.counters["newton"] = static_cast<double>(newton) / steps;
      bench.counters["dynamic_ms"] = dynamic;
      bench.counters["static_ms"] = statics;
      bench.counters["force_ms"] = force;
      bench.counters["force_percent"] = 100 * force / dynamic;
      bench.counters["overhead_percent"] = 100 * (statics + force) / dynamic;
      bench.counters["placing_knots_ms"] = setting_up;
      bench.counters["static_solves"] = s.track().solves();
      bench.counters["static_newton"] = s.track().newton_iterations();
    }
    bench.counters["plain_ms"] = 1e3 / steps * seconds[0];
    bench.counters["adjusted_ms"] = 1e3 / steps * seconds[1];
  }
}

// A bar with a rod of driven vertices inside that bends to and fro.
void deforming_core(benchmark::State& bench, int across, int frames) {
  ModelSpec spec;
  const double length = 0.8, width = 0.2, fps = 24;
  spec.mesh = make_box(4 * across, across, across, {length, width, width});
  spec.material = MaterialModel::stable_neo_hookean;
  spec.per_tet.assign(spec.mesh.tets.size(),
                      {.youngs_modulus = 3e4, .poisson_ratio = 0.4, .density = 1000, .stiffness_damping = 0.004});
  for (int i = 0; i < spec.mesh.n_vertices(); ++i)
    if ((spec.mesh.vertices[i].tail<2>().array() - width / 2).abs().maxCoeff() < 0.2 * width) spec.driven.push_back(i);
  const Model model(std::move(spec));
  std::vector<VecX> samples;
  for (int f = 0; f < frames + 8; ++f) {
    Points x;
    for (int v : model.spec().driven) {
      const Vec3& rest = model.mesh().vertices[v];
      const double s = std::sin(2 * M_PI * 1.0 * f / fps), angle = 0.8 * s * (rest[0] / length - 0.5);
      x.push_back(
          rest + Vec3(-(rest[1] - width / 2) * std::sin(angle), 0.1 * s * std::cos(M_PI * rest[0] / length), 0.05 * s));
    }
    samples.push_back(flatten(x));
  }
  SimulationSpec run{.frame = 1 / fps, .substeps = 4, .t_end = frames / fps};
  run.drive.vertices = make_sampled_track(std::move(samples), 1 / fps);
  compare(bench, model, run, frames * run.substeps);
}

void sunflower(benchmark::State& bench, int frames) {
  const auto dir = std::filesystem::temp_directory_path() / "supple_bench_sunflower";
  const Job job = build_job(load_scene(write_example("sunflower", dir.string())));
  compare(bench, *job.model, simulation_spec(job), frames * job.substeps);
  std::filesystem::remove_all(dir);
}

BENCHMARK_CAPTURE(deforming_core, adjusted_20k, 9, 20)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK_CAPTURE(sunflower, adjusted, 24)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace supple
