// simulate and demo: a scene in, a directory of results out.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "supple/base/parallel.h"
#include "supple/scene/curves_figures.h"
#include "supple/scene/enrich_figures.h"
#include "supple/scene/enrich_setup.h"
#include "supple/scene/examples.h"
#include "supple/scene/figures.h"
#include "supple/scene/load.h"
#include "supple/scene/run.h"

namespace supple {

namespace {

// Its tets bent along with every frame, with a bar.
std::shared_ptr<const EnrichSetup> fitted(const SceneConfig& scene, const Console& console) {
  if (!scene.enrich.present) return nullptr;
  std::unique_ptr<ProgressReporter> progress;  // made when it is known how many frames there are
  EnrichHooks hooks;
  hooks.note = [&](const std::string& text) { console.note(text); };
  hooks.progress = [&](int frame, int n) {
    if (!progress) progress.reset(new ProgressReporter(console.progress("fitting", n)));
    progress->update(frame);
  };
  hooks.cancelled = [] { return interrupted().load(); };
  auto setup = set_up_enrich(scene, true, hooks);
  if (progress) progress->finish();
  const FitSummary fit = summary_of(setup->fit);
  console.note(fmt::format("the tets follow the animation to {:.3g} % of its size (rms; worst frame {:.3g} %)",
                           100 * fit.rms / setup->size(), 100 * fit.largest_rms / setup->size()));
  return setup;
}

}  // namespace

int run_and_tell(const SceneConfig& scene, RunOptions options, const Console& console, const std::string& ending) {
  if (scene.curves.present) {
    if (options.resume)
      throw InputError({.place = "--resume"}, "curves are written when all are done: there is nothing to go on from",
                       "Leave it out.");
    return run_curves_scene(scene, options, console, ending);
  }
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  require_free(options);
  console.note("reading " + (scene.file.empty() ? scene.surface.file.text : scene.file));
  const Job job = build_job(scene, true, nullptr, fitted(scene, console));
  for (const std::string& w : job.warnings) console.warn(w);
  console.note(fmt::format("{} tets, {} frames of {} substeps, lowest frequency {:.3g} Hz", job.model->mesh().n_tets(),
                           job.n_frames(), job.substeps, job.frequency_hz));
  console.note(job.start.text());
  options.note = [&](const std::string& text) { console.note(text); };
  RunResult result;
  {
    ProgressReporter progress = console.progress("simulating", std::max(1, job.n_frames() - 1));
    options.progress = [&](int frame, int) { progress.update(frame); };
    options.cancelled = [] { return interrupted().load(); };
    result = run_job(job, options);
    if (result.status == RunStatus::done) progress.finish();
  }
  std::string text =
      fmt::format("frequency {:.3f} Hz, sag {:.2f} mm, half-life {}, amplitude {:.2f} mm rms, {:.2f} mm peak\n",
                  result.frequency_hz, 1e3 * result.sag_m,
                  std::isfinite(result.half_life_s) ? fmt::format("{:.3f} s", result.half_life_s) : "infinite",
                  1e3 * result.amplitude_rms_m, 1e3 * result.peak_m);
  for (const std::string& f : result.files)
    text += "  " + (std::filesystem::path(options.directory) / f).string() + "\n";
  result.report["directory"] = options.directory;
  result.report["files"] = Json::list(result.files);
  if (result.status != RunStatus::done) {
    console.error(result.message);
    Json error;
    error["kind"] = result.status == RunStatus::interrupted ? "interrupted" : "failure";
    error["message"] = result.message;
    result.report["error"] = error;
    console.result(result.report, "");
    return result.status == RunStatus::interrupted ? 130 : 1;
  }
  console.result(result.report, text + ending);
  return options.strict && result.best_effort ? 1 : 0;
}

namespace {

using FigureWriter = std::vector<Figure> (*)(const FigureOptions&);

int run_figures(const DemoOptions& o, const Console& console, FigureWriter write) {
  if (!o.set.empty()) throw InputError({.place = "--set"}, "figures are made of scenes as they are");
  const std::string dir = o.out.empty() ? next_take() : o.out;
  const std::vector<Figure> figures = write({.directory = dir,
                                             .only = o.only,
                                             .quick = o.quick,
                                             .note = [&](const std::string& text) { console.note(text); },
                                             .cancelled = [] { return interrupted().load(); }});
  Json result;
  result["directory"] = dir;
  result["figures"] = Json(Json::Array{});
  std::string text;
  for (const Figure& f : figures) {
    Json j;
    j["number"] = f.number, j["title"] = f.title, j["caption"] = f.caption, j["files"] = Json::list(f.files);
    result["figures"].push_back(j);
    text += fmt::format("figure {}: {}\n", f.number, f.title);
  }
  console.result(result,
                 text + fmt::format("Look at them: open {0}/index.html in a browser, or {0}/figures.md\n", dir));
  return 0;
}

}  // namespace

int run_simulate(const SimulateOptions& o, const Console& console) {
  SceneConfig scene = load_scene(o.scene, o.set);
  scene.may_run = o.allow_run;
  if (o.resume && o.out.empty()) throw InputError({.place = "--resume"}, "which run?", "Name its directory with -o.");
  RunOptions options;
  options.directory = o.out.empty() ? next_take() : o.out;
  options.overwrite = o.overwrite;
  options.resume = o.resume;
  options.strict = o.strict;
  return run_and_tell(scene, options, console, "");
}

int run_demo(const DemoOptions& o, const Console& console) {
  if (o.name.empty()) {
    Json list;
    std::string text;
    for (const Example& e : examples()) {
      list["examples"][e.name] = e.summary;
      text += fmt::format("{:<18} {}\n", e.name, e.summary);
    }
    text +=
        fmt::format("{:<18} {}\n", "figures", "figures of the paper on adjustable dynamics, made anew: some minutes");
    text += fmt::format("{:<18} {}\n", "enrich-figures", "figures on enriching mesh animations, likewise");
    text += fmt::format("{:<18} {}\n", "curves-figures", "figures on rig-space physics, likewise");
    console.result(list, text + "run one with: supple demo NAME -o DIR\n");
    return 0;
  }
  if (o.name == "figures") return run_figures(o, console, write_figures);
  if (o.name == "enrich-figures") return run_figures(o, console, write_enrich_figures);
  if (o.name == "curves-figures") return run_figures(o, console, write_curves_figures);
  if (o.quick || !o.only.empty())
    throw InputError({.place = o.quick ? "--quick" : "--only"},
                     "goes with `supple demo figures`, `enrich-figures` and `curves-figures` alone");
  if (o.name == "dyrt") return run_live_demo(o, console);
  const std::string dir = o.out.empty() ? next_take() : o.out;
  const std::string scene = write_example(o.name, (std::filesystem::path(dir) / "scene").string());
  RunOptions options;
  options.directory = dir;
  options.overwrite = true;
  const SceneConfig config = load_scene(scene, o.set);
  return run_and_tell(
      config, options, console,
      fmt::format("Look at it: open {0}/surface.glb in Blender or any glTF viewer, or {0}/report.html in a browser.\n"
                  "Change it: edit {1}, then: supple {2} {1}\n",
                  dir, scene, config.curves.present ? "curves" : "simulate"));
}

}  // namespace supple
