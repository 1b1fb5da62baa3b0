#include <fmt/format.h>

#include "supple/scene/schema.h"
#include "supple/scene/write_scene.h"

namespace supple {

std::string to_toml(const SceneConfig& config, const std::string& directory) {
  SceneConfig scene = config;  // the table gives places to write to
  std::string out;
  for (const std::string& table : scene_tables()) {
    const bool list = is_list(table);
    for (size_t element = 0; element < table_count(scene, table); ++element) {
      std::string body;
      for (const KeySpec& spec : scene_keys()) {
        if (spec.table != table) continue;
        const std::string value = toml_value(spec, scene, element, directory);
        if (!value.empty() && value != default_of(spec)) body += fmt::format("{} = {}\n", spec.key, value);
      }
      // Some say what they say by being there.
      if (body.empty() && !(table == "contact" && scene.contact.present) && table != "contact.plane" &&
          !(table == "enrich" && scene.enrich.present) && !(table == "curves" && scene.curves.present))
        continue;
      if (!out.empty()) out += '\n';
      out += (list ? "[[" + table + "]]\n" : "[" + table + "]\n") + body;
    }
  }
  return out;
}

}  // namespace supple
