// curves: a rig with some parameters keyed in, curves of the others out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/scene/curves_job.h"

namespace supple {

namespace {

std::vector<std::string> curves_overrides(const CurvesCommand& c) {
  std::vector<std::string> set;
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) set.push_back(fmt::format("{}={}", key, json_quoted(value)));
  };
  text("surface.clip", c.clip);
  text("curves.keys", c.keys);
  if (!c.free.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& pattern : c.free) quoted.push_back(json_quoted(pattern));
    set.push_back(fmt::format("curves.free=[{}]", fmt::join(quoted, ", ")));
  }
  if (c.frequency_hz) set.push_back(fmt::format("curves.frequency_hz={}", *c.frequency_hz));
  set.insert(set.end(), c.set.begin(), c.set.end());
  return set;
}

}  // namespace

int run_curves_scene(const SceneConfig& scene, const RunOptions& run, const Console& console,
                     const std::string& ending) {
  if (console.threads() == 0) set_thread_count(scene.solver.threads);
  CurvesOptions options;
  options.directory = run.directory;
  options.overwrite = run.overwrite;
  require_free(run);
  console.note("reading " + (scene.file.empty() ? scene.surface.file.text : scene.file));
  std::unique_ptr<ProgressReporter> progress;  // one a layer, and one more for each cycle of a loop
  int last = -1;
  options.hooks.note = [&](const std::string& text) { console.note(text); };
  options.hooks.cancelled = [] { return interrupted().load(); };
  options.hooks.progress = [&](const std::string& layer, int frame, int n) {
    if (!progress || frame <= last)
      progress.reset(new ProgressReporter(console.progress(layer == "all" ? "simulating" : layer, n)));
    last = frame;
    progress->update(frame);
    if (frame >= n) progress->finish();
  };
  CurvesOutcome outcome = make_curves(scene, options);
  for (const std::string& w : outcome.warnings) console.warn(w);
  std::string text;
  for (const LayerResult& l : outcome.result.layers)
    text += fmt::format("{}: {} parameters, {:.3g} Hz, {:.2f} mm from what was keyed (rms), {:.3g} s a frame\n", l.name,
                        l.free.size(), l.numbers.adjusted.frequency_hz, 1e3 * l.departure_rms_m,
                        l.totals.seconds_a_frame());
  for (const std::string& f : outcome.files)
    text += "  " + (std::filesystem::path(options.directory) / f).string() + "\n";
  outcome.report["directory"] = options.directory;
  outcome.report["files"] = Json::list(outcome.files);
  console.result(outcome.report, text + ending);
  return 0;
}

int run_curves_command(const CurvesCommand& c, const Console& console) {
  SceneConfig scene = curves_scene(c.file, curves_overrides(c));
  scene.may_run = c.allow_run;
  if (c.list) {
    Json json;
    json["parameters"] = Json(Json::Array{});
    std::string text;
    for (const RigParameter& p : list_parameters(scene)) {
      const char* unit = p.quantity == Quantity::angle ? "rad" : p.quantity == Quantity::length ? "m" : "1";
      Json one;
      one["name"] = p.name, one["unit"] = unit, one["rest"] = p.rest;
      json["parameters"].push_back(std::move(one));
      text += fmt::format("{:<40} [{}], at rest {:.6g}\n", p.name, unit, p.rest);
    }
    console.result(json, text);
    return 0;
  }
  if (c.serve) {
    serve_scene(scene, STDIN_FILENO, STDOUT_FILENO);
    return 0;
  }
  RunOptions options;
  options.directory = c.out.empty() ? next_take() : c.out;
  options.overwrite = c.overwrite;
  return run_curves_scene(scene, options, console, "");
}

}  // namespace supple
