// enrich: a mesh animation in, the same with physics mixed in out.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "outcome.h"
#include "supple/base/error.h"
#include "supple/base/reading_scope.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;

namespace {

// What the call says. Paths start in the working directory.
Overrides overrides(const EnrichCommand& c) {
  Overrides set;
  set.set_given("surface.cache", c.cache);
  set.set_given("enrich.soft", c.soft);
  set.set_given("enrich.fixed", c.fixed);
  set.set_given("enrich.softness", c.softness);
  set.set_given("enrich.blend", c.blend);
  set.add(c.set);
  return set;
}

int reblend(const EnrichCommand& c, const Console& console) {
  const std::pair<const char*, bool> idle[] = {{"FILE", !c.file.empty()},    {"--cache", !c.cache.empty()},
                                               {"--soft", !c.soft.empty()},  {"--fixed", !c.fixed.empty()},
                                               {"--softness", !!c.softness}, {"--resume", c.resume}};
  for (const auto& [name, given] : idle)
    if (given)
      throw InputError({.place = name}, "has no say with --reblend, which simulates nothing",
                       "give --blend, or --set enrich.blend_map=..., enrich.blend_keys=..., enrich.detail=...");
  return finish_and_tell({.directory = c.reblend, .set = overrides(c)}, c.out, console);
}

}  // namespace

int run_enrich(const EnrichCommand& c, const Console& console) {
  if (!c.reblend.empty()) return reblend(c, console);
  if (c.file.empty())
    throw InputError({.place = "supple enrich"}, "what is to be enriched?",
                     "give a scene, or a mesh with --cache; or --reblend a finished run");
  const bool is_scene = std::filesystem::path(c.file).extension() == ".toml";
  const Overrides set = overrides(c);
  const SceneConfig scene = is_scene ? load_scene(c.file, set) : load_surface_scene(c.file, set);
  if (!scene.enrich.present)
    throw InputError({.file = c.file}, "has no [enrich]: it does not say what follows and what is soft",
                     "add the table, or use supple simulate");
  const ResultFolder directory = folder_of_results(c.out, c.resume, "-o", c.from.has_value());
  const OutputFolder folder{
      .directory = directory.path(), .overwrite = c.overwrite, .resume = c.resume, .from = c.from};
  const Outcome outcome = run_on(console, scene, folder);
  return tell(outcome, console,
              listed(outcome, folder.directory) +
                  fmt::format("Show more or less of the physics: supple enrich --reblend {} --blend 0.5{}\n",
                              folder.directory, reading_scope().options()),
              c.strict);
}

}  // namespace supple
