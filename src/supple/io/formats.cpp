#include "supple/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "supple/base/error.h"

namespace supple {

const std::vector<FileFormat>& file_formats() {
  static const std::vector<FileFormat> formats = {
      {".msh", FileKind::tets, true, true, "Gmsh 2.2 and 4.1"},
      {".node", FileKind::tets, true, true, "TetGen vertices, with the .ele beside it"},
      {".ele", FileKind::tets, true, true, "TetGen elements, with the .node beside it"},
      {".veg", FileKind::tets, true, true, "VegaFEM"},
      {".mesh", FileKind::tets, true, true, "Medit"},
      {".vtk", FileKind::tets, true, true, "VTK legacy unstructured grid"},
      {".vtu", FileKind::tets, false, true, "VTK XML unstructured grid"},
      {".obj", FileKind::surface, true, true, "Wavefront OBJ"},
      {".glb", FileKind::surface, true, true, "glTF 2.0, binary"},
      {".gltf", FileKind::surface, true, false, "glTF 2.0"},
      {".usda", FileKind::surface, false, true, "USD, text"},
      {".pc2", FileKind::cache, true, true, "point cache 2"},
      {".mdd", FileKind::cache, true, true, "motion designer data"},
      {".bvh", FileKind::motion, true, false, "motion capture, BVH"},
  };
  return formats;
}

std::string extension(const std::string& path) {
  std::string ext = std::filesystem::path(path).extension().string();
  std::transform(ext.begin(), ext.end(), ext.begin(), [](unsigned char c) { return std::tolower(c); });
  return ext;
}

FileKind file_kind(const std::string& path) {
  const std::string ext = extension(path);
  for (const FileFormat& f : file_formats()) {
    if (f.extension == ext) return f.kind;
  }
  return FileKind::unknown;
}

FileKind require_known_kind(const std::string& path) {
  const FileKind kind = file_kind(path);
  if (kind != FileKind::unknown) return kind;
  auto list = [](FileKind k) {
    std::string text;
    for (const FileFormat& f : file_formats()) {
      if (f.kind == k) text += (text.empty() ? "" : " ") + f.extension;
    }
    return text;
  };
  const std::string ending = extension(path);
  throw InputError({path, 0, 0, ""},
                   path.empty()     ? "the name of the file is empty"
                   : ending.empty() ? "the name has no extension, which would tell what it is"
                                    : fmt::format("the extension \"{}\" is not known", ending),
                   fmt::format("Tets: {}. Surfaces: {}. Caches: {}. Motions: {}.", list(FileKind::tets),
                               list(FileKind::surface), list(FileKind::cache), list(FileKind::motion)));
}

}  // namespace supple
