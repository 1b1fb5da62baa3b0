// tune: the dials met by measuring.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "outcome.h"
#include "supple/base/parallel.h"
#include "supple/base/printable.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/trials/reference_motion.h"
#include "supple/pipeline/trials/tune_scene.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;

namespace {

std::string table_of(const TuneOutcome& outcome) {
  size_t widest = 4;
  for (const TunedDial& d : outcome.dials) widest = std::max(widest, d.part.size());
  std::string text = fmt::format("{:<{}}  {:<10} {:>8} {:>8}\n", "", widest, "", "asked", "got");
  for (const TunedDial& d : outcome.dials)
    text += fmt::format("{:<{}}  {:<10} {:>8.4g} {:>8.4g}  {}\n", printable(d.part), widest, d.dial, d.asked, d.got,
                        d.met    ? ""
                        : d.said ? "not met: " + printable(d.note)
                                 : "nobody asked: taken along");
  for (const std::string& n : outcome.notes) text += printable(n) + "\n";
  return text;
}

}  // namespace

int run_tune(const TuneCommand& o, const Console& console) {
  const SceneConfig scene = load_scene(o.scene, o.set);
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  const ResultFolder directory = folder_of_results(o.out, o.request.resume);
  const std::string& dir = directory.path();
  if (o.request.resume)
    if (const std::optional<bool> met = tuned_already(scene, o.request, dir)) {
      Json done;
      done["directory"] = dir, done["complete"] = true, done["all_met"] = *met;
      console.result(done, dir + ": complete already, nothing is left to do\n");
      return *met ? 0 : 1;
    }
  if (std::filesystem::exists(std::filesystem::path(dir) / "report.json") && !o.overwrite && !o.request.resume)
    throw InputError({.file = dir}, "holds a run already",
                     "choose another directory, or say --overwrite to replace it");

  // Told before anything is run: what looks like milliseconds and centimetres, and what cannot be read.
  if (const double t = o.request.half_life_s.value_or(0); t >= 20)
    console.warn(fmt::format("--half-life-s {0:g}: is it {0:g} s? {1:g} for {0:g} ms", t, t / 1000));
  if (const double sag = o.request.sag_m.value_or(0); sag >= 1)
    console.warn(fmt::format("--sag-m {0:g}: is it {0:g} m? {1:g} for {0:g} cm", sag, sag / 100));
  if (!o.request.like.empty()) read_like(o.request.like, scene.timeline.fps.value_or(24));

  const Watch watch = console.watch();
  std::vector<PlannedStage> ahead = {{"without dials", 1}};
  for (int k = 1; k <= o.request.max_runs; ++k) ahead.push_back({fmt::format("motion {}", k), 1});
  watch.plan(ahead);
  TuneOutcome outcome = tune_scene(scene, o.request, dir, watch);

  std::string text = table_of(outcome) + fmt::format("{} whole motions\n  {}\n", outcome.motions, outcome.scene);
  for (const std::string& f : outcome.take.files) text += "  " + (std::filesystem::path(dir) / f).string() + "\n";
  Json& j = outcome.report;
  j["directory"] = dir;
  j["scene"] = outcome.scene;
  j["files"] = outcome.take.files.empty() ? Json(Json::Array{}) : Json::list(outcome.take.files);
  j["run"] = outcome.take.report;
  if (outcome.take.status != RunStatus::done) {
    console.error(outcome.take.message);
    console.result(j, "");
    return 1;
  }
  console.result(j, text);
  return outcome.met() ? 0 : 1;
}

}  // namespace supple
