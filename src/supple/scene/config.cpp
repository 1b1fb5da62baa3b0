#include "supple/scene/config.h"

#include "supple/attach/sides.h"

#include <algorithm>

namespace supple {

bool SurfaceConfig::is_character() const {
  if (!cache.empty()) return true;
  const size_t dot = file.text.rfind('.');
  std::string ending = dot == std::string::npos ? "" : file.text.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".glb" || ending == ".gltf";
}

bool is_list(const std::string& table) { return table == "region" || table == "part" || table == "flesh"; }

size_t table_count(const SceneConfig& config, const std::string& table) {
  return table == "region"  ? config.regions.size()
         : table == "part"  ? config.parts.size()
         : table == "flesh" ? config.flesh.size()
                            : 1;
}

Location SceneConfig::locate(const std::string& key) const {
  const auto found = where.find(key);
  if (found != where.end()) return found->second;
  Location place;
  place.file = file;
  place.place = "key " + key;
  return place;
}

Vec3 up_of(const WorldConfig& world) {
  return world.up == "x" ? Vec3::UnitX() : world.up == "z" ? Vec3::UnitZ() : Vec3::UnitY();
}

void add_table(SceneConfig& config, const std::string& table) {
  if (table == "region") config.regions.emplace_back();
  if (table == "part") config.parts.emplace_back();
  if (table == "flesh") config.flesh.emplace_back();
}

std::vector<std::string> names_of(const RegionConfig& region) {
  if (!region.mirror) return {region.name};
  const std::string other = other_side(region.name);
  return {region.name, other == region.name ? region.name + ".other" : other};
}

const RegionConfig* region_named(const SceneConfig& config, const std::string& name) {
  for (const RegionConfig& r : config.regions)
    for (const std::string& n : names_of(r))
      if (n == name) return &r;
  return nullptr;
}

Vec3 gravity_of(const WorldConfig& world) { return world.gravity.value_or(-9.81 * up_of(world)); }

std::optional<double> half_life_of(const MaterialConfig& material) {
  if (material.half_life_s) return material.half_life_s;
  if (material.stiffness_damping || material.mass_damping) return std::nullopt;
  return 0.2;
}

}  // namespace supple
