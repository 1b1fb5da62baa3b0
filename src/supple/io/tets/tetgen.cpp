// TetGen's .node and .ele pair.
#include <cmath>
#include <filesystem>

#include "supple/base/reading_scope.h"
#include "supple/io/output_file.h"
#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

namespace {

std::string with_extension(const std::string& path, const char* ext) {
  return std::filesystem::path(path).replace_extension(ext).string();
}

// Vertices and their maps; returns the number of the first vertex, 0 or 1.
long long read_nodes(const std::string& path, TetMesh& mesh) {
  InputFile in(path, {.comment = '#', .numbers_need_an_end = true});
  const int n = in.count("the number of points", 8);
  if (in.integer("the dimension") != 3) in.fail("only points of dimension 3 can be read");
  const int n_attributes = in.count("the number of attributes", 0);
  const int n_markers = static_cast<int>(in.integer("the number of boundary markers", 0, 1));
  if (n_attributes > 1000) in.fail("a point cannot have that many attributes");
  std::vector<std::vector<double>*> maps;
  for (int a = 0; a < n_attributes; ++a) maps.push_back(&mesh.vertex_maps["attribute" + std::to_string(a)]);
  if (n_markers > 0) maps.push_back(&mesh.vertex_maps["marker"]);
  long long first = 1;
  for (int i = 0; i < n; ++i) {
    const long long number = in.integer("a point number");
    if (i == 0) first = number;
    if (first != 0 && first != 1) in.fail("the first point should have number 0 or 1");
    if (number != first + i) in.fail(fmt::format("point {} should have number {}", number, first + i));
    Vec3 x;
    for (int k = 0; k < 3; ++k) x[k] = in.number("a coordinate");
    mesh.vertices.push_back(x);
    for (auto* map : maps) map->push_back(in.number("an attribute"));
  }
  if (!in.done()) {
    in.token("the end");
    in.fail("there is more in the file than the announced points");
  }
  return first;
}

void read_elements(const std::string& path, long long first, TetMesh& mesh, Notes& notes) {
  InputFile in(path, {.comment = '#', .numbers_need_an_end = true});
  const int n = in.count("the number of tets", 10);
  const long long n_nodes = in.integer("the nodes of a tet");
  if (n_nodes != 4 && n_nodes != 10) in.fail("a tet should have 4 or 10 nodes");
  const int n_attributes = static_cast<int>(in.integer("the number of attributes", 0, 1000));
  std::vector<std::vector<double>> attributes(n_attributes);
  std::vector<char> middle(n_nodes == 10 ? mesh.vertices.size() : 0, 0);
  for (int i = 0; i < n; ++i) {
    in.integer("a tet number");
    Tet tet{};
    for (int k = 0; k < n_nodes; ++k) {
      const long long v = in.integer("a vertex of a tet") - first;
      if (v < 0 || v >= mesh.n_vertices()) in.fail(fmt::format("a tet names point {}, which is not there", v + first));
      if (k < 4) {
        tet[k] = static_cast<int>(v);
      } else {
        middle[v] = 1;
      }
    }
    mesh.tets.push_back(tet);
    for (auto& values : attributes) values.push_back(in.number("an attribute"));
  }
  if (!in.done()) {
    in.token("the end");
    in.fail("there is more in the file than the announced tets");
  }

  for (int a = 0; a < n_attributes; ++a) {
    std::vector<int> tags;
    for (double x : attributes[a]) {
      if (a == 0 && x == std::rint(x) && std::abs(x) < 1e9) tags.push_back(static_cast<int>(x));
    }
    if (tags.size() == mesh.tets.size()) {
      set_regions(mesh, tags);
    } else {
      mesh.tet_maps["attribute" + std::to_string(a)] = std::move(attributes[a]);
    }
  }
  if (!middle.empty()) {
    const int dropped = drop_middle_vertices(mesh, middle);
    notes.push_back(
        fmt::format("{}: 10-node tets are read by their corners; {} other nodes are left out", path, dropped));
  }
}

}  // namespace

TetMesh read_tetgen(const std::string& path, Notes& notes) {
  TetMesh mesh;
  // One is named, and the other may be a link.
  for (const char* ending : {".node", ".ele"})
    reading_scope().require(with_extension(path, ending), std::filesystem::path(path).parent_path().string(), {path});
  const long long first = read_nodes(with_extension(path, ".node"), mesh);
  read_elements(with_extension(path, ".ele"), first, mesh, notes);
  return mesh;
}

void write_tetgen(const std::string& path, const TetMesh& mesh, Notes& notes) {
  OutputFile nodes(with_extension(path, ".node")), elements(with_extension(path, ".ele"));
  nodes.print("{} 3 {} 0\n", mesh.n_vertices(), mesh.vertex_maps.size());
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& x = mesh.vertices[v];
    nodes.print("{} {} {} {}", v, x[0], x[1], x[2]);
    for (const auto& [name, values] : mesh.vertex_maps) nodes.print(" {}", values[v]);
    nodes.print("\n");
  }
  const bool regions = !mesh.tet_region.empty();
  const std::vector<int> tags = region_tags(mesh);
  // The first attribute is the region; without regions a zero keeps the maps from being taken for one.
  const bool lead = regions || !mesh.tet_maps.empty();
  elements.print("{} 4 {}\n", mesh.n_tets(), mesh.tet_maps.size() + (lead ? 1 : 0));
  for (int t = 0; t < mesh.n_tets(); ++t) {
    const auto& [a, b, c, d] = mesh.tets[t];
    elements.print("{} {} {} {} {}", t, a, b, c, d);
    if (lead) elements.print(" {}", regions ? tags[mesh.tet_region[t]] : 0);
    for (const auto& [name, values] : mesh.tet_maps) elements.print(" {}", values[t]);
    elements.print("\n");
  }
  nodes.commit();
  elements.commit();
  if (!mesh.vertex_maps.empty() || !mesh.tet_maps.empty() || (!mesh.region_names.empty() && !names_are_numbers(mesh))) {
    notes.push_back(fmt::format("{}: maps are kept without their names, regions by number", path));
  }
}

}  // namespace supple::codec
