// tune: the dials met by measuring.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/trials/tune_scene.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;

int run_tune(const TuneCommand& o, const Console& console) {
  const SceneConfig scene = load_scene(o.scene, o.set);
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  const std::string dir = o.out.empty() ? next_take() : o.out;
  if (std::filesystem::exists(std::filesystem::path(dir) / "report.json") && !o.overwrite)
    throw InputError({.file = dir}, "holds a run already",
                     "choose another directory, or say --overwrite to replace it");

  const Watch watch = console.watch();
  std::vector<PlannedStage> ahead;
  for (int k = 1; k <= o.request.max_runs; ++k) ahead.push_back({fmt::format("motion {}", k), 1});
  ahead.push_back({"simulating", 1});
  watch.plan(ahead);
  TuneOutcome outcome = tune_scene(scene, o.request, dir, watch);

  const std::string tuned = (std::filesystem::path(dir) / "tuned.toml").string();
  write_tuned_scene(tuned, outcome);
  console.note("running " + tuned);
  RunOptions options;
  options.directory = dir;
  options.overwrite = true;
  options.known = {.asked = outcome.result.asked,
                   .baseline = response_of(outcome.result.baseline),
                   .trial = response_of(outcome.result.tuned)};
  const Job job = build_job(load_scene(tuned));
  Watch quiet = console.watch();
  quiet.note = {};
  RunResult result = run_job(job, options, quiet);
  const TuneResult& r = outcome.result;
  std::string text = fmt::format("{:<12} {:>10} {:>10}\n", "", "asked", "got");
  for (const DialRow& d : dial_rows(r))
    text += fmt::format("{:<12} {:>10.4g} {:>10.4g}  {}\n", d.name, d.asked, d.got,
                        !d.dial->applicable ? "does not apply"
                        : d.dial->met       ? ""
                                            : "not met");
  for (const std::string& n : outcome.notes) text += n + "\n";
  text += fmt::format("chi {:.5g}, mu {:.5g}, ck {:.5g}, epsilon {:.5g} in {} whole motions\n  {}\n", r.scalings.chi,
                      r.scalings.mu, r.scalings.ck, r.scalings.epsilon, r.full_runs, tuned);
  for (const std::string& f : result.files) text += "  " + (std::filesystem::path(dir) / f).string() + "\n";
  outcome.report["directory"] = dir;
  outcome.report["scene"] = tuned;
  outcome.report["files"] = Json::list(result.files);
  outcome.report["run"] = result.report;
  if (result.status != RunStatus::done) {
    console.error(result.message);
    console.result(outcome.report, "");
    return result.status == RunStatus::interrupted ? 130 : 1;
  }
  console.result(outcome.report, text);
  return o.strict && !r.all_met() ? 1 : 0;
}

}  // namespace supple
