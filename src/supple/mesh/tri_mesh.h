// Triangle surfaces.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct TriMesh {
  Points vertices;
  std::vector<Tri> triangles;
  // Optional, empty or one entry a vertex.
  Points normals;
  Points colors;                                           // linear RGB in 0..1
  std::vector<Eigen::Vector2d> uvs;                        // (0, 0) is the lower left corner of the picture
  std::map<std::string, std::vector<double>> vertex_maps;  // painted scalars

  int n_vertices() const { return static_cast<int>(vertices.size()); }
};

Box bounding_box(const Points& points);
double longest_side(const Points& points);  // of the bounding box; 0 when empty

// Area that belongs to each vertex: a third of each of its triangles.
std::vector<double> vertex_areas(const TriMesh& mesh);

// Area-weighted unit vertex normals of any deformed copy of the mesh; +z where no triangle with area meets.
Points vertex_normals(const Points& vertices, const std::vector<Tri>& triangles);

}  // namespace supple
