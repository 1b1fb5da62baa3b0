#include "supple/pipeline/pipeline.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/pipeline/curves/curves.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/job/job.h"
#include "supple/pipeline/job/memory_need.h"
#include "supple/pipeline/job/subjects.h"
#include "supple/pipeline/live/run.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/run/run_stages.h"
#include "supple/pipeline/takes/preview_difference.h"
#include "supple/pipeline/takes/take.h"
#include "supple/pipeline/trials/part_settling.h"

namespace supple::pipeline {

using namespace curves;
using namespace live;

namespace fs = std::filesystem;

namespace {

void note_reading(const SceneConfig& scene, const Watch& watch) {
  watch.note("reading " + (scene.file.empty() ? scene.surface.file.text : scene.file));
}

// A preview and its final that lie beside each other.
void tell_beside(const std::string& take, const std::string& scene_file, Outcome& out) {
  for (std::string& line : tell_previews(take, scene_file)) out.lines.push_back(std::move(line));
}

// What is gone on with may have come to its end before.
Outcome complete_already(const OutputFolder& folder) {
  Outcome out;
  out.lines = {fmt::format("{}: complete already, nothing is left to do", folder.directory)};
  out.takes = {""};
  out.report = report_of_any((fs::path(folder.directory) / "report.json").string()).json;
  out.report["directory"] = folder.directory;
  return out;
}

Outcome simulated(const SceneConfig& scene, const OutputFolder& folder, const Watch& watch) {
  RunOptions options{
      .directory = folder.directory, .overwrite = folder.overwrite, .resume = folder.resume, .from = folder.from};
  require_free_names(folder.directory, folder.overwrite || folder.resume || folder.from);
  const ResultFolder mine(folder.directory);
  watch.plan(stages_to_come());
  watch.progress(kReading, 0, 2);
  note_reading(scene, watch);
  const auto subject = make_subject(scene, true, watch);
  options.spent.lap("reading");
  watch.progress(kReading, 1, 2);
  const Job built = build_job(scene, true, subject);
  require_memory(size_of(built));
  const Job job = settled_job(built, watch);
  options.spent.lap("set_up");
  watch.progress(kReading, 2, 2);
  if (folder.resume && is_done(job, folder.directory)) return complete_already(folder);
  Outcome out;
  out.warnings = job.notes.warnings;
  for (const std::string& w : out.warnings) watch.warn(w);
  watch.note(fmt::format("{} tets, {} frames of {} substeps, lowest frequency {:.3g} Hz",
                         job.body->model->mesh().n_tets(), job.shot.n_frames(), job.body->substeps,
                         job.body->frequency_hz));
  watch.note(job.shot.start.text());
  RunResult result = run_job(job, options, watch);
  out.status = result.status;
  out.message = result.message;
  out.files = result.files;
  out.best_effort = result.best_effort;
  out.takes = {""};
  out.lines = {fmt::format("frequency {:.3f} Hz, sag {:.2f} mm, half-life {}, amplitude {:.2f} mm rms, {:.2f} mm peak",
                           result.frequency_hz, 1e3 * result.sag_m,
                           std::isfinite(result.half_life_s) ? fmt::format("{:.3f} s", result.half_life_s) : "infinite",
                           1e3 * result.amplitude_rms_m, 1e3 * result.peak_m)};
  out.report = std::move(result.report);
  out.report["directory"] = folder.directory;
  out.report["files"] = Json::list(out.files);
  if (out.status == RunStatus::done) tell_beside(folder.directory, scene.file, out);
  return out;
}

Outcome with_curves(const SceneConfig& scene, const OutputFolder& folder, const Watch& watch) {
  const CurvesOptions options{.directory = folder.directory, .overwrite = folder.overwrite, .resume = folder.resume};
  require_free_names(folder.directory, folder.overwrite || folder.resume);
  if (folder.resume && curves_are_done(scene, folder.directory)) return complete_already(folder);
  note_reading(scene, watch);
  CurvesOutcome made = make_curves(scene, options, watch);
  Outcome out;
  out.files = std::move(made.files);
  out.warnings = std::move(made.warnings);
  for (const std::string& w : out.warnings) watch.warn(w);
  for (const LayerResult& l : made.result.layers)
    out.lines.push_back(fmt::format(
        "{}: {} parameters, {:.3g} Hz, {:.2f} mm from what was keyed (rms), {:.3g} s a frame", l.name, l.free.size(),
        l.numbers.adjusted.frequency_hz, 1e3 * l.departure_rms_m, l.totals.seconds_a_frame()));
  out.report = std::move(made.report);
  out.report["directory"] = folder.directory;
  out.report["files"] = Json::list(out.files);
  return out;
}

Outcome soft_character(const SceneConfig& scene, const OutputFolder& folder, const Watch& watch) {
  const std::string own = fs::path(scene.surface.file.path).stem().string() + "_soft.glb";
  const RunCharacterOptions options{
      .out = folder.glb.empty() ? (fs::path(folder.directory) / own).string() : folder.glb,
      .directory = folder.directory,
      .overwrite = folder.overwrite,
      .replace = folder.replace,
      .resume = folder.resume,
      .from = folder.from,
      .all_clips = folder.all_clips};
  const std::string clip = folder.all_clips ? "all" : "";
  if (folder.resume && is_done(scene, clip, options)) return complete_already(folder);
  Outcome out;
  Watch keeping = watch;
  keeping.warn = [&](std::string_view text) {
    out.warnings.emplace_back(text);
    watch.warn(text);
  };
  if (folder.glb.empty()) fs::create_directories(folder.directory);
  RunCharacterResult result = run_character(scene, clip, options, keeping);
  out.status = result.status;
  out.message = result.message;
  out.best_effort = result.best_effort;
  out.report = std::move(result.report);
  if (out.status != RunStatus::done) return out;
  out.incomplete = result.n_failed() > 0;
  for (const std::string& w : result.glb.warnings) keeping.warn(w);
  for (const ClipRun& c : result.clips) {
    if (c.result.status != RunStatus::done) continue;
    out.takes.push_back(c.folder);
    for (const std::string& f : c.result.files) out.files.push_back((fs::path(c.folder) / f).string());
  }
  for (const std::string& take : out.takes) tell_beside((fs::path(folder.directory) / take).string(), "", out);
  const SoftGlbReport& glb = result.glb;
  std::string line = fmt::format(
      "{}: {} morph targets to {:.2g} % of the departure, {:.1f} MB ({:.1f} times the input), "
      "clips added:",
      options.out, glb.targets, 100 * glb.max_error_of_departure, static_cast<double>(glb.bytes) * 1e-6, glb.growth);
  for (const std::string& name : result.glb.clips) line += " " + name;
  out.lines.insert(out.lines.begin(), line);
  return out;
}

Outcome live_pack(const SceneConfig& scene, const OutputFolder& folder, const Watch& watch) {
  const LiveOptions options{.directory = folder.directory, .overwrite = folder.overwrite, .resume = folder.resume};
  if (folder.resume && live_is_done(scene, folder.directory)) return complete_already(folder);
  LiveResult made = make_live(scene, options, watch);
  Outcome out;
  out.files = std::move(made.files);
  out.warnings = std::move(made.warnings);
  out.lines = std::move(made.lines);
  out.report = std::move(made.report);
  out.report["directory"] = folder.directory;
  return out;
}

}  // namespace

Outcome run_scene(const SceneConfig& scene, const OutputFolder& folder, const Watch& watch) {
  try {
    if (folder.product == Product::soft_character) return soft_character(scene, folder, watch);
    if (folder.product == Product::live_pack) return live_pack(scene, folder, watch);
    return scene.curves.present ? with_curves(scene, folder, watch) : simulated(scene, folder, watch);
  } catch (const Cancelled& e) {
    return {.status = RunStatus::interrupted, .message = e.what()};
  } catch (const SimulationFailure& e) {
    return {.status = RunStatus::failed, .message = e.what()};
  }
}

}  // namespace supple::pipeline
