// The stages of a character's setup that take time, each found in the cache (stage_cache.h) or made: tets, their blend
// for the skin, and what of them is flesh.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/attach/flesh.h"
#include "supple/attach/named_regions.h"
#include "supple/scene/config.h"
#include "supple/tetmesh/surface_mesh.h"

namespace supple::pipeline {

// Which stages were found; one that had to be made somewhere is not named.
class StagesFound {
 public:
  void note(const std::string& stage, bool found);
  std::vector<std::string> all_found() const;

 private:
  std::vector<std::pair<std::string, bool>> stages_;
};

// What [tets] says of tets that are built.
CageOptions cage_options_of(const TetsConfig& tets);

struct CageStage {
  Cage cage;
  CageReport report;
  std::string key;
};
CageStage cage_stage(const TriMesh& skin, const CageOptions& options, StagesFound& found);

// smooth_blend of the skin.
VertexBlend blend_stage(const CageStage& cage, const TriMesh& skin, StagesFound& found);

// What flesh depends on besides its cage.
std::string flesh_key(const FleshInput& input, const FleshOptions& options, const std::vector<NamedRegion>& named);
Flesh flesh_stage(const std::string& key, const std::function<Flesh()>& make, StagesFound& found);

}  // namespace supple::pipeline
