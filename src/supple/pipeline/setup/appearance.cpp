#include "supple/pipeline/setup/appearance.h"

#include <filesystem>

namespace supple::pipeline {

std::string Appearance::title(const SceneConfig& config) const {
  return config.file.empty() ? "Supple run" : std::filesystem::path(config.file).stem().string();
}

void Appearance::dress(const TriMesh& mesh, MotionSource& source) const {
  source.normals = mesh.normals;
  if (source.normals.size() != mesh.vertices.size()) {
    source.normals = vertex_normals(mesh.vertices, mesh.triangles);
    source.crease_deg = kCreaseUnknown;
  }
  source.colors = mesh.colors;
  MotionLook look;
  look.color = Vec3::Constant(mesh.colors.empty() ? 0.6 : 1);
  look.n_triangles = static_cast<int>(mesh.triangles.size());
  source.looks = {look};
}

}  // namespace supple::pipeline
