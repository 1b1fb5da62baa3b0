// What scenes cost: the embedded examples, and files from the command line.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "bench.h"
#include "bench/record/statistics.h"
#include "memory.h"
#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/demos/examples/examples.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"

namespace supple::bench {

using namespace demos;
using namespace pipeline;

namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 24;       // of each scene, at most...
constexpr double kEnough = 12;    // ...or so many seconds of stepping
constexpr int kStepsOfTets = 20;  // of a bare mesh

void cost_of_scene(Bench& bench, const std::string& id, const std::string& label,
                   const std::function<SceneConfig()>& load) {
  const MemoryPeak memory;
  const Timer preparing;
  const Job job = build_job(load());
  const double prepare_s = preparing.seconds();
  const Model& model = *job.body->model;
  const Timer beginning;
  Simulation s(model, simulation_spec(job));
  begin(s, job);
  const double begin_s = beginning.seconds();

  // The first frame is not counted; then the yardstick gets memory of its own.
  const int frames = std::min(kFrames, job.shot.n_frames() - 1);
  if (frames < 2) return bench.note(label + ": has no frames to time");
  for (int i = 0; i < job.body->substeps; ++i) s.step();
  const double bytes = memory.bytes();
  CholmodYardstick f(step_matrix(model, job.body->step()));
  f.sample(2);

  std::vector<double> seconds;
  const double static_before = s.static_seconds(), assembled = s.stepper().assemble_seconds();
  const SolverStats before = s.stepper().solver_stats();
  double spent = 0, newton = 0, krylov = 0, factorizations = 0, retries = 0;
  int done = 1;
  for (; done < frames && spent < kEnough; ++done) {
    for (int i = 0; i < job.body->substeps; ++i) {
      const Timer timer;
      const StepReport report = s.step();
      seconds.push_back(timer.seconds());
      spent += seconds.back();
      newton += report.newton_iterations;
      krylov += report.krylov;
      factorizations += report.factorizations;
      retries += report.retries;
    }
    if (done % 6 == 0) f.sample();
  }
  f.sample(2);
  const auto n = static_cast<double>(seconds.size()), tets = static_cast<double>(model.mesh().tets.size());
  const SolverStats& after = s.stepper().solver_stats();
  const double statics = s.static_seconds() - static_before, assemble = s.stepper().assemble_seconds() - assembled;
  const double factorize = after.factorize_s - before.factorize_s, solve = after.solve_s - before.solve_s;
  const double a_frame = spent / (done - 1);
  Row row = row_of(id, label, seconds);
  set_yardstick(row, "F", f.seconds(), "F");
  row.details = {{"tets", tets},
                 {"frames timed", done - 1},
                 {"substeps", job.body->substeps},
                 {"ms a frame", 1e3 * a_frame},
                 {"Newton a step", newton / n},
                 {"Krylov", krylov / n},
                 {"factorizations", factorizations / n},
                 {"retries", retries / n},
                 {"assemble ms", 1e3 * assemble / n},
                 {"factorize ms", 1e3 * factorize / n},
                 {"solve ms", 1e3 * solve / n},
                 {"static ms", 1e3 * statics / n},
                 {"elsewhere ms", 1e3 * (spent - assemble - factorize - solve - statics) / n},
                 {"prepare s", prepare_s},
                 {"begin s", begin_s},
                 {"shot of frames", job.shot.n_frames() - 1},
                 {"one pass over it s", prepare_s + begin_s + a_frame * (job.shot.n_frames() - 1)},
                 {"peak MB", 1e-6 * bytes},
                 {"bytes/tet", bytes / tets}};
  bench.add(std::move(row));
}

void cost_of_tets(Bench& bench, const std::string& file, const std::string& name) {
  TetMesh mesh = read_tet_mesh(file);
  if (mesh.tets.empty()) throw InputError({.file = file}, "has no tets");
  // A mesh in millimetres would be a giant of jelly: every file is brought to the length of the beam.
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& v : mesh.vertices) low = low.cwiseMin(v), high = high.cwiseMax(v);
  const double scale = 0.8 / std::max((high - low).maxCoeff(), 1e-300);
  for (Vec3& v : mesh.vertices) v = scale * (v - low);
  repair(mesh, true);
  for (int per_second : {24, 120}) {
    const StepCost cost = measure_steps([&] { return held_model(mesh); }, 1.0 / per_second, kStepsOfTets);
    bench.add(
        step_row(fmt::format("file/{}/h{}", name, per_second), fmt::format("{}, h 1/{}", name, per_second), cost));
  }
}

}  // namespace

void measure_examples(Bench& bench) {
  bench.heading(fmt::format("The embedded examples: a step as `simulate` makes it, up to {} frames", kFrames));
  const fs::path folder = fs::temp_directory_path() / fmt::format("supple_bench_{}", getpid());
  for (const Example& e : examples()) {
    const ExampleOptions size{.short_shot = !bench.options.full};
    cost_of_scene(bench, "example/" + e.name, e.name,
                  [&] { return load_scene(write_example(e.name, (folder / e.name).string(), size)); });
    std::error_code error;
    fs::remove_all(folder, error);
  }
}

void measure_files(Bench& bench) {
  bench.heading("Files");
  for (const std::string& file : bench.options.files) {
    const std::string name = fs::path(file).filename().string(), extension = fs::path(file).extension().string();
    try {
      if (!fs::exists(file)) throw InputError({.file = file}, "there is no such file");
      if (extension == ".toml")
        cost_of_scene(bench, "file/" + name, name, [&] { return load_scene(file); });
      else if (extension == ".glb" || extension == ".gltf")
        cost_of_scene(bench, "file/" + name, name, [&] { return load_character_scene(file); });
      else
        cost_of_tets(bench, file, name);
    } catch (const InputError& e) {
      bench.note(e.what());
    } catch (const SimulationFailure& e) {
      bench.note(name + ": " + e.what());
    }
  }
}

}  // namespace supple::bench
