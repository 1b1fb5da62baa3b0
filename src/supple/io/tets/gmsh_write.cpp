#include <algorithm>

#include "supple/io/output_file.h"
#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

namespace {

class GmshWriter {
 public:
  GmshWriter(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options)
      : out_(path), mesh_(mesh), binary_(options.binary), tags_(region_tags(mesh)) {
    if (mesh.tet_region.empty()) tags_ = {0};
  }

  void write(bool v4) {
    out_.print("$MeshFormat\n{} {:d} 8\n", v4 ? "4.1" : "2.2", binary_);
    if (binary_) {
      out_.raw<int>(1);
      out_.print("\n");
    }
    out_.print("$EndMeshFormat\n");
    if (!mesh_.tet_region.empty() && !mesh_.region_names.empty() && !names_are_numbers(mesh_)) {
      out_.print("$PhysicalNames\n{}\n", mesh_.region_names.size());
      for (size_t r = 0; r < mesh_.region_names.size(); ++r)
        out_.print("3 {} \"{}\"\n", tags_[r], mesh_.region_names[r]);
      out_.print("$EndPhysicalNames\n");
    }
    if (v4) {
      write_entities();
      write_nodes4();
      write_elements4();
    } else {
      write_nodes2();
      write_elements2();
    }
    for (const auto& [name, values] : mesh_.vertex_maps) write_data("NodeData", name, values);
    for (const auto& [name, values] : mesh_.tet_maps) write_data("ElementData", name, values);
    out_.commit();
  }

 private:
  int region(size_t tet) const { return mesh_.tet_region.empty() ? 0 : mesh_.tet_region[tet]; }

  // Values on a line of text, or their bytes.
  template <class... T>
  void row(T... values) {
    if (binary_) {
      (out_.raw(values), ...);
    } else {
      const char* gap = "";
      ((out_.print("{}{}", gap, values), gap = " "), ...);
      out_.print("\n");
    }
  }
  void end(const char* section) { out_.print("{}$End{}\n", binary_ ? "\n" : "", section); }

  void write_nodes2() {
    out_.print("$Nodes\n{}\n", mesh_.n_vertices());
    for (int v = 0; v < mesh_.n_vertices(); ++v) {
      const Vec3& x = mesh_.vertices[v];
      row(v + 1, x[0], x[1], x[2]);
    }
    end("Nodes");
  }

  void write_elements2() {
    out_.print("$Elements\n{}\n", mesh_.n_tets());
    if (binary_ && mesh_.n_tets() > 0) row(4, mesh_.n_tets(), 2);
    for (size_t t = 0; t < mesh_.tets.size(); ++t) {
      const auto& [a, b, c, d] = mesh_.tets[t];
      const int number = static_cast<int>(t) + 1, group = tags_[region(t)], entity = region(t) + 1;
      if (binary_) {
        row(number, group, entity, a + 1, b + 1, c + 1, d + 1);
      } else {
        row(number, 4, 2, group, entity, a + 1, b + 1, c + 1, d + 1);
      }
    }
    end("Elements");
  }

  using Size = unsigned long long;

  void write_entities() {
    const Box box = bounding_box(mesh_.vertices);
    out_.print("$Entities\n");
    row(Size{0}, Size{0}, Size{0}, Size{tags_.size()});
    for (size_t r = 0; r < tags_.size(); ++r) {
      const int entity = static_cast<int>(r) + 1;
      const Vec3 &l = box.low, &h = box.high;
      if (tags_[r] > 0) {
        row(entity, l[0], l[1], l[2], h[0], h[1], h[2], Size{1}, tags_[r], Size{0});
      } else {
        row(entity, l[0], l[1], l[2], h[0], h[1], h[2], Size{0}, Size{0});
      }
    }
    end("Entities");
  }

  void write_nodes4() {
    const Size n = mesh_.vertices.size();
    out_.print("$Nodes\n");
    row(Size{n > 0}, n, Size{n > 0}, n);
    if (n > 0) row(3, 1, 0, n);
    for (Size v = 1; v <= n; ++v) row(v);
    for (const Vec3& x : mesh_.vertices) row(x[0], x[1], x[2]);
    end("Nodes");
  }

  void write_elements4() {
    // One block a region; the element number keeps the order of the tets.
    std::vector<std::vector<size_t>> blocks(tags_.size());
    for (size_t t = 0; t < mesh_.tets.size(); ++t) blocks[region(t)].push_back(t);
    const Size n = mesh_.tets.size();
    const auto used = std::count_if(blocks.begin(), blocks.end(), [](const auto& b) { return !b.empty(); });
    out_.print("$Elements\n");
    row(static_cast<Size>(used), n, Size{n > 0}, n);
    for (size_t r = 0; r < blocks.size(); ++r) {
      if (blocks[r].empty()) continue;
      row(3, static_cast<int>(r) + 1, 4, Size{blocks[r].size()});
      for (size_t t : blocks[r]) {
        const Tet& v = mesh_.tets[t];
        row(Size{t + 1}, Size(v[0] + 1), Size(v[1] + 1), Size(v[2] + 1), Size(v[3] + 1));
      }
    }
    end("Elements");
  }

  void write_data(const char* section, const std::string& name, const std::vector<double>& values) {
    out_.print("${}\n1\n\"{}\"\n1\n0\n3\n0\n1\n{}\n", section, name, values.size());
    for (size_t i = 0; i < values.size(); ++i) row(static_cast<int>(i) + 1, values[i]);
    end(section);
  }

  OutputFile out_;
  const TetMesh& mesh_;
  bool binary_;
  std::vector<int> tags_;
};

}  // namespace

void write_gmsh(const std::string& path, const TetMesh& mesh, const TetWriteOptions& options) {
  GmshWriter(path, mesh, options).write(options.msh_version == MshVersion::v4_1);
}

}  // namespace supple::codec
