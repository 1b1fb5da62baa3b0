// A surface file in, a tet file out.
#pragma once
#include <string>
#include <vector>

#include "supple/report/json.h"
#include "supple/tetmesh/surface_mesh.h"

namespace supple::pipeline {

struct MeshRequest {
  std::string in;   // .obj, .glb or .gltf; of a character all that is drawn, as it is bound
  std::string out;  // any tet format that can be written
  CageOptions cage;
};
struct MeshReport {
  CageReport cage;
  std::vector<std::string> notes;
  Json json() const;
  std::string text() const;  // a line a fact
};
// InputError: a file that is damaged or of the wrong kind, a surface that holds nothing, too many tets.
MeshReport mesh_file(const MeshRequest& request);

}  // namespace supple::pipeline
