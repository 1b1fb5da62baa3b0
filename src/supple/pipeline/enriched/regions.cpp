#include "supple/pipeline/enriched/regions.h"
#include "supple/pipeline/setup/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/pipeline/character/character.h"
#include "supple/pipeline/enriched/enriched.h"

namespace supple::pipeline {

std::vector<int> region_vertices(const SceneConfig& config, const EnrichInput& input, size_t k) {
  const RegionConfig& r = config.regions[k];
  const Location where = config.locate(fmt::format("region.{}.name", k));
  if (!r.selects())
    throw InputError(where, fmt::format("region {} does not say where it is", r.name),
                     "give it vertices, a painted map, a material or a mesh of the surface");
  std::vector<char> in(input.surface.vertices.size(), 1);
  const auto keep_only = [&](const std::vector<int>& vertices) {
    std::vector<char> also(in.size(), 0);
    for (int v : vertices) also[v] = in[v];
    in = also;
  };
  if (!r.vertices.empty())
    keep_only(read_vertices(input, r.vertices, config.locate(fmt::format("region.{}.vertices", k))));
  if (!r.map.empty()) {
    const PaintedValues painted = read_painted(input, {r.map, ""}, config.locate(fmt::format("region.{}.map", k)));
    std::vector<int> most;
    for (size_t i = 0; i < painted.known.size(); ++i)
      if (painted.values[i] > 0.5) most.push_back(painted.known[i]);
    keep_only(most);
  }
  for (const std::string* part : {&r.material, &r.mesh})
    if (!part->empty()) keep_only(require_vertices_of(input, *part, where));
  std::vector<int> out;
  for (size_t v = 0; v < in.size(); ++v)
    if (in[v]) out.push_back(static_cast<int>(v));
  if (out.empty())
    throw InputError(where, fmt::format("region {} has no vertex of the surface", r.name),
                     "look at its map, material and mesh");
  return out;
}

void put_enrich_regions(const SceneConfig& config, const EnrichSetup& setup, TetMesh& mesh) {
  mesh.region_names.clear();
  mesh.tet_region.clear();
  if (config.regions.empty()) return;
  const int rest = static_cast<int>(config.regions.size());
  mesh.tet_region.assign(mesh.tets.size(), rest);
  for (size_t k = 0; k < config.regions.size(); ++k) {
    mesh.region_names.push_back(config.regions[k].name);
    PaintedValues here;
    std::vector<char> in(setup.input.surface.vertices.size(), 0);
    for (int v : region_vertices(config, setup.input, k)) in[v] = 1;
    for (size_t v = 0; v < in.size(); ++v) {
      here.known.push_back(static_cast<int>(v));
      here.values.push_back(in[v]);
    }
    const std::vector<double> share = on_tets(setup, here, 0);
    for (size_t t = 0; t < mesh.tets.size(); ++t) {
      double mean = 0;
      for (int v : mesh.tets[t]) mean += share[v] / 4;
      if (mean > 0.5) mesh.tet_region[t] = static_cast<int>(k);
    }
  }
  mesh.region_names.push_back(kCoreRegion);
}

}  // namespace supple::pipeline
