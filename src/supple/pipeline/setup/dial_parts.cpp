#include "supple/pipeline/setup/dial_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "supple/pipeline/setup/body.h"
#include "supple/sim/mean.h"

namespace supple::pipeline {

namespace {

// A zone reaches over this ratio of a map's values, or over more where that makes too many of them.
constexpr double kZone = 1.5;
constexpr size_t kMostZones = 8;
constexpr double kLeastZone = 0.1;   // of the volume of its region
constexpr double kHardlyAny = 1e-3;  // smaller values of a map are all one zone

bool has_damping(const RegionConfig& r) { return r.stiffness_damping.has_value(); }

bool has_own(const RegionConfig& r) {
  return r.frequency || r.amplitude || r.sag || r.half_life || r.frequency_hz || r.sag_m || r.half_life_s ||
         has_damping(r) || !r.look.empty();
}

using Zone = std::array<int, 5>;  // the group, and the step of each map

std::vector<Zone> zones_of_tets(const RegionGroups& regions, const TetMesh& mesh, const DialMaps& maps, double width) {
  std::vector<Zone> out;
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    Zone zone{regions.groups.group.empty() ? -1 : regions.groups.group[t], 0, 0, 0, 0};
    for (size_t k = 0; k < maps.size(); ++k)
      if (!maps[k].empty())
        zone[k + 1] = static_cast<int>(std::lround(std::log(std::max(maps[k].tet[t], kHardlyAny)) / std::log(width)));
    out.push_back(zone);
  }
  return out;
}

// Where a zone of little volume goes: to the nearest in value of the same region that is large enough.
std::map<Zone, Zone> without_small(const std::vector<Zone>& of_tet, const std::vector<double>& volume) {
  std::map<Zone, double> size;
  std::map<int, double> whole;
  for (size_t t = 0; t < of_tet.size(); ++t) size[of_tet[t]] += volume[t], whole[of_tet[t][0]] += volume[t];
  std::map<Zone, Zone> out;
  for (const auto& [zone, v] : size) {
    Zone best = zone;
    int least = std::numeric_limits<int>::max();
    for (const auto& [other, w] : size) {
      if (other[0] != zone[0] || w < kLeastZone * whole[zone[0]]) continue;
      int away = 0;
      for (size_t k = 1; k < zone.size(); ++k) away += std::abs(other[k] - zone[k]);
      if (away < least) least = away, best = other;
    }
    out[zone] = best;
  }
  return out;
}

double median_of(const DialMap& map, const std::vector<int>& tets) {
  std::vector<double> values;
  for (int t : tets) values.push_back(map.tet[static_cast<size_t>(t)]);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

RegionGroups groups_of_regions(const SceneConfig& config, const TetMesh& mesh, RegionsWith which) {
  RegionGroups out;
  if (which == RegionsWith::names) {
    out.groups.group = mesh.tet_region;
    for (int& g : out.groups.group)
      if (mesh.region_names[g] == kCoreRegion) g = -1;
    out.groups.names = mesh.region_names;
    for (const std::string& name : mesh.region_names) {
      const RegionConfig* r = region_named(config, name);
      out.region.push_back(r ? static_cast<int>(r - config.regions.data()) : -1);
    }
    return out;
  }
  for (size_t k = 0; k < config.regions.size(); ++k) {
    const RegionConfig& r = config.regions[k];
    if (which == RegionsWith::dials ? !has_own(r) : !has_damping(r)) continue;
    std::vector<int> sides;
    for (const std::string& name : names_of(r)) {
      const auto it = std::find(mesh.region_names.begin(), mesh.region_names.end(), name);
      if (it == mesh.region_names.end()) continue;
      if (out.groups.group.empty()) out.groups.group.assign(mesh.tets.size(), -1);
      for (size_t t = 0; t < mesh.tets.size(); ++t)
        if (mesh.tet_region[t] == it - mesh.region_names.begin())
          out.groups.group[t] = static_cast<int>(out.region.size());
      sides.push_back(static_cast<int>(out.region.size()));
      out.groups.names.push_back(name);
      out.groups.twin.push_back(-1);
      out.region.push_back(static_cast<int>(k));
    }
    if (sides.size() == 2) out.groups.twin[sides[0]] = sides[1], out.groups.twin[sides[1]] = sides[0];
  }
  return out;
}

DialMaps read_dial_maps(const SceneConfig& config, const TetMesh& mesh, Notes& notes) {
  const ControlsConfig& c = config.controls;
  return {dial_map(config, mesh, c.frequency_map, "controls.frequency_map", false, notes),
          dial_map(config, mesh, c.amplitude_map, "controls.amplitude_map", true, notes),
          dial_map(config, mesh, c.sag_map, "controls.sag_map", true, notes),
          dial_map(config, mesh, c.half_life_map, "controls.half_life_map", false, notes)};
}

bool any_map(const DialMaps& maps) {
  return std::any_of(maps.begin(), maps.end(), [](const DialMap& m) { return !m.empty(); });
}

RegionGroups cut_by_maps(RegionGroups regions, const TetMesh& mesh, const DialMaps& maps) {
  if (!any_map(maps)) return regions;
  std::vector<Zone> of_tet;
  std::map<Zone, Zone> larger;
  for (double width = kZone; larger.empty() || larger.size() > kMostZones * (regions.region.size() + 1);
       width *= width) {
    of_tet = zones_of_tets(regions, mesh, maps, width);
    larger = without_small(of_tet, tet_volumes(mesh));
    for (Zone& z : of_tet) z = larger.at(z);
    larger.clear();
    for (const Zone& z : of_tet) larger[z] = z;
  }
  RegionGroups out;
  out.groups.group.assign(mesh.tets.size(), -1);
  static constexpr std::array kNames = {"speed", "amount", "sag", "settle"};
  for (const auto& [zone, same] : larger) {
    std::vector<int> tets;
    for (size_t t = 0; t < of_tet.size(); ++t)
      if (of_tet[t] == zone)
        tets.push_back(static_cast<int>(t)), out.groups.group[t] = static_cast<int>(out.region.size());
    std::string name = zone[0] < 0 ? "body" : regions.groups.names[zone[0]];
    for (size_t k = 0; k < maps.size(); ++k)
      if (!maps[k].empty()) name += fmt::format(", {} {:.2g}", kNames[k], median_of(maps[k], tets));
    out.groups.names.push_back(name);
    out.groups.twin.push_back(-1);
    out.region.push_back(zone[0] < 0 ? -1 : regions.region[zone[0]]);
  }
  return out;
}

double mean_over(const DialMap& map, const std::vector<int>& vertices) {
  Mean mean;
  for (int v : vertices)
    if (!map.empty()) mean.add(map.vertex[static_cast<size_t>(v)], 1);
  return mean.value();
}

}  // namespace supple::pipeline
