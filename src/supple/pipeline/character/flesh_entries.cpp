#include "supple/pipeline/character/flesh_entries.h"

#include <algorithm>
#include <map>
#include <numbers>

#include "supple/pipeline/setup/dial_requests.h"

namespace supple::pipeline {

Parts regions_of(const SceneConfig& config, const Flesh& flesh, const Model& model) {
  PartGroups groups = groups_of_regions(config, model.mesh(), RegionsWith::names).groups;
  const auto named = [&](const std::string& name) {
    return std::any_of(config.flesh.begin(), config.flesh.end(), [&](const FleshConfig& f) { return f.bone == name; });
  };
  for (size_t t = 0; t < flesh.found_region.size(); ++t)
    if (groups.group[t] >= 0 && !named(groups.names[static_cast<size_t>(groups.group[t])]))
      groups.group[t] = flesh.found_region[t];
  return split_into_parts(model, groups);
}

std::vector<const FleshConfig*> flesh_of(const std::vector<FleshConfig>& flesh, const Parts& regions,
                                         const Parts& pieces) {
  std::map<std::string, const FleshConfig*> by_name;
  for (const FleshConfig& f : flesh) by_name.emplace(f.bone, &f);
  std::vector<const FleshConfig*> of_region(regions.list.size(), nullptr);
  std::map<int, std::pair<double, const FleshConfig*>> heaviest;
  const auto piece_of = [&](const Part& r) { return r.vertices.empty() ? -1 : pieces.of_vertex[r.vertices[0]]; };
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& r = regions.list[k];
    auto it = by_name.find(r.name);
    // Another piece of the same: "Head (2)".
    if (it == by_name.end()) it = by_name.find(r.name.substr(0, r.name.rfind(" (")));
    if (it == by_name.end()) continue;
    of_region[k] = it->second;
    auto& most = heaviest[piece_of(r)];
    if (!most.second || r.mass > most.first) most = {r.mass, it->second};
  }
  for (size_t k = 0; k < regions.list.size(); ++k) {
    if (of_region[k]) continue;
    const auto it = heaviest.find(piece_of(regions.list[k]));
    of_region[k] = it != heaviest.end() ? it->second.second : flesh.empty() ? nullptr : &flesh.front();
  }
  return of_region;
}

std::vector<double> frequencies_of(const Parts& pieces, const Parts& regions,
                                   const std::vector<const FleshConfig*>& of_region) {
  std::vector<double> wanted(pieces.list.size(), 0), heaviest(pieces.list.size(), -1);
  for (size_t k = 0; k < regions.list.size(); ++k) {
    const Part& r = regions.list[k];
    if (r.vertices.empty() || !of_region[k] || !of_region[k]->frequency_hz) continue;
    const int piece = pieces.of_vertex[r.vertices[0]];
    if (piece < 0 || r.mass <= heaviest[piece]) continue;
    heaviest[piece] = r.mass, wanted[piece] = *of_region[k]->frequency_hz;
  }
  return wanted;
}

bool has_damping(const MaterialConfig& m) { return m.half_life_s || m.stiffness_damping || m.mass_damping; }

VecX on_vertices(const Parts& pieces, const std::vector<double>& of_piece) {
  VecX out = VecX::Zero(static_cast<Eigen::Index>(pieces.of_vertex.size()));
  for (size_t k = 0; k < pieces.list.size(); ++k)
    for (int v : pieces.list[k].vertices) out[v] = of_piece[k];
  return out;
}

VecX swing_rates(const Parts& pieces, const std::vector<double>& frequency_hz) {
  return 2 * std::numbers::pi * on_vertices(pieces, frequency_hz);
}

}  // namespace supple::pipeline
