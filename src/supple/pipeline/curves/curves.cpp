#include "supple/pipeline/curves/curves.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/curves/files.h"
#include "supple/pipeline/curves/progress.h"
#include "supple/pipeline/curves/report.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/setup/fingerprint.h"
#include "supple/report/timings.h"
#include "supple/rigs/serve_rig.h"
#include "supple/scene/read_scene.h"

namespace supple::pipeline::curves {

namespace fs = std::filesystem;

SceneConfig curves_scene(const std::string& file, const Overrides& overrides) {
  if (fs::path(file).extension() != ".toml") return load_rig_scene(file, overrides);
  SceneConfig scene = load_scene(file, overrides);
  if (!scene.curves.present)
    throw InputError({.file = file}, "has no [curves]: it does not say what physics shall fill in",
                     "add the table with free = [\"Tail*\"], or use supple simulate");
  return scene;
}

namespace {

class Stopped : public Cancelled {
 public:
  explicit Stopped(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

CheckpointFile checkpoint_of(const SceneConfig& scene, const std::string& directory) {
  return {directory, fingerprint_with_files(scene)};
}

CurvesProgress begin(const SceneConfig& scene, const CurvesOptions& options) {
  CheckpointFile file = checkpoint_of(scene, options.directory);
  // What is to go on may have been stopped before it had begun.
  const bool goes_on = options.resume && file.exists();
  if (!goes_on) {
    require_free_names(options.directory, options.overwrite);
    file.remove();
  }
  return {std::move(file), goes_on};
}

void stop_if_asked(const Watch& watch) {
  if (watch.cancelled()) throw Cancelled();
}

// Stopped, it can be gone on with.
CurvesDrawn run_and_draw(const CurvesSetup& setup, CurvesProgress& progress, const Watch& watch, CurvesResult& result) {
  try {
    result = run_curves(setup, watch, &progress);
    CurvesDrawn drawn = draw_curves(setup, result);
    stop_if_asked(watch);
    return drawn;
  } catch (const Cancelled&) {
    if (!progress.begun()) throw;
    progress.write();
    throw Stopped(stopped_after(progress.frame()));
  } catch (const SimulationFailure&) {
    progress.remove();  // it would fail there again
    throw;
  }
}

}  // namespace

bool curves_are_done(const SceneConfig& scene, const std::string& directory) {
  return checkpoint_of(scene, directory).journal().has(kDelivered);
}

CurvesOutcome make_curves(const SceneConfig& scene, const CurvesOptions& options, const Watch& watch) {
  require_free_names(options.directory, options.overwrite || options.resume);
  require_inputs_apart(scene, options.directory);
  // Made at once, so that nobody waits for results that cannot be written.
  const ResultFolder folder(options.directory);
  CurvesProgress progress = begin(scene, options);
  const double before = progress.seconds();
  Laps spent;
  CurvesOutcome out;
  watch.plan({{"reading", 2}, {"simulating", 10}, {"writing", 2}});
  watch.progress("reading", 0, 1);
  const auto setup = set_up_curves(scene);
  spent.lap("reading");
  watch.progress("reading", 1, 1);
  stop_if_asked(watch);
  const CurvesTimeline& time = setup->rig.time;
  watch.note(fmt::format("{} tets, {} frames, {} parameters to fill in{}", setup->tets.mesh.n_tets(), time.n_frames,
                         setup->rig.all_free().size(), time.loop ? fmt::format(", in a loop: {}", time.why) : ""));
  const CurvesDrawn drawn = run_and_draw(*setup, progress, watch, out.result);
  spent.lap("simulating");
  watch.progress("writing", 0, 2);
  clear_results(options.directory);
  const CurvesWritten written = write_curves_files(*setup, out.result, drawn, options.directory);
  out.files = written.files;
  out.warnings = curves_warnings(*setup, out.result, written);
  watch.progress("writing", 1, 2);
  out.report = curves_json(*setup, out.result, written, options.directory);
  if (scene.output.report)
    for (const std::string& f : write_curves_page(*setup, out.result, drawn, written, out.report, options.directory))
      out.files.push_back(f);
  spent.lap("output");
  out.report["timings_s"] = timings_json(spent, options.resume ? before : 0);
  write_text((fs::path(options.directory) / "report.json").string(), out.report.text() + "\n");
  out.files.emplace_back("report.json");
  progress.journal().tell(kDelivered);
  progress.drop_state();
  watch.progress("writing", 2, 2);
  return out;
}

std::vector<RigParameter> list_parameters(const SceneConfig& scene) {
  return make_curves_rig(scene, true).rig->parameters();
}

void serve_scene(const SceneConfig& scene, int input, int output) {
  const bool free = !scene.curves.free.empty() || !scene.curve_layers.empty();
  const CurvesRig rig = make_curves_rig(scene, !free);
  serve_rig(*rig.rig, rig.triangles, input, output);
}

}  // namespace supple::pipeline::curves
