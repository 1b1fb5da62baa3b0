// What physics on rigs costs, beside Table 1 of the paper on rig-space physics (4 cores at 2.8 GHz there): the same
// kinds of shots with as many parameters and vertices inside and on the surface, one step of backward Euler a frame,
// flesh at rest in the rest pose, nothing cropped. Both solvers to the same tolerance; and the same rig as another
// program that is spoken with over pipes, with derivatives by differences, as it was there.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>

#include "bench.h"
#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/demos/examples/examples.h"
#include "supple/pipeline/curves/setup.h"
#include "supple/scene/read_scene.h"

namespace supple::bench {

using namespace demos;
using namespace pipeline::curves;

namespace {

namespace fs = std::filesystem;

constexpr double kSlow = 2, kSlowBar = 50, kQuickBar = 15;  // [s], times faster
constexpr int kMostFrames = 40;
constexpr double kEnough = 15;  // [s] of stepping a row
constexpr int kModes = 6;

struct Published {
  const char *name, *example, *scene;  // scene: beside that of the example; "": itself
  int p, n, s;                         // parameters, coordinates inside and on the surface
  double seconds;                      // a frame
  bool modes = false;                  // learnt from the row before
};
constexpr Published kRows[] = {
    {"belly", "rig-elephant", "belly.toml", 36, 3990, 2253, 46.47},
    {"belly modes", "rig-elephant", "belly.toml", 6, 3990, 2253, 3.77, true},
    {"trunk", "rig-elephant", "trunk.toml", 13, 3990, 2253, 7.24},
    {"tail", "rig-elephant", "tail.toml", 12, 3990, 2253, 3.45},
    {"shoulders", "rig-elephant", "shoulders.toml", 3, 3990, 2253, 2.51},
    {"ears", "rig-elephant", "ears.toml", 2, 3990, 2253, 1.14},
    {"flower", "rig-flower", "", 24, 1089, 987, 10.54},
    {"sphere scaling", "rig-sphere", "", 3, 5430, 2580, 1.41},
    {"sphere passive", "rig-sphere", "passive.toml", 5, 5430, 2580, 0.53},
    {"bar material", "rig-bar", "stiff-right.toml", 4, 489, 174, 0.29},
    {"interior dynamics", "rig-bar", "interior.toml", 12, 489, 174, 1.22},
};

// The program beside this one, which serves rigs; "": it is not there.
std::string supple_program() {
  std::error_code none;
  const fs::path here = fs::read_symlink("/proc/self/exe", none);
  const fs::path program = here.parent_path().parent_path() / "supple";
  return !none && fs::exists(program) ? program.string() : "";
}

struct Shot {
  std::vector<VecX> p;  // of the scene's rig, one a frame
  std::vector<double> seconds;
  double processor_s = 0;  // of all threads
  int iterations = 0, factorizations = 0, steps = 0;
};

Shot through(const CurvesLayer& layer, const CurvesTimeline& time, RigSolver solver) {
  RigStepOptions options = layer.options;
  options.solver = solver;
  RigStepper stepper(*layer.body, layer.free, layer.keyed, options, nullptr, layer.targets, layer.obstacles);
  State state;
  try {
    state = stepper.equilibrium(0);
  } catch (const SimulationFailure&) {
    state = stepper.start(0);  // nothing holds it
  }
  Shot shot;
  double all = 0;
  for (int k = 1; k < time.n_frames && k <= kMostFrames && all < kEnough; ++k) {
    const Timer timer;
    const std::clock_t before = std::clock();
    const StepReport r = stepper.step(state, k / time.fps - state.t);
    shot.processor_s += static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    shot.seconds.push_back(timer.seconds());
    all += shot.seconds.back();
    shot.iterations += r.newton_iterations, shot.factorizations += r.factorizations, shot.steps += r.substeps;
    shot.p.push_back(layer.reduced ? layer.reduced->expand(state.q) : state.q);
  }
  return shot;
}

ParameterModes modes_of(const CurvesSetup& setup, const Shot& shot) {
  const std::vector<int>& free = setup.rig.free[0];
  std::vector<std::string> names;
  MatX samples(static_cast<Eigen::Index>(shot.p.size()), static_cast<Eigen::Index>(free.size()));
  VecX units(samples.cols());
  for (size_t a = 0; a < free.size(); ++a) {
    const RigParameter& parameter = setup.rig.rig->parameters()[static_cast<size_t>(free[a])];
    const auto column = static_cast<Eigen::Index>(a);
    names.push_back(parameter.name);
    units[column] = parameter.unit;
    for (size_t k = 0; k < shot.p.size(); ++k)
      samples(static_cast<Eigen::Index>(k), column) = shot.p[k][free[a]] - parameter.rest;
  }
  return learn_modes(names, samples, units, kModes);
}

Row row_beside(const Published& published, const CurvesLayer& layer, const Shot& shot, const std::string& how) {
  std::string id = fmt::format("curves/{}/{}", published.name, how);
  std::replace(id.begin(), id.end(), ' ', '-');
  Row row = row_of(id, fmt::format("{}, {}", published.name, how), shot.seconds);
  // The published figures are means.
  double mean = 0;
  for (double s : shot.seconds) mean += s / static_cast<double>(shot.seconds.size());
  row.value = 1e3 * mean;
  row.yardstick = "published", row.yardstick_value = 1e3 * published.seconds;
  row.ratio = published.seconds / mean, row.ratio_unit = "x faster";
  const auto frames = static_cast<double>(shot.seconds.size());
  row.details = {{"p", static_cast<double>(layer.free.size())},
                 {"p there", published.p},
                 {"n", 3.0 * layer.body->n_interior()},
                 {"n there", published.n},
                 {"s", 3.0 * static_cast<double>(layer.body->rigged().size())},
                 {"s there", published.s},
                 {"tets", static_cast<double>(layer.tets.mesh.n_tets())},
                 {"ms of processor", 1e3 * shot.processor_s / frames},
                 {"steps a frame", shot.steps / frames},
                 {"iterations a frame", shot.iterations / frames},
                 {"factorizations a frame", shot.factorizations / frames}};
  return row;
}

double farthest(const Shot& a, const Shot& b) {
  double worst = 0, largest = 0;
  for (size_t k = 0; k < std::min(a.p.size(), b.p.size()); ++k) {
    worst = std::max(worst, (a.p[k] - b.p[k]).cwiseAbs().maxCoeff());
    largest = std::max(largest, (a.p[k] - a.p[0]).cwiseAbs().maxCoeff());
  }
  return largest > 0 ? worst / largest : worst;
}

// The same scene with its rig in another program, which is all of the rig then.
SceneConfig served(SceneConfig scene, const CurvesSetup& setup, const std::string& program) {
  scene.curves.rig = fmt::format("'{}' curves '{}' --serve", program, scene.file);
  scene.curves.free.clear();
  for (int i : setup.rig.free[0]) scene.curves.free.push_back(setup.rig.rig->parameters()[static_cast<size_t>(i)].name);
  scene.deformers.clear();
  scene.timeline.fps = setup.rig.time.fps;
  scene.timeline.frames = setup.rig.time.n_frames;
  return scene;
}

void measure_row(Bench& bench, const Published& published, const std::string& scene, const std::string& program,
                 std::optional<ParameterModes>& modes) {
  const std::vector<std::string> set = {"solver.integrator=backward-euler", "timeline.substeps=1", "curves.pose=rest",
                                        "curves.margin=0"};
  const SceneConfig config = load_scene(scene, set);
  const auto setup = set_up_curves(config);
  const ParameterModes* used = published.modes && modes ? &*modes : nullptr;
  const CurvesLayer layer = make_layer(*setup, 0, setup->keys, used);
  const double bar = published.seconds > kSlow ? kSlowBar : kQuickBar;
  std::optional<Shot> first;
  for (const RigSolver solver : {RigSolver::newton, RigSolver::quasi_newton}) {
    const Shot shot = through(layer, setup->rig.time, solver);
    Row row = row_beside(published, layer, shot, solver == RigSolver::newton ? "Newton" : "quasi-Newton");
    row.bar = bar, row.at_least = true;
    if (first) row.details.emplace_back("off Newton's, of the motion", farthest(*first, shot));
    bench.add(std::move(row));
    if (!first) first = shot;
  }
  if (!published.modes) modes = modes_of(*setup, *first);
  if (program.empty()) return;
  const auto black = set_up_curves(served(config, *setup, program));
  const CurvesLayer boxed = make_layer(*black, 0, black->keys, used);
  const Shot shot = through(boxed, setup->rig.time, RigSolver::quasi_newton);
  Row row = row_beside(published, boxed, shot, "another program, quasi-Newton");
  row.details.emplace_back("off Newton's, of the motion", farthest(*first, shot));
  bench.add(std::move(row));
}

}  // namespace

void measure_curves(Bench& bench) {
  bench.heading("Physics on rigs, a frame beside those published");
  const fs::path folder = fs::temp_directory_path() / fmt::format("supple-bench-curves-{}", getpid());
  const std::string program = supple_program();
  if (program.empty()) bench.note("the program supple is not beside this one: no rig is served by it");
  std::map<std::string, fs::path> scenes;
  std::optional<ParameterModes> modes;
  for (const Published& published : kRows) {
    fs::path& scene = scenes[published.example];
    if (scene.empty()) scene = write_example(published.example, (folder / published.example).string());
    const fs::path file = *published.scene ? scene.parent_path() / published.scene : scene;
    measure_row(bench, published, file.string(), program, modes);
  }
  fs::remove_all(folder);
}

}  // namespace supple::bench
