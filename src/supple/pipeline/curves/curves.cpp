#include "supple/pipeline/curves/curves.h"

#include <fmt/format.h>

#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/curves/files.h"
#include "supple/pipeline/curves/report.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/rigs/serve_rig.h"
#include "supple/scene/read_scene.h"

namespace supple::curves {

namespace fs = std::filesystem;

SceneConfig curves_scene(const std::string& file, const Overrides& overrides) {
  if (fs::path(file).extension() != ".toml") return load_rig_scene(file, overrides);
  SceneConfig scene = load_scene(file, overrides);
  if (!scene.curves.present)
    throw InputError({.file = file}, "has no [curves]: it does not say what physics shall fill in",
                     "add the table with free = [\"Tail*\"], or use supple simulate");
  return scene;
}

CurvesOutcome make_curves(const SceneConfig& scene, const CurvesOptions& options, const Watch& watch) {
  require_free_names(options.directory, options.overwrite);
  require_inputs_apart(scene, options.directory);
  // Made at once, so that nobody waits for results that cannot be written.
  ResultFolder folder(options.directory);
  const auto stop = [&] {
    if (watch.cancelled()) throw Cancelled();
  };
  CurvesOutcome out;
  const auto setup = set_up_curves(scene);
  stop();
  const CurvesTimeline& time = setup->rig.time;
  watch.note(fmt::format("{} tets, {} frames, {} parameters to fill in{}", setup->tets.mesh.n_tets(), time.n_frames,
                         setup->rig.all_free().size(), time.loop ? fmt::format(", in a loop: {}", time.why) : ""));
  out.result = run_curves(*setup, watch);
  const CurvesDrawn drawn = draw_curves(*setup, out.result);
  stop();
  folder.keep();
  clear_results(options.directory);
  const CurvesWritten written = write_curves_files(*setup, out.result, drawn, options.directory);
  out.files = written.files;
  out.warnings = curves_warnings(*setup, out.result, written);
  out.report = curves_json(*setup, out.result, written, options.directory);
  if (scene.output.report)
    for (const std::string& f : write_curves_page(*setup, out.result, drawn, written, out.report, options.directory))
      out.files.push_back(f);
  write_text((fs::path(options.directory) / "report.json").string(), out.report.text() + "\n");
  out.files.emplace_back("report.json");
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

}  // namespace supple::curves
