#include "supple/pipeline/character/appearance.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "supple/io/gltf/gltf_looks.h"
#include "supple/io/gltf/gltf_read.h"

namespace supple::pipeline {

namespace {

constexpr size_t kPictureBytes = 3'000'000;

}  // namespace

std::string CharacterAppearance::title(const SceneConfig& config) const {
  const std::string name = std::filesystem::path(config.surface.file.path).stem().string();
  const bool clip = !setup_->character.clips.empty();
  return clip ? name + ": " + find_clip(setup_->character, config.surface.clip).name : name;
}

std::vector<DrawnObject> CharacterAppearance::objects() const {
  std::map<int, DrawnObject> by_node;
  for (const DrawnPrimitive& p : setup_->drawn.primitives) {
    DrawnObject& o = by_node[p.node];
    o.name = setup_->character.nodes[p.node].name, o.number = p.node;
    for (int v = 0; v < p.n_vertices; ++v) o.vertices.push_back(p.first_vertex + v);
  }
  std::vector<DrawnObject> list;
  for (auto& [node, o] : by_node) list.push_back(std::move(o));
  return list;
}

// The file's primitives with their materials; pictures and where they lie on the vertices.
void CharacterAppearance::dress(const TriMesh&, MotionSource& source) const {
  const CharacterSetup& c = *setup_;
  source.normals = c.drawn.normals;
  GltfLooks looks;
  if (!c.cached) looks = read_gltf_looks(c.character.file, kPictureBytes);
  for (const GltfPicture& p : looks.pictures) source.pictures.push_back({p.bytes, p.type});
  source.uvs.assign(static_cast<size_t>(source.n_vertices), Eigen::Vector2d::Zero());
  source.colors.assign(static_cast<size_t>(source.n_vertices), Vec3::Ones());
  bool colored = false, textured = false;
  for (const DrawnPrimitive& p : c.drawn.primitives) {
    const GltfLook look = looks.of(p.mesh, p.primitive);
    const Primitive& own = c.character.meshes[static_cast<size_t>(p.mesh)].primitives[static_cast<size_t>(p.primitive)];
    const auto n = static_cast<size_t>(p.n_vertices), first = static_cast<size_t>(p.first_vertex);
    MotionLook out{.name = look.name,
                   .color = look.color,
                   .opacity = look.opacity,
                   .cut_out = 0,
                   .picture = -1,
                   .n_triangles = p.n_triangles};
    if (look.picture >= 0 && own.uvs.size() == n) {
      out.picture = look.picture, out.cut_out = look.cut_out;
      for (size_t v = 0; v < n; ++v) source.uvs[first + v] = look.uv_to_picture * Vec3(own.uvs[v][0], own.uvs[v][1], 1);
      textured = true;
    }
    for (int a = 0; a < 3; ++a) {
      const auto map = own.maps.find(std::string("COLOR_0.") + "rgb"[a]);
      if (map == own.maps.end() || map->second.size() != n) continue;
      for (size_t v = 0; v < n; ++v) source.colors[first + v][a] = std::clamp(map->second[v], 0.0, 1.0);
      colored = true;
    }
    source.looks.push_back(std::move(out));
    if (own.normals.empty()) source.crease_deg = kCreaseUnknown;
  }
  if (!textured) source.uvs.clear();
  if (!colored) source.colors.clear();
}

}  // namespace supple::pipeline
