#include "supple/io/gltf/surface_file.h"

#include <filesystem>

#include "supple/anim/drawn.h"
#include "supple/base/error.h"
#include "supple/io/formats.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/obj.h"

namespace supple {

TriMesh read_surface(const std::string& path, std::vector<std::string>& notes) {
  const std::string kind = extension(path);
  if (kind != ".obj" && kind != ".glb" && kind != ".gltf")
    throw InputError({path}, "this is no surface that can be read", "Name an .obj, .glb or .gltf file.");
  if (!std::filesystem::exists(path)) throw InputError({path}, "there is no such file");
  if (kind == ".obj") return read_obj(path);
  const Character character = read_gltf(path);
  const Drawn drawn = lay_out(character);
  notes.insert(notes.end(), character.warnings.begin(), character.warnings.end());
  notes.insert(notes.end(), drawn.warnings.begin(), drawn.warnings.end());
  TriMesh surface;
  surface.vertices = drawn.vertices.rest;
  surface.triangles = drawn.triangles;
  return surface;
}

}  // namespace supple
