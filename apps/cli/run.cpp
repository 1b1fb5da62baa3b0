// run: a character in, the same character with soft tissue out.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "commands.h"
#include "supple/base/parallel.h"
#include "supple/scene/run_character.h"

namespace supple {

namespace fs = std::filesystem;

namespace {

int list_clips(const std::string& file, const Console& console) {
  const std::vector<ClipLine> clips = clips_of(file);
  Json list(Json::Array{});
  std::string text;
  for (size_t k = 0; k < clips.size(); ++k) {
    Json one;
    one["number"] = k, one["name"] = clips[k].name, one["seconds"] = clips[k].seconds, one["fps"] = clips[k].fps;
    list.push_back(one);
    text += fmt::format("{:3}  {:<40} {:7.2f} s at {:g} a second\n", k, clips[k].name, clips[k].seconds, clips[k].fps);
  }
  Json result;
  result["clips"] = list;
  console.result(result, clips.empty() ? "no clips\n" : text);
  return 0;
}

}  // namespace

int run_run(const RunCommand& c, const Console& console) {
  if (c.list_clips) return list_clips(c.file, console);
  RunCharacterRequest request{.file = c.file, .clip = c.clip, .set = c.set};
  const auto set = [&](const char* key, const std::optional<double>& value) {
    if (value) request.set.push_back(fmt::format("{}={}", key, *value));
  };
  set("surface.height", c.height);
  if (!c.look.empty()) request.set.push_back("material.look=" + c.look);
  if (c.preview) request.set.push_back("tets.preset=preview");
  set("controls.frequency", c.frequency);
  set("controls.amplitude", c.amplitude);
  set("controls.sag", c.sag);
  set("controls.half_life", c.half_life);
  const SceneConfig scene = character_scene(request);
  if (console.threads() == 0) set_thread_count(scene.solver.threads);

  RunCharacterOptions options;
  options.out = c.out.empty() ? fs::path(c.file).stem().string() + "_soft.glb" : c.out;
  options.directory = c.directory.empty() ? next_take() : c.directory;
  options.overwrite = c.overwrite, options.replace = c.replace, options.strict = c.strict;
  const RunCharacterResult result = run_character(scene, c.clip, options, console.watch());
  if (result.status != RunStatus::done) {
    console.error(result.message);
    Json report = result.report;
    Json error;
    error["kind"] = result.status == RunStatus::interrupted ? "interrupted" : "failure";
    error["message"] = result.message;
    report["error"] = error;
    console.result(report, "");
    return result.status == RunStatus::interrupted ? 130 : 1;
  }
  for (const std::string& w : result.glb.warnings) console.warn(w);
  std::string text = fmt::format("{}: {} morph targets, {:.1f} MB, clips added:", options.out, result.glb.targets,
                                 static_cast<double>(result.glb.bytes) * 1e-6);
  for (const std::string& name : result.glb.clips) text += " " + name;
  text += "\nLook at it: open it in Blender or any glTF viewer and change between the clips";
  const std::string take = result.runs.size() == 1 ? options.directory : options.directory + "/CLIP";
  if (scene.output.report) text += fmt::format(", or open {}/report.html", take);
  text += fmt::format(".\nChange it: edit {0}/scene.toml, then: supple simulate {0}/scene.toml\n", take);
  console.result(result.report, text);
  return options.strict && result.best_effort ? 1 : 0;
}

}  // namespace supple
