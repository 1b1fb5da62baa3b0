// Which parts of a body have dials of their own: regions, and where a map varies a dial the zones of about one value.
#pragma once
#include <array>
#include <vector>

#include "supple/pipeline/setup/maps.h"
#include "supple/sim/parts.h"

namespace supple::pipeline {

// Regions as groups; names[i] is regions[region[i]].name, -1: the scene says nothing of it.
struct RegionGroups {
  PartGroups groups;
  std::vector<int> region;
};
enum class RegionsWith {
  dials,    // or damping of their own
  damping,  // of their own: those that are apart in the scene without dials
  names,    // all of the mesh
};
RegionGroups groups_of_regions(const SceneConfig& config, const TetMesh& mesh, RegionsWith which = RegionsWith::dials);

// The same regions cut where a map leads from one value of a dial to another. maps: of frequency, amplitude, sag,
// half-life.
using DialMaps = std::array<DialMap, 4>;
DialMaps read_dial_maps(const SceneConfig& config, const TetMesh& mesh, Notes& notes);
bool any_map(const DialMaps& maps);
RegionGroups cut_by_maps(RegionGroups regions, const TetMesh& mesh, const DialMaps& maps);

// The mean of a map over vertices; 1 without a map.
double mean_over(const DialMap& map, const std::vector<int>& vertices);

}  // namespace supple::pipeline
