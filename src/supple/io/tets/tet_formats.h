// Tet meshes from and to files. The extension chooses the format:
//   .msh        Gmsh 2.x and 4.1, text or binary. Physical groups are regions; node and element data are maps.
//   .node .ele  TetGen, both files, either one named. Node attributes and markers are maps, the first element
//               attribute is the region when it is a whole number.
//   .veg        VegaFEM. Sets with a material are regions; youngs_modulus [Pa], poisson_ratio, density [kg/m^3] are
//   maps. .mesh       Medit, text. The reference number of a tet is its region. .vtk        legacy unstructured grid,
//   text or binary, up to version 5.1. Scalars are maps; a cell array "region"
//               of whole numbers is the region.
//   .vtu        written only (vtu.h).
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/tet_mesh.h"

namespace supple {

// The tets of a file in its vertex order, as they are: judging and repairing is mesh/quality.h. Elements other than
// tets are left out; of higher-order tets the corners are kept. A region without a name gets its number as name.
// Things left out are told in notes. Throws InputError for a file that is damaged, truncated or inconsistent.
TetMesh read_tet_mesh(const std::string& path, std::vector<std::string>* notes = nullptr);

enum class MshVersion { v2_2, v4_1 };
struct TetWriteOptions {
  bool binary = false;  // for .msh, .vtk and .vtu; the others are text
  MshVersion msh_version = MshVersion::v4_1;
  std::vector<std::string>* notes = nullptr;  // what the format has no room for
};
// Numbers are written so that reading them gives the same bits. What .msh and .vtk write, they read back whole.
void write_tet_mesh(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options = {});

}  // namespace supple
