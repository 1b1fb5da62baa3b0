// A surface and where its vertices go: what a cache holds.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple::demos {

struct DrawnAnimation {
  TriMesh neutral;             // vertex_maps["soft"]: 1 flesh, 0 follows; the same in the red of its colors
  std::vector<Points> frames;  // one place a vertex of it
  double fps = 30;
  std::map<std::string, std::vector<int>> parts;  // vertices, ascending
};

}  // namespace supple::demos
