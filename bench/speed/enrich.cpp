// What enriching costs, beside the table of the paper on enriching triangle mesh animations (12 cores at 2.3 GHz
// there): the same kinds of shots with as many tets, frames and steps a frame, backward Euler.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "bench.h"
#include "supple/base/timer.h"
#include "supple/demos/examples/examples.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/enriched/enriched_subject.h"
#include "supple/pipeline/job/contact_setup.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"

namespace supple::bench {

using namespace demos;
using namespace pipeline;

namespace {

namespace fs = std::filesystem;

constexpr double kFaster = 3;        // than published: the bar
constexpr double kEnough = 60;       // [s] of stepping a shot
constexpr double kFitAllowed = 0.2;  // [% of size]

struct Published {
  const char* name;
  int steps;            // a frame
  double fit_s, sim_s;  // a frame; 0: not simulated
  bool contact;         // as there
};
constexpr Published kTable[] = {{"elephant", 3, 1.25, 0.35, true},
                                {"bird", 2, 0.78, 0.29, false},
                                {"head", 1, 1.35, 0, false},
                                {"plant", 1, 0.024, 0.0058, true},
                                {"dance", 6, 0.24, 0.31, false}};

Row beside(const std::string& id, const std::string& label, double seconds, double published, int frames) {
  Row row;
  row.id = id, row.label = label, row.value = 1e3 * seconds, row.unit = "ms", row.repeats = frames;
  row.yardstick = "published", row.yardstick_value = 1e3 * published;
  row.ratio = published / seconds, row.ratio_unit = "x faster";
  row.bar = kFaster, row.at_least = true;
  return row;
}

void time_steps(Bench& bench, const SceneConfig& scene, const std::shared_ptr<const EnrichSetup>& setup,
                const Published& shot, const std::string& how) {
  const Job job = build_job(scene, true, std::make_shared<EnrichedSubject>(setup));
  std::vector<std::string> notes;
  const std::unique_ptr<ContactSetup> contact = set_up_contact(job, notes);
  SimulationSpec spec = simulation_spec(job);
  if (contact) contact->put_into(spec);
  Simulation simulation(contact ? *contact->model : *job.body->model, spec);
  begin(simulation, job);
  Timer timer;
  int frames = 0, newton = 0;
  for (; frames + 1 < job.shot.n_frames() && timer.seconds() < kEnough; ++frames)
    for (int k = 0; k < job.body->substeps; ++k) newton += simulation.step().newton_iterations;
  Row row = beside(fmt::format("enrich/{}/simulate{}", shot.name, how.empty() ? "" : "/" + how),
                   fmt::format("{}, {} steps a frame{}", shot.name, job.body->substeps, how.empty() ? "" : ", " + how),
                   timer.seconds() / frames, shot.sim_s, frames);
  int free_tets = 0;
  for (const Tet& t : setup->cage.tets)
    free_tets += setup->softness[t[0]] > 0 || setup->softness[t[1]] > 0 || setup->softness[t[2]] > 0 ||
                 setup->softness[t[3]] > 0;
  row.details = {{"free tets", free_tets},
                 {"free vertices", job.body->model->constraints().map().n_free()},
                 {"Newton a step", static_cast<double>(newton) / (frames * job.body->substeps)}};
  bench.add(std::move(row));
}

void measure(Bench& bench, const Published& shot, const fs::path& folder) {
  const std::string file = write_example(shot.name, (folder / shot.name).string());
  const std::vector<std::string> set = {"solver.integrator=backward-euler",
                                        fmt::format("timeline.substeps={}", shot.steps)};
  const SceneConfig scene = load_scene(file, set);
  const std::shared_ptr<const EnrichSetup> setup = set_up_enrich(scene);
  const auto frames = static_cast<int>(setup->fit.frames.size());
  const FitSummary fit = summary_of(setup->fit);
  Row row = beside(fmt::format("enrich/{}/fit", shot.name),
                   fmt::format("{}, fit of {} tets", shot.name, setup->cage.n_tets()), setup->fit_seconds / frames,
                   shot.fit_s, frames);
  row.details = {{"frames", frames},
                 {"surface vertices", setup->input.surface.n_vertices()},
                 {"tet vertices", setup->cage.n_vertices()},
                 {"error, % of size", 100 * fit.rms / setup->size()},
                 {"worst frame, %", 100 * fit.largest_rms / setup->size()},
                 {"Newton a frame", static_cast<double>(fit.iterations) / frames}};
  bench.add(std::move(row));
  if (100 * fit.rms / setup->size() > kFitAllowed)
    bench.note(fmt::format("the fit is off by more than {} % of the size", kFitAllowed));
  if (shot.sim_s == 0) return;
  time_steps(bench, scene, setup, shot, has_contact(scene) ? "contact" : "");
  if (shot.contact && !has_contact(scene)) {
    SceneConfig touching = scene;
    touching.contact.present = true;
    time_steps(bench, touching, setup, shot, "contact");
  }
}

}  // namespace

void measure_enrich(Bench& bench) {
  bench.heading("Enriching, seconds a frame beside those published");
  const fs::path folder = fs::temp_directory_path() / fmt::format("supple-bench-enrich-{}", getpid());
  for (const Published& shot : kTable) measure(bench, shot, folder);
  fs::remove_all(folder);
}

}  // namespace supple::bench
