// simulate and demo: a scene in, a directory of results out.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "outcome.h"
#include "supple/demos/examples/examples.h"
#include "supple/demos/figures/curves_figures.h"
#include "supple/demos/figures/enrich_figures.h"
#include "supple/demos/figures/figures.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace demos;
using namespace pipeline;

namespace {

using FigureWriter = std::vector<Figure> (*)(const FigureOptions&, const Watch&);

int run_figures(const DemoOptions& o, const Console& console, FigureWriter write) {
  if (!o.set.empty()) throw InputError({.place = "--set"}, "figures are made of scenes as they are");
  const ResultFolder directory = folder_or_next(o.out);
  const std::string& dir = directory.path();
  const std::vector<Figure> figures = write({.directory = dir, .only = o.only, .quick = o.quick}, console.watch());
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
  const ResultFolder directory = folder_of_results(o.out, o.resume, "-o", o.from.has_value());
  const OutputFolder folder{
      .directory = directory.path(), .overwrite = o.overwrite, .resume = o.resume, .from = o.from};
  const Outcome outcome = run_on(console, scene, folder);
  return tell(outcome, console, listed(outcome, folder.directory), o.strict);
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
  const ResultFolder directory = folder_or_next(o.out);
  const std::string& dir = directory.path();
  const bool was_there = std::filesystem::exists(std::filesystem::path(dir) / "scene");
  const std::string scene = write_example(o.name, (std::filesystem::path(dir) / "scene").string());
  SceneConfig config;
  try {
    config = load_scene(scene, o.set);
  } catch (const InputError&) {
    if (!was_there) std::filesystem::remove_all(std::filesystem::path(dir) / "scene");
    throw;
  }
  const Outcome outcome = run_on(console, config, {.directory = dir, .overwrite = true});
  return tell(
      outcome, console,
      listed(outcome, dir) +
          fmt::format(
              "Look at it: open {0}/surface.glb in Blender or any glTF viewer, or {0}/report.html in a browser.\n"
              "Change it: edit {1}, then: supple {2} {1}\n",
              dir, scene, config.curves.present ? "curves" : "simulate"));
}

}  // namespace supple
