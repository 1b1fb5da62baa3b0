#include "supple/pipeline/enriched/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "supple/base/error.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/pipeline/character/scale.h"
#include "supple/pipeline/enriched/input_steps.h"

namespace supple::pipeline {

namespace {

// Lists of vertices by name; what has the same name is one.
class PartLists {
 public:
  explicit PartLists(EnrichInput& in) : in_(in) {}
  void add(const std::string& name, int first, int n) {
    if (name.empty()) return;
    const auto [found, is_new] = numbers_.emplace(name, in_.parts.size());
    if (is_new) in_.part_names.push_back(name), in_.parts.emplace_back();
    std::vector<int>& part = in_.parts[found->second];
    for (int v = first; v < first + n; ++v) part.push_back(v);
  }
  void finish() {
    for (std::vector<int>& part : in_.parts) {
      std::sort(part.begin(), part.end());
      part.erase(std::unique(part.begin(), part.end()), part.end());
    }
  }

 private:
  EnrichInput& in_;
  std::map<std::string, size_t> numbers_;
};

double scale_of_surface(const SceneConfig& config, const Points& vertices) {
  const SurfaceConfig& s = config.surface;
  if (s.scale || !s.height) return s.scale.value_or(1);
  const double height = bounding_box(vertices).size().dot(up_of(config.world));
  if (!(height > 0)) throw InputError({.file = s.file.text}, "the surface has no height", "give surface.scale instead");
  return *s.height / height;
}

void read_neutral_obj(const SceneConfig& config, EnrichInput& in, NeutralFile& file) {
  std::vector<ObjPart> parts;
  in.surface = read_obj(config.surface.file.path, &file.obj, &parts);
  for (ObjPart& part : parts) {
    in.part_names.push_back(std::move(part.name));
    in.parts.push_back(std::move(part.vertices));
  }
  for (int axis = 0; axis < 3; ++axis)
    for (const Vec3& color : in.surface.colors)
      in.surface.vertex_maps[std::string("COLOR_0.") + "rgb"[axis]].push_back(color[axis]);
  in.scale = scale_of_surface(config, in.surface.vertices);
  for (Vec3& x : in.surface.vertices) x *= in.scale;
}

// Everything that is drawn, joined in the order of the file.
void read_neutral_gltf(const SceneConfig& config, EnrichInput& in, NeutralFile& file) {
  in.character = std::make_shared<const Character>(read_gltf(config.surface.file.path));
  const Character& character = *in.character;
  file.moves = !character.clips.empty();
  in.scale = scale_of(config, character);
  file.drawn = lay_out(character, in.scale);
  const Drawn& drawn = file.drawn;
  in.warnings = character.warnings;
  in.warnings.insert(in.warnings.end(), drawn.warnings.begin(), drawn.warnings.end());
  in.surface.vertices = drawn.vertices.rest;
  in.surface.triangles = drawn.triangles;
  in.surface.normals = drawn.normals;
  const size_t n = in.surface.vertices.size();
  PartLists parts(in);
  for (const DrawnPrimitive& p : drawn.primitives) {
    const Primitive& source = character.meshes[p.mesh].primitives[p.primitive];
    for (const std::string& name : {p.material, p.mesh_name, character.nodes[p.node].name})
      parts.add(name, p.first_vertex, p.n_vertices);
    for (const auto& [name, values] : source.maps) {
      std::vector<double>& map = in.surface.vertex_maps[name];
      map.resize(n, std::numeric_limits<double>::quiet_NaN());
      std::copy(values.begin(), values.end(), map.begin() + p.first_vertex);
    }
    if (source.uvs.empty()) continue;
    in.surface.uvs.resize(n, Eigen::Vector2d::Zero());
    std::copy(source.uvs.begin(), source.uvs.end(), in.surface.uvs.begin() + p.first_vertex);
  }
  parts.finish();
}

}  // namespace

NeutralFile read_neutral(const SceneConfig& config, EnrichInput& in) {
  const FilePath& surface = config.surface.file;
  if (surface.empty())
    throw InputError(config.locate("surface.file"), "there is no surface to enrich",
                     "give [surface] file = \"body.obj\", or an animated .glb or .gltf");
  NeutralFile file;
  const std::string kind = extension(surface.path);
  if (kind == ".obj") {
    read_neutral_obj(config, in, file);
  } else if (kind == ".glb" || kind == ".gltf") {
    read_neutral_gltf(config, in, file);
  } else {
    throw InputError(config.locate("surface.file"), fmt::format("'{}' is no surface that can be read", surface.text),
                     "name an .obj, .glb or .gltf file");
  }
  if (in.surface.triangles.empty())
    throw InputError({.file = surface.text}, "the surface has no faces", "export it with its faces");
  file.size = longest_side(in.surface.vertices);
  if (!(file.size > 0)) throw InputError({.file = surface.text}, "all vertices of the surface are at one place");
  return file;
}

bool EnrichInput::moves_all() const {
  return std::count_if(vertex.begin(), vertex.end(), [](int v) { return v >= 0; }) == surface.n_vertices();
}

EnrichInput read_enrich_input(const SceneConfig& config) {
  EnrichInput in;
  const NeutralFile file = read_neutral(config, in);
  const MovedPoints moved = find_moved_points(config, in, file);
  in.vertex = moved.vertex;
  in.points = moved.points;
  read_frames(config, file, moved, in);
  in.welded = in.character && config.surface.cache.empty() ? weld_by_bones(file.drawn) : weld_by_frames(in, file.size);
  return in;
}

}  // namespace supple::pipeline
