#include "supple/pipeline/run/analyze.h"

#include <filesystem>

#include "commands.h"
#include "supple/base/printable.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;

int run_analyze(const AnalyzeCommand& o, const Console& console) {
  const bool scene = std::filesystem::path(o.file).extension() == ".toml";
  if (!scene && !o.set.empty())
    throw InputError({.file = o.file}, "--set changes scenes, and this is none", "Write a scene around the mesh.");
  if (!o.shapes.empty()) const ResultFolder can_be_made(o.shapes);  // and goes again
  const Job job = build_job(scene ? load_scene(o.file, o.set) : scene_for_tets(o.file), false);
  const AnalyzeResult r = analyze(job, {.modes = o.modes, .refine = !o.no_refine, .shapes_directory = o.shapes});
  for (const std::string& w : r.warnings) console.warn(w);
  std::string text;
  if (!scene) text = "held: the lowest tenth along the longest axis\n";
  for (const std::string& line : r.lines) text += printable(line) + "\n";
  console.result(r.report, text);
  return 0;
}

}  // namespace supple
