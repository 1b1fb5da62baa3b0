#include <fmt/format.h>

#include <set>

#include "supple/scene/load.h"
#include "supple/scene/schema.h"

namespace supple {

void check_consistency(const SceneConfig& scene, std::vector<InputError>& problems) {
  for (const auto& pair : exclusive_keys()) {
    if (!scene.is_set(pair[0]) || !scene.is_set(pair[1])) continue;
    problems.emplace_back(scene.locate(pair[1]), fmt::format("{} and {} exclude one another", pair[0], pair[1]),
                          "Leave one of them out.");
  }
  const auto missing = [&](const std::string& key, const std::string& what, const std::string& advice) {
    problems.emplace_back(scene.locate(key), what, advice);
  };
  if (scene.tets.file.empty())
    missing("tets.file", "there is nothing to simulate", "Give [tets] file = \"body.msh\" or the like.");
  for (const char* motion : {"attach.track", "attach.rigid", "attach.stiffness"}) {
    if (scene.is_set(motion) && scene.attach.vertices.empty() && scene.attach.points.empty())
      missing(motion, fmt::format("{} has nothing to act on", motion), "Give [attach] vertices or points.");
  }
  std::set<std::string> names;
  for (size_t k = 0; k < scene.regions.size(); ++k) {
    const std::string& name = scene.regions[k].name;
    if (!name.empty() && !names.insert(name).second)
      missing(fmt::format("region.{}.name", k), fmt::format("there are two regions named \"{}\"", name), "Merge them.");
  }
}

}  // namespace supple
