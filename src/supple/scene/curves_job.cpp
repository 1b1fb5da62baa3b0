#include "supple/scene/curves_job.h"

#include <fmt/format.h>

#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/output_file.h"
#include "supple/rigspace/serve_rig.h"
#include "supple/scene/curves_files.h"
#include "supple/scene/curves_report.h"
#include "supple/scene/load.h"
#include "supple/scene/run.h"

namespace supple {

namespace fs = std::filesystem;

SceneConfig curves_scene(const std::string& file, const std::vector<std::string>& overrides) {
  if (fs::path(file).extension() != ".toml") return load_rig_scene(file, overrides);
  SceneConfig scene = load_scene(file, overrides);
  if (!scene.curves.present)
    throw InputError({.file = file}, "has no [curves]: it does not say what physics shall fill in",
                     "add the table with free = [\"Tail*\"], or use supple simulate");
  return scene;
}

namespace {

void make_directory(const CurvesOptions& o) {
  const fs::path dir = o.directory;
  std::error_code error;
  fs::create_directories(dir, error);
  if (error || !fs::is_directory(dir))
    throw InputError({.file = o.directory}, "cannot be made: " + error.message(),
                     "choose a directory that can be written");
  // A replaced run leaves nothing behind that could be taken for the new one.
  for (const auto& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename().string();
    for (const char* ours : {"surface", "curves.", "modes.json", "material.png", "tets", "report.", "poster.png"})
      if (name.rfind(ours, 0) == 0) fs::remove_all(entry.path(), error);
  }
}

}  // namespace

CurvesOutcome make_curves(const SceneConfig& scene, const CurvesOptions& options) {
  require_free({.directory = options.directory, .overwrite = options.overwrite});
  CurvesOutcome out;
  const auto setup = set_up_curves(scene);
  const CurvesTimeline& time = setup->rig.time;
  if (options.hooks.note)
    options.hooks.note(fmt::format("{} tets, {} frames, {} parameters to fill in{}", setup->tets.mesh.n_tets(),
                                   time.n_frames, setup->rig.all_free().size(),
                                   time.loop ? fmt::format(", in a loop: {}", time.why) : ""));
  out.result = run_curves(*setup, options.hooks);
  const CurvesDrawn drawn = draw_curves(*setup, out.result);
  if (options.hooks.cancelled && options.hooks.cancelled()) throw Cancelled();
  make_directory(options);
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

}  // namespace supple
