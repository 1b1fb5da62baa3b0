// regions: what of a character is soft, and what it may be called.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/error.h"
#include "supple/base/reading_scope.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/files/soft_places.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;

namespace fs = std::filesystem;

int run_regions(const RegionsCommand& c, const Console& console) {
  SurfaceConfig surface;
  surface.file = {c.file, c.file};
  Overrides set(c.set);
  if (c.preview) set.set("tets.preset", "preview");
  const bool file = surface.is_character();
  const SceneConfig scene =
      file ? character_scene({.file = c.file, .clip = "", .set = set})
           : load_scene(fs::is_directory(c.file) ? (fs::path(c.file) / "scene.toml").string() : c.file, set);
  if (!scene.has_character())
    throw InputError({.file = c.file}, "has no animated character, whose flesh could be listed",
                     "give a .glb or .gltf, a scene of one, or the folder of a take; for tets: supple analyze");
  if (!c.out.empty() && fs::path(c.out).extension() != ".svg")
    throw InputError({.file = c.out}, "the picture is an .svg", "choose a name that ends in .svg");
  if (!c.out.empty() && fs::exists(c.out) && !c.overwrite)
    throw InputError({.file = c.out}, "is there already", "choose another name, or say --overwrite to replace it");
  const SoftPlaces places = find_soft_places(scene);
  for (const std::string& w : places.warnings) console.warn(w);
  Json json = soft_places_json(places);
  json["file"] = c.file;
  std::string text = soft_places_text(places);
  if (!c.out.empty()) {
    write_text(c.out, soft_places_svg(places));
    json["picture"] = c.out;
    text += fmt::format("Look at it: open {} in a browser\n", c.out);
  } else {
    text += fmt::format("A picture: supple regions {} -o regions.svg{}\n", c.file, reading_scope().options());
  }
  console.result(json, text);
  return 0;
}

}  // namespace supple
