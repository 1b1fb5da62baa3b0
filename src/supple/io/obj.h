// Wavefront OBJ surfaces.
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple {

struct ObjReport {
  int groups = 0, materials = 0;  // `g`/`o` and `usemtl` lines
  int polygons = 0;               // faces of more than three corners, triangulated
  int uv_seam_vertices = 0;       // vertices with several texture coordinates: the first is kept
  int split_vertices = 0;         // vertices there would be if each had one texture coordinate and one normal
  bool ends_in_line = false;      // no line end at the end: a file that was cut there cannot be told from a whole one
  bool normals_dropped = false;   // a vertex with several normals: none are kept
};
// What an object, a group or a material is given to. A face may be in several.
struct ObjPart {
  std::string name;
  std::vector<int> vertices;  // of its faces, ascending
};
// Vertices in the order of the `v` lines, whatever the faces use; colours after the coordinates are kept. Texture
// coordinates and normals are brought to one a vertex. A file without faces is a point cloud. parts: those that have
// faces, in the order they are first named; what has the same name is one.
TriMesh read_obj(const std::string& path, ObjReport* report = nullptr, std::vector<ObjPart>* parts = nullptr);
void write_obj(const std::string& path, const TriMesh& mesh);

}  // namespace supple
