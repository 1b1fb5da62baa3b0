// run: a character in, the same character with soft tissue out.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "outcome.h"
#include "supple/base/error.h"
#include "supple/base/printable.h"
#include "supple/base/reading_scope.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/run/run_character.h"

namespace supple {

using namespace pipeline;

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
    text += fmt::format("{:3}  {:<40} {:7.2f} s at {:g} a second\n", k, printable(clips[k].name), clips[k].seconds,
                        clips[k].fps);
  }
  Json result;
  result["clips"] = list;
  console.result(result, clips.empty() ? "no clips\n" : text);
  return 0;
}

// "NAME:key=value,key=value": the name ends at the last colon before the first value, as names have colons too; commas
// in brackets and quotes are of a value.
void add_region(const std::string& text, Overrides& set) {
  const size_t equals = Override::end_of_key(text), colon = text.rfind(':', equals);
  if (equals == std::string::npos || colon == std::string::npos || colon == 0)
    throw InputError({.place = "--region " + text}, "not of the form NAME:key=value,...",
                     "For example --region belly:amplitude=2,frequency=0.7");
  std::string name = text.substr(0, colon);
  if (name.size() > 1 && (name.front() == '"' || name.front() == '\'') && name.back() == name.front())
    name = name.substr(1, name.size() - 2);
  std::string part;
  int depth = 0;
  char quote = 0;
  for (const char letter : text.substr(colon + 1) + ",") {
    if (quote) {
      if (letter == quote) quote = 0;
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (letter == '[' || letter == ']') {
      depth += letter == '[' ? 1 : -1;
    }
    if (letter != ',' || depth > 0 || quote) {
      part += letter;
      continue;
    }
    set.set_region(name, part);
    part.clear();
  }
  if (!part.empty())
    throw InputError({.place = "--region " + text}, "a quote or bracket is not closed",
                     "Close it, or put the value in quotes: mesh=\"Bob's body\"");
}

}  // namespace

int run_run(const RunCommand& c, const Console& console) {
  if (c.list_clips) return list_clips(c.file, console);
  RunCharacterRequest request{.file = c.file, .clip = c.clip, .set = c.set};
  Overrides& set = request.set;
  set.set_given("surface.height", c.height);
  set.set_given("material.look", c.look);
  set.set_given("attach.trail", c.trail);
  set.set_given("attach.only", c.only);
  set.set_given("attach.hold", c.hold);
  set.set_given("attach.trailing", c.trailing);
  set.set_given("attach.soft", c.soft);
  for (const std::string& region : c.region) add_region(region, set);
  if (c.preview) set.set("tets.preset", "preview");
  set.set_given("controls.frequency", c.frequency);
  set.set_given("controls.amplitude", c.amplitude);
  set.set_given("controls.sag", c.sag);
  set.set_given("controls.half_life", c.half_life);
  set.set_given("output.max_size", c.max_size);
  const SceneConfig scene = character_scene(request);
  const ResultFolder directory = folder_of_results(c.directory, c.resume, "--take", c.from.has_value());
  const OutputFolder folder{.directory = directory.path(),
                            .overwrite = c.overwrite,
                            .resume = c.resume,
                            .from = c.from,
                            .product = Product::soft_character,
                            .glb = c.out.empty() ? fs::path(c.file).stem().string() + "_soft.glb" : c.out,
                            .all_clips = c.clip == "all",
                            .replace = c.replace};
  const Outcome outcome = run_on(console, scene, folder);
  std::string text;
  for (const std::string& line : outcome.lines) text += printable(line) + "\n";
  text += "Look at it: open it in Blender or any glTF viewer and change between the clips";
  const std::string take = outcome.takes.size() == 1 ? folder.directory : folder.directory + "/CLIP";
  if (scene.output.report) text += fmt::format(", or open {}/report.html", take);
  text += fmt::format(".\nChange it: edit {0}/scene.toml, then: supple simulate {0}/scene.toml{1}\n", take,
                      reading_scope().options());
  return tell(outcome, console, text, c.strict);
}

}  // namespace supple
