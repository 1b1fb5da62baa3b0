#include "supple/pipeline/setup/subject.h"

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
