// Medit's .mesh, text.
#include <cctype>

#include "supple/io/output_file.h"
#include "supple/io/tets/tet_codecs.h"

namespace supple::codec {

namespace {

bool is_keyword(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0;
}

}  // namespace

TetMesh read_medit(const std::string& path, Notes& notes) {
  InputFile in(path, {.comment = '#'});
  TetMesh mesh;
  std::vector<int> references;
  bool have_vertices = false, have_tets = false, ended = false;
  int tets_line = 0;
  if (in.token("MeshVersionFormatted") != "MeshVersionFormatted") {
    in.fail("this is not a Medit text mesh: it does not begin with MeshVersionFormatted");
  }
  in.integer("the format version", 0, 9);
  while (!ended && !in.done()) {
    const std::string keyword(in.token("a keyword"));
    if (!is_keyword(keyword))
      in.fail(fmt::format("expected a keyword, not \"{:.40}\"", keyword), "Check the counts above.");
    if (keyword == "End") {
      ended = true;
    } else if (keyword == "Dimension") {
      if (in.integer("the dimension") != 3) in.fail("only meshes of dimension 3 can be read");
    } else if (keyword == "Vertices") {
      if (have_vertices) in.fail("a second list of vertices");
      have_vertices = true;
      const int n = in.count("the number of vertices", 8);
      for (int i = 0; i < n; ++i) {
        Vec3 x;
        for (int k = 0; k < 3; ++k) x[k] = in.number("a coordinate");
        in.token("the reference of a vertex");
        mesh.vertices.push_back(x);
      }
    } else if (keyword == "Tetrahedra") {
      if (have_tets) in.fail("a second list of tets");
      have_tets = true;
      const int n = in.count("the number of tets", 10);
      tets_line = in.line();
      for (int i = 0; i < n; ++i) {
        Tet tet;
        for (int& v : tet) v = static_cast<int>(in.integer("a vertex of a tet", 1, INT_MAX) - 1);
        mesh.tets.push_back(tet);
        references.push_back(static_cast<int>(in.integer("the reference of a tet", INT_MIN, INT_MAX)));
        // Vertices may come after: those are checked at the end.
        for (int v : tet) {
          if (have_vertices && v >= mesh.n_vertices())
            in.fail(fmt::format("a tet names vertex {} of {}", v + 1, mesh.n_vertices()));
        }
      }
    } else {
      while (!in.done() && !is_keyword(in.peek())) in.token("data");
      notes.push_back(fmt::format("{}: {} are left out", path, keyword));
    }
  }
  if (!have_vertices) in.fail("the file has no Vertices");
  if (!have_tets) in.fail("the file has no Tetrahedra", "The file may be a surface, or truncated.");
  for (const Tet& t : mesh.tets) {
    for (int v : t) {
      if (v >= mesh.n_vertices())
        in.fail_at_line(tets_line, fmt::format("a tet names vertex {} of {}", v + 1, mesh.n_vertices()));
    }
  }
  // Files without an end mark exist, so it is not asked for.
  if (!ended && !in.ends_in_newline()) {
    notes.push_back(path + ": no line end and no End; if the file was cut there, its last number is wrong");
  }
  set_regions(mesh, references);
  return mesh;
}

void write_medit(const std::string& path, const TetMesh& mesh, Notes& notes) {
  OutputFile out(path);
  out.print("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.n_vertices());
  for (const Vec3& x : mesh.vertices) out.print("{} {} {} 0\n", x[0], x[1], x[2]);
  out.print("Tetrahedra\n{}\n", mesh.n_tets());
  const std::vector<int> tags = region_tags(mesh);
  for (int t = 0; t < mesh.n_tets(); ++t) {
    const auto& [a, b, c, d] = mesh.tets[t];
    out.print("{} {} {} {} {}\n", a + 1, b + 1, c + 1, d + 1, mesh.tet_region.empty() ? 0 : tags[mesh.tet_region[t]]);
  }
  out.print("End\n");
  out.commit();
  if (!mesh.vertex_maps.empty() || !mesh.tet_maps.empty()) notes.push_back(path + ": the format has no maps");
  if (!mesh.region_names.empty() && !names_are_numbers(mesh)) notes.push_back(path + ": regions are kept by number");
}

}  // namespace supple::codec
