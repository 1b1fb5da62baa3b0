#include "supple/io/output_file.h"
#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

void write_vtk(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options) {
  OutputFile out(path);
  const bool binary = options.binary;
  // A value and, in text, what follows it.
  auto put = [&](auto value, char gap) {
    if (binary) {
      out.raw(value, std::endian::big);
    } else {
      out.print("{}{}", value, gap);
    }
  };
  auto end_block = [&] {
    if (binary) out.print("\n");
  };

  out.print("# vtk DataFile Version 3.0\ntet mesh\n{}\nDATASET UNSTRUCTURED_GRID\n", binary ? "BINARY" : "ASCII");
  if (!mesh.tet_region.empty()) {
    out.print("FIELD FieldData 1\nregion_names 1 {} string\n", n_regions(mesh));
    for (int r = 0; r < n_regions(mesh); ++r) out.print("{}\n", encode_name(region_name(mesh, r)));
  }
  out.print("POINTS {} double\n", mesh.n_vertices());
  for (const Vec3& x : mesh.vertices) {
    for (int k = 0; k < 3; ++k) put(x[k], k == 2 ? '\n' : ' ');
  }
  end_block();
  out.print("CELLS {} {}\n", mesh.n_tets(), 5 * mesh.tets.size());
  for (const Tet& t : mesh.tets) {
    put(4, ' ');
    for (int k = 0; k < 4; ++k) put(t[k], k == 3 ? '\n' : ' ');
  }
  end_block();
  out.print("CELL_TYPES {}\n", mesh.n_tets());
  for (int t = 0; t < mesh.n_tets(); ++t) put(10, '\n');
  end_block();

  auto scalars = [&](const std::string& name, const char* type, const auto& values) {
    out.print("SCALARS {} {} 1\nLOOKUP_TABLE default\n", encode_name(name), type);
    for (auto x : values) put(x, '\n');
    end_block();
  };
  if (!mesh.vertex_maps.empty()) out.print("POINT_DATA {}\n", mesh.n_vertices());
  for (const auto& [name, values] : mesh.vertex_maps) scalars(name, "double", values);
  if (!mesh.tet_maps.empty() || !mesh.tet_region.empty()) out.print("CELL_DATA {}\n", mesh.n_tets());
  for (const auto& [name, values] : mesh.tet_maps) scalars(name, "double", values);
  if (!mesh.tet_region.empty()) scalars("region", "int", mesh.tet_region);
  out.commit();
}

}  // namespace supple::codec
