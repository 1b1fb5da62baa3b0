#include <fmt/format.h>

#include <set>

#include "supple/scene/consistency.h"
#include "supple/scene/schema.h"

namespace supple {

void check_raw(const SceneConfig& scene, std::vector<InputError>& problems) {
  if (!scene.expert.raw()) return;
  const char* raw = scene.expert.chi ? "chi" : scene.expert.mu ? "mu" : scene.expert.ck ? "ck" : "inertia_scale";
  const auto refuse = [&](const std::string& key, const std::string& name) {
    problems.emplace_back(scene.locate(key), fmt::format("{} has no say beside expert.{}", name, raw),
                          "Leave it out, or all of expert.chi, mu, ck and inertia_scale.");
  };
  for (const KeySpec& spec : scene_keys()) {
    if (spec.table == "controls") {
      SceneConfig copy = scene;
      if (scene.is_set(spec.name()) || toml_value(spec, copy, 0, "") != default_of(spec))
        refuse(spec.name(), spec.name());
    }
    if (spec.table != "region" || !find_key("controls", spec.key)) continue;
    for (size_t k = 0; k < scene.regions.size(); ++k) {
      SceneConfig copy = scene;
      if (!toml_value(spec, copy, k, "").empty()) refuse(fmt::format("region.{}.{}", k, spec.key), spec.name());
    }
  }
  for (size_t k = 0; k < scene.tuned.size(); ++k) refuse(fmt::format("tuned.{}.part", k), "tuned.part");
}

namespace {

void check_contact(const SceneConfig& scene, std::vector<InputError>& problems) {
  const auto wrong = [&](const std::string& key, const std::string& what, const std::string& advice) {
    problems.emplace_back(scene.locate(key), what, advice);
  };
  for (size_t k = 0; k < scene.obstacles.size(); ++k) {
    const ObstacleConfig& o = scene.obstacles[k];
    const std::string key = fmt::format("contact.obstacle.{}.", k);
    SurfaceConfig as_surface;
    as_surface.file = o.file;
    if (!o.clip.empty() && !as_surface.is_character())
      wrong(key + "clip", "only a .glb or .gltf has clips", "Leave it out, or give a cache.");
    if (!o.cache.empty() && as_surface.is_character())
      wrong(key + "cache", "a .glb or .gltf moves by its clips", "Leave it out, or give the .obj it belongs to.");
  }
  for (size_t k = 0; k < scene.planes.size(); ++k)
    if (scene.planes[k].normal && !(scene.planes[k].normal->norm() > 1e-12))
      wrong(fmt::format("contact.plane.{}.normal", k), "the normal has no direction", "Give one, as [0, 1, 0].");
  std::set<std::string> names;
  for (size_t k = 0; k < scene.bodies.size(); ++k) {
    const BodyConfig& b = scene.bodies[k];
    const std::string key = fmt::format("body.{}.", k);
    if (!names.insert(b.name).second)
      wrong(key + "name", fmt::format("there are two bodies named \"{}\"", b.name), "Give each a name of its own.");
    if (b.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
        std::string::npos)
      wrong(key + "name", fmt::format("\"{}\" cannot be part of a file's name", b.name),
            "Use letters, digits, - and _.");
    if (b.rigid)
      for (const char* own : {"edge", "material.youngs_modulus", "material.poisson_ratio", "material.half_life_s",
                              "material.stiffness_damping"})
        if (scene.is_set(key + own))
          wrong(key + own, fmt::format("body.{} has no say of a rigid body", own), "Leave it out, or rigid.");
    if (b.rigid && scene.material.model == "linear")
      wrong(key + "rigid", "a rigid body turns, and the linear material does not", "Choose another material.model.");
  }
}

void check_enrich(const SceneConfig& scene, std::vector<InputError>& problems) {
  const auto wrong = [&](const std::string& key, const std::string& what, const std::string& advice) {
    problems.emplace_back(scene.locate(key), what, advice);
  };
  if (scene.surface.file.empty())
    wrong("surface.file", "[enrich] needs a surface", "Give [surface] file: the neutral mesh, an .obj or a .glb.");
  if (!scene.enrich.tracked.empty() && !scene.enrich.points.empty())
    wrong("enrich.points", "enrich.tracked and enrich.points exclude one another", "Leave one of them out.");
  if (scene.surface.cache.empty())
    for (const char* key : {"enrich.tracked", "enrich.points"})
      if (scene.is_set(key))
        wrong(key, fmt::format("{} says what surface.cache moves, and there is none", key), "Give surface.cache.");
  for (size_t k = 0; k < scene.regions.size(); ++k)
    if (!scene.regions[k].selects())
      wrong(fmt::format("region.{}.name", k), fmt::format("region {} does not say where it is", scene.regions[k].name),
            "Give it vertices, a painted map, a material or a mesh of the surface.");
  for (size_t k = 0; k < scene.regions.size(); ++k)
    if (scene.regions[k].youngs_modulus && !scene.material.youngs_modulus)
      wrong(fmt::format("region.{}.youngs_modulus", k),
            "a region has a Young's modulus while that of the rest follows from its frequency",
            "Give frequency_hz here, or [material] youngs_modulus.");
  if (scene.surface.rest.frame >= 0 || !scene.surface.rest.file.empty())
    wrong("surface.rest", "an enriched surface is without stress in its neutral shape",
          "Say \"authored\" or \"weightless\", and give another surface.file.");
}

}  // namespace

void check_consistency(const SceneConfig& scene, std::vector<InputError>& problems) {
  const auto exclude = [&](const std::string& a, const std::string& b, const std::string& prefix) {
    if (!scene.is_set(prefix + a) || !scene.is_set(prefix + b)) return;
    const std::string table = prefix.substr(0, prefix.find('.') + 1);
    problems.emplace_back(scene.locate(prefix + b), fmt::format("{0}{1} and {0}{2} exclude one another", table, a, b),
                          "Leave one of them out.");
  };
  for (const auto& pair : exclusive_keys()) {
    const size_t dot = pair[0].find('.');
    const std::string table = pair[0].substr(0, dot);
    if (!is_list(table)) {
      exclude(pair[0], pair[1], "");
    } else {
      for (size_t k = 0; k < table_count(scene, table); ++k)
        exclude(pair[0].substr(dot + 1), pair[1].substr(dot + 1), fmt::format("{}.{}.", table, k));
    }
  }
  check_raw(scene, problems);
  if (scene.material.anti_locking == "matched" &&
      (scene.curves.present || scene.enrich.present || scene.tets.file.empty()))
    problems.emplace_back(scene.locate("material.anti_locking"), "anti_locking is matched for tets from a file only",
                          "Say true or false.");
  if (scene.curves.present) {
    check_curves(scene, problems);
    check_contact(scene, problems);
    return;
  }
  const auto missing = [&](const std::string& key, const std::string& what, const std::string& advice) {
    problems.emplace_back(scene.locate(key), what, advice);
  };
  const bool character = scene.has_character(), enrich = scene.enrich.present;
  if (!scene.surface.cache.empty() && scene.surface.file.empty())
    missing("surface.cache", "surface.cache moves the vertices of a surface, and there is none",
            "Give [surface] file = \"body.obj\", with as many vertices.");
  SurfaceConfig alone = scene.surface;
  alone.cache = {};
  if (!scene.surface.cache.empty() && alone.is_character() && !enrich)
    missing("surface.cache", "a character of a .glb or .gltf moves by its clips",
            "Leave surface.cache out, or draw the .obj that the cache belongs to.");
  if (enrich) check_enrich(scene, problems);
  if (scene.tets.file.empty() && !character && !enrich)
    missing("tets.file", "there is nothing to simulate",
            "Give [tets] file = \"body.msh\" or the like, or an animated character: [surface] file = \"fox.glb\".");
  if (!scene.tets.file.empty() && character)
    missing("tets.file", "the tets of a character are built from it",
            "Leave [tets] file out, or draw an .obj surface.");
  // Keys that say something of a character only, and those that say nothing of one.
  const auto idle = [&](std::initializer_list<const char*> keys, const std::string& what) {
    for (const char* key : keys)
      if (scene.is_set(key)) missing(key, fmt::format("{} {}", key, what), "Leave it out.");
  };
  if (!enrich)
    for (size_t k = 0; k < scene.regions.size(); ++k)
      if (!scene.regions[k].vertices.empty())
        missing(fmt::format("region.{}.vertices", k), "region.vertices is for what is enriched",
                "Leave it out, or add [enrich].");
  if (enrich) {
    idle({"attach.vertices",     "attach.track",    "attach.rigid",      "attach.points",   "attach.stiffness",
          "attach.joints",       "attach.radius",   "attach.soft",       "attach.trail",    "attach.hold",
          "attach.only",         "attach.trailing", "material.swing",    "output.shape",    "output.limit",
          "output.mix_map",      "output.accuracy", "output.max_growth", "output.max_size", "output.max_targets",
          "timeline.test_motion"},
         "has no say where an animation is enriched");
    for (size_t k = 0; k < scene.parts.size(); ++k)
      missing(fmt::format("part.{}.match", k), "[[part]] has no say where an animation is enriched", "Leave it out.");
    for (size_t k = 0; k < scene.flesh.size(); ++k)
      missing(fmt::format("flesh.{}.bone", k), "[[flesh]] has no say where an animation is enriched", "Leave it out.");
    for (size_t k = 0; k < scene.regions.size(); ++k)
      for (const char* key : {"bones", "place", "mirror"})
        if (scene.is_set(fmt::format("region.{}.{}", k, key)))
          missing(fmt::format("region.{}.{}", k, key),
                  fmt::format("region.{} needs an animated character as surface", key), "Leave it out.");
  } else if (character) {
    idle({"tets.repair", "tets.scale"}, "has no say where the surface is an animated character");
    for (size_t k = 0; k < scene.regions.size(); ++k)
      if (scene.regions[k].youngs_modulus && !scene.material.youngs_modulus)
        missing(fmt::format("region.{}.youngs_modulus", k),
                "a region has a Young's modulus while that of the rest follows from its frequency",
                "Give frequency_hz or frequency here, or [material] youngs_modulus.");
  } else {
    idle({"surface.clip",    "surface.height",    "surface.rest",    "tets.edge",         "tets.count",
          "tets.preset",     "tets.graded",       "tets.keep_apart", "tets.smooth",       "attach.joints",
          "attach.radius",   "attach.soft",       "attach.trail",    "attach.hold",       "attach.only",
          "attach.trailing", "material.swing",    "output.shape",    "output.limit",      "output.mix_map",
          "output.accuracy", "output.max_growth", "output.max_size", "output.max_targets"},
         "needs an animated character as surface");
    for (size_t k = 0; k < scene.parts.size(); ++k)
      missing(fmt::format("part.{}.match", k), "[[part]] needs an animated character as surface", "Leave it out.");
    for (size_t k = 0; k < scene.flesh.size(); ++k)
      missing(fmt::format("flesh.{}.bone", k), "[[flesh]] needs an animated character as surface", "Leave it out.");
    for (size_t k = 0; k < scene.regions.size(); ++k)
      for (const char* key : {"bones", "map", "material", "mesh", "place", "mirror", "soft"})
        if (scene.is_set(fmt::format("region.{}.{}", k, key)))
          missing(fmt::format("region.{}.{}", k, key),
                  fmt::format("region.{} needs an animated character as surface", key), "Leave it out.");
  }
  if (scene.is_set("attach.radius") && scene.attach.joints.empty())
    missing("attach.radius", "attach.radius has nothing to act on", "Give [attach] joints.");
  if (scene.is_set("attach.trail") && scene.attach.trailing == "off")
    missing("attach.trail", "attach.trail has nothing to act on where nothing trails",
            "Leave it out, or let attach.trailing be drag or bounce.");
  for (const char* motion : {"attach.track", "attach.rigid", "attach.stiffness"}) {
    if (scene.is_set(motion) && scene.attach.vertices.empty() && scene.attach.points.empty())
      missing(motion, fmt::format("{} has nothing to act on", motion), "Give [attach] vertices or points.");
  }
  std::set<std::string> tuned;
  for (size_t k = 0; k < scene.tuned.size(); ++k)
    if (!tuned.insert(scene.tuned[k].part).second)
      missing(fmt::format("tuned.{}.part", k), fmt::format("part \"{}\" is tuned twice", scene.tuned[k].part),
              "Keep one of them.");
  std::set<std::string> names;
  for (size_t k = 0; k < scene.regions.size(); ++k) {
    const std::string& name = scene.regions[k].name;
    if (!name.empty() && !names.insert(name).second)
      missing(fmt::format("region.{}.name", k), fmt::format("there are two regions named \"{}\"", name), "Merge them.");
  }
  check_contact(scene, problems);
}

}  // namespace supple
