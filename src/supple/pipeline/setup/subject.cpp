#include "supple/pipeline/setup/subject.h"

#include <limits>

#include "supple/anim/track_views.h"

namespace supple::pipeline {

const Appearance& Subject::appearance() const {
  static const Appearance plain;
  return plain;
}

DepartingSurface Subject::departing(const SceneConfig&, const ModelSpec& base, const DrawnSurface& surface) const {
  DepartingSurface out;
  out.mesh = surface.mesh;
  const Embedding& e = surface.embedding;
  std::vector<char> driven(base.mesh.vertices.size(), 0);
  for (int v : base.driven) driven[v] = 1;
  for (size_t v = 0; v < e.tet.size(); ++v) {
    bool hard = true;
    for (int k = 0; k < 4; ++k) hard = hard && (e.weights[v][k] == 0 || driven[base.mesh.tets[e.tet[v]][k]]);
    out.hard.push_back(hard);
  }
  out.tet = e.tet;
  return out;
}

// Regions of the scene before those of the tets; where they overlap the last one counts.
DrawnFlesh Subject::drawn_flesh(const SceneConfig& config, const ModelSpec& base, const DrawnSurface& surface) const {
  const DepartingSurface skin = departing(config, base, surface);
  const TetMesh& tets = base.mesh;
  DrawnFlesh all;
  all.names = tets.region_names;
  const int of_tets = static_cast<int>(all.names.size());
  for (const NamedRegion& r : skin.named) all.names.push_back(r.name);
  for (size_t v = 0; v < skin.hard.size(); ++v) {
    all.softness.push_back(skin.softness.empty() ? (skin.hard[v] ? 0 : 1) : skin.softness[v]);
    int region = -1;
    if (all.softness[v] > 0 && v < skin.tet.size() && !tets.tet_region.empty()) region = tets.tet_region[skin.tet[v]];
    if (region >= of_tets || (region >= 0 && all.names[region] == kCoreRegion)) region = -1;
    for (size_t k = 0; k < skin.named.size(); ++k)
      if (skin.named[k].on_skin[v]) region = of_tets + static_cast<int>(k);
    all.region.push_back(region);
  }
  if (skin.of_drawn.empty()) return all;
  DrawnFlesh out;
  out.names = std::move(all.names);
  for (const int v : skin.of_drawn) {
    out.softness.push_back(v >= 0 ? all.softness[v] : std::numeric_limits<double>::quiet_NaN());
    out.region.push_back(v >= 0 ? all.region[v] : -1);
  }
  return out;
}

std::optional<TouchingSurface> Subject::touching(const SceneConfig& config, const DrawnSurface& surface) const {
  if (config.surface.file.empty()) return std::nullopt;
  return TouchingSurface{surface.mesh, surface.embedding};
}

void split_drive(const Body& body, const std::shared_ptr<const Track>& motion, Drive& drive) {
  const int n_driven = static_cast<int>(body.spec.driven.size());
  const int n_springs = static_cast<int>(body.spec.springs.size());
  const int n_ties = static_cast<int>(body.spec.ties.size());
  if (n_driven > 0) drive.vertices = points_in_a_row(motion, 0, n_driven);
  if (n_springs > 0) drive.springs = points_in_a_row(motion, n_driven, n_springs);
  if (n_ties > 0) drive.ties = points_in_a_row(motion, n_driven + n_springs, n_ties);
}

}  // namespace supple::pipeline
