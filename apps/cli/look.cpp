// look: what one character's flesh is like, saved and put on another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "commands.h"
#include "supple/base/error.h"
#include "supple/base/printable.h"
#include "supple/base/reading_scope.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/takes/look_file.h"
#include "supple/pipeline/takes/take.h"
#include "supple/scene/read_scene.h"

namespace supple {

using namespace pipeline;

namespace {

namespace fs = std::filesystem;

bool is_character(const std::string& file) {
  SurfaceConfig s;
  s.file = {file, file};
  return s.is_character();
}

// A scene file, the folder of a take as it was run, or a character.
SceneConfig scene_of(const std::string& file, const std::vector<std::string>& set) {
  if (is_character(file)) return character_scene({.file = file, .clip = "", .set = set});
  if (!fs::is_directory(file)) return load_scene(file, set);
  return fs::exists(fs::path(file) / "report.json") ? scene_of_run(file, set)
                                                    : load_scene((fs::path(file) / "scene.toml").string(), set);
}

void refuse_existing(const std::string& out, bool overwrite) {
  if (fs::exists(out) && !overwrite)
    throw InputError({.file = out}, "is there already", "choose another name, or say --overwrite to replace it");
}

}  // namespace

int run_look_save(const LookCommand& c, const Console& console) {
  const std::string out = c.out.empty() ? "look.toml" : c.out;
  refuse_existing(out, c.overwrite);
  const SceneConfig look = look_of(scene_of(c.file, c.set));
  save_look(look, out);
  Json result;
  result["file"] = out;
  result["regions"] = Json(Json::Array{});
  for (const RegionConfig& r : look.regions) result["regions"].push_back(r.name);
  console.result(result, fmt::format("{}\nPut it on another character: supple look apply {} CHARACTER.glb{}\n", out,
                                     out, reading_scope().options()));
  return 0;
}

int run_look_apply(const LookCommand& c, const Console& console) {
  const std::string out = c.out.empty() ? fs::path(c.onto).stem().string() + "_look.toml" : c.out;
  refuse_existing(out, c.overwrite);
  const AppliedLook applied = apply_look(load_look(c.file), scene_of(c.onto, c.set));
  save_scene(applied.scene, out);
  Json result;
  result["file"] = out;
  result["matches"] = Json(Json::Array{});
  std::string text;
  for (const LookMatch& m : applied.matches) {
    Json one;
    one["region"] = m.region, one["used"] = m.used, one["how"] = m.how;
    if (m.share > 0) one["share"] = m.share, one["soft"] = m.soft;
    one["bones"] = m.bones.empty() ? Json(Json::Array{}) : Json::list(m.bones);
    one["missing"] = m.missing.empty() ? Json(Json::Array{}) : Json::list(m.missing);
    result["matches"].push_back(one);
    text += fmt::format("{:<20} {:<14} {}{}\n", printable(m.region), m.used ? "matched" : "left out", printable(m.how),
                        m.bones.empty() ? "" : printable(fmt::format(": {}", fmt::join(m.bones, ", "))));
    if (!m.missing.empty())
      text += fmt::format("{:<20} not found:     {}\n", "", printable(fmt::format("{}", fmt::join(m.missing, ", "))));
  }
  console.result(result, text + fmt::format("{0}\nRun it: supple simulate {0}{1}\n", out, reading_scope().options()));
  return 0;
}

}  // namespace supple
