// enrich: a mesh animation in, the same with physics mixed in out.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/error.h"
#include "supple/scene/load.h"
#include "supple/scene/run.h"

namespace supple {

namespace {

// What the call says, as overrides. Paths of overrides start in the working directory.
std::vector<std::string> overrides(const EnrichCommand& c) {
  std::vector<std::string> set;
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) set.push_back(fmt::format("{}={}", key, json_quoted(value)));
  };
  text("surface.cache", c.cache);
  text("enrich.soft", c.soft);
  text("enrich.fixed", c.fixed);
  if (c.softness) set.push_back(fmt::format("enrich.softness={}", *c.softness));
  if (c.blend) set.push_back(fmt::format("enrich.blend={}", *c.blend));
  set.insert(set.end(), c.set.begin(), c.set.end());
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
  FinishCommand finish{.directory = c.reblend, .out = c.out, .set = overrides(c)};
  return run_finish(finish, console);
}

}  // namespace

int run_enrich(const EnrichCommand& c, const Console& console) {
  if (!c.reblend.empty()) return reblend(c, console);
  if (c.file.empty())
    throw InputError({.place = "supple enrich"}, "what is to be enriched?",
                     "give a scene, or a mesh with --cache; or --reblend a finished run");
  if (c.resume && c.out.empty()) throw InputError({.place = "--resume"}, "which run?", "Name its directory with -o.");
  const bool is_scene = std::filesystem::path(c.file).extension() == ".toml";
  const std::vector<std::string> set = overrides(c);
  const SceneConfig scene = is_scene ? load_scene(c.file, set) : load_surface_scene(c.file, set);
  if (!scene.enrich.present)
    throw InputError({.file = c.file}, "has no [enrich]: it does not say what follows and what is soft",
                     "add the table, or use supple simulate");
  RunOptions options;
  options.directory = c.out.empty() ? next_take() : c.out;
  options.overwrite = c.overwrite;
  options.resume = c.resume;
  options.strict = c.strict;
  return run_and_tell(
      scene, options, console,
      fmt::format("Show more or less of the physics: supple enrich --reblend {} --blend 0.5\n", options.directory));
}

}  // namespace supple
