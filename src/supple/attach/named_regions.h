// Regions that somebody named, by bones, painted maps, materials and meshes, on the skin and in the flesh below it.
#pragma once
#include <string>
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/base/error.h"

namespace supple {

struct RegionRule {
  std::string name;
  std::vector<std::string> bones;  // patterns; most of a vertex's weight must be theirs. Empty: any
  std::vector<double> map;         // per skin vertex, above a half; empty: any
  std::string material, mesh;      // patterns; empty: any
  bool mirrored = false;           // what these say, on the other side
  Location where;                  // for errors
};

struct NamedRegion {
  std::string name;
  std::vector<char> on_skin;  // per skin vertex
};

// Rules that are mirrored go by the names of bones where these have sides, else by the shape. InputError: a pattern
// that matches nothing, or a region without skin.
std::vector<NamedRegion> regions_on_skin(const std::vector<RegionRule>& rules, const Drawn& drawn, const TriMesh& skin,
                                         const std::vector<int>& skin_source, const Vec3& up);

// Soft tets below the skin of a region belong to it, where regions overlap to the last one; others stay as they are.
// What they belonged to before is kept in found_region.
void put_regions(const std::vector<NamedRegion>& named, const TetMesh& cage, const TriMesh& skin, Flesh& flesh);

}  // namespace supple
