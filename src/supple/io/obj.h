// Wavefront OBJ surfaces.
#pragma once
#include <string>

#include "supple/mesh/tri_mesh.h"

namespace supple {

struct ObjReport {
  int groups = 0, materials = 0;  // `g`/`o` and `usemtl` lines, which are not kept
  int polygons = 0;               // faces of more than three corners, triangulated
  int uv_seam_vertices = 0;       // vertices with several texture coordinates: the first is kept
  bool ends_in_line = false;      // no line end at the end: a file that was cut there cannot be told from a whole one
  bool normals_dropped = false;   // a vertex with several normals: none are kept
};
// Vertices in the order of the `v` lines, whatever the faces use; colours after the coordinates are kept. Texture
// coordinates and normals are brought to one a vertex. A file without faces is a point cloud.
TriMesh read_obj(const std::string& path, ObjReport* report = nullptr);
void write_obj(const std::string& path, const TriMesh& mesh);

}  // namespace supple
