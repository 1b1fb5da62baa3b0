#include "supple/io/tets/vtu.h"

#include <cstdint>

#include "supple/base/error.h"
#include "supple/base/markup.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

class VtuWriter {
 public:
  VtuWriter(const std::string& path, bool binary) : out_(path), binary_(binary) {}

  template <class T>
  void array(const std::string& name, int components, const std::vector<T>& values) {
    const char* type = sizeof(T) == 8   ? (std::is_floating_point_v<T> ? "Float64" : "Int64")
                       : sizeof(T) == 4 ? "Int32"
                                        : "UInt8";
    out_.print("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" ", type, escape_markup(name), components);
    if (!binary_) {
      out_.print("format=\"ascii\">\n");
      for (size_t i = 0; i < values.size(); ++i) {
        const char gap = (i + 1) % static_cast<size_t>(components) == 0 ? '\n' : ' ';
        if constexpr (sizeof(T) == 1) {
          out_.print("{}{}", static_cast<int>(values[i]), gap);
        } else {
          out_.print("{}{}", values[i], gap);
        }
      }
      out_.print("</DataArray>\n");
      return;
    }
    out_.print("format=\"appended\" offset=\"{}\"/>\n", appended_.size());
    // A block is the number of its bytes and the bytes, encoded as one.
    const uint64_t size = values.size() * sizeof(T);
    std::string block(sizeof(size) + size, '\0');
    std::memcpy(block.data(), &size, sizeof(size));
    if (size > 0) std::memcpy(block.data() + sizeof(size), values.data(), size);
    appended_ += base64(block);
  }

  void finish() {
    if (binary_) {
      out_.print("<AppendedData encoding=\"base64\">\n_");
      out_.write(appended_);
      out_.print("\n</AppendedData>\n");
    }
    out_.print("</VTKFile>\n");
    out_.commit();
  }

  OutputFile out_;

 private:
  bool binary_;
  std::string appended_;
};

}  // namespace

void write_vtu(const std::string& path, const TetMesh& mesh, const VtuOptions& options) {
  static_assert(std::endian::native == std::endian::little, "the byte order below is the machine's own");
  if (options.displacement && options.displacement->size() != 3 * mesh.n_vertices()) {
    throw InputError({path, 0, 0, ""}, "the displacement needs one vector a vertex");
  }
  VtuWriter w(path, options.binary);
  w.out_.print(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      mesh.n_vertices(), mesh.n_tets());
  w.out_.print("<PointData>\n");
  if (options.displacement) {
    const VecX& u = *options.displacement;
    w.array("displacement", 3, std::vector<double>(u.data(), u.data() + u.size()));
  }
  for (const auto& [name, values] : mesh.vertex_maps) w.array(name, 1, values);
  w.out_.print("</PointData>\n<CellData>\n");
  for (const auto& [name, values] : mesh.tet_maps) w.array(name, 1, values);
  if (!mesh.tet_region.empty()) w.array("region", 1, mesh.tet_region);
  w.out_.print("</CellData>\n<Points>\n");
  const VecX flat = flatten(mesh.vertices);
  w.array("Points", 3, std::vector<double>(flat.data(), flat.data() + flat.size()));
  w.out_.print("</Points>\n<Cells>\n");
  std::vector<int64_t> connectivity, offsets;
  for (const Tet& t : mesh.tets) {
    connectivity.insert(connectivity.end(), t.begin(), t.end());
    offsets.push_back(static_cast<int64_t>(connectivity.size()));
  }
  w.array("connectivity", 1, connectivity);
  w.array("offsets", 1, offsets);
  w.array("types", 1, std::vector<uint8_t>(mesh.tets.size(), 10));
  w.out_.print("</Cells>\n</Piece>\n</UnstructuredGrid>\n");
  w.finish();
}

void write_pvd(const std::string& path, const std::vector<VtuFrame>& frames) {
  OutputFile out(path);
  out.print("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
  for (const VtuFrame& f : frames) out.print("<DataSet timestep=\"{}\" file=\"{}\"/>\n", f.time, escape_markup(f.file));
  out.print("</Collection>\n</VTKFile>\n");
  out.commit();
}

}  // namespace supple
