#include "supple/scene/config.h"

#include "supple/mesh/sides.h"

#include <algorithm>

namespace supple {

SceneConfig::SceneConfig() = default;
SceneConfig::SceneConfig(const SceneConfig&) = default;
SceneConfig::SceneConfig(SceneConfig&&) noexcept = default;
SceneConfig& SceneConfig::operator=(const SceneConfig&) = default;
SceneConfig& SceneConfig::operator=(SceneConfig&&) noexcept = default;
SceneConfig::~SceneConfig() = default;

bool SurfaceConfig::is_character() const {
  if (!cache.empty()) return true;
  const size_t dot = file.text.rfind('.');
  std::string ending = dot == std::string::npos ? "" : file.text.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".glb" || ending == ".gltf" || ending == ".vrm";
}

namespace {

// Does something with the list of that name; false: it is none.
template <class Config, class F>
bool with_list(Config& config, const std::string& table, F&& f) {
  if (table == "region") return f(config.regions), true;
  if (table == "part") return f(config.parts), true;
  if (table == "flesh") return f(config.flesh), true;
  if (table == "tuned") return f(config.tuned), true;
  if (table == "contact.obstacle") return f(config.obstacles), true;
  if (table == "contact.plane") return f(config.planes), true;
  if (table == "body") return f(config.bodies), true;
  if (table == "live.part") return f(config.live_parts), true;
  if (table == "curves.deformer") return f(config.deformers), true;
  if (table == "curves.layer") return f(config.curve_layers), true;
  if (table == "curves.stiffness") return f(config.curve_stiffness), true;
  if (table == "curves.handle") return f(config.curve_handles), true;
  return false;
}

}  // namespace

bool is_list(const std::string& table) {
  const SceneConfig none;
  return with_list(none, table, [](const auto&) {});
}

size_t table_count(const SceneConfig& config, const std::string& table) {
  size_t n = 1;
  with_list(config, table, [&](const auto& list) { n = list.size(); });
  return n;
}

bool has_contact(const SceneConfig& config) {
  if (!config.obstacles.empty() || !config.planes.empty() || !config.bodies.empty()) return true;
  return config.contact.present && config.contact.self;
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

void set_table_count(SceneConfig& config, const std::string& table, size_t n) {
  with_list(config, table, [&](auto& list) { list.resize(n); });
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
