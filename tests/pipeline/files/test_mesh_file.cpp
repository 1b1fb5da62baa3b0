#include "supple/pipeline/files/mesh_file.h"

#include "supple/base/error.h"
#include "supple/io/obj.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

class MeshFile : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    write_obj(path("box.obj"), boundary_surface(make_box(2, 2, 2, Vec3(1, 0.6, 0.8))));
  }
  MeshRequest request(const std::string& in, const std::string& out, double edge = 0.2) const {
    MeshRequest r;
    r.in = path(in);
    r.out = path(out);
    r.cage.edge = edge;
    return r;
  }
};

TEST_F(MeshFile, writes_tets_of_any_format) {
  for (const char* name : {"a.msh", "a.veg", "a.mesh", "a.vtk", "a.node"}) {
    const MeshReport report = mesh_file(request("box.obj", name));
    const TetMesh mesh = read_tet_mesh(path(name));
    EXPECT_NO_THROW(require_simulable(mesh, name));
    EXPECT_EQ(mesh.n_tets(), report.cage.n_tets);
    EXPECT_NEAR(report.cage.solid_volume, 0.48, 0.005);
  }
  const TetMesh mesh = read_tet_mesh(path("a.msh"));
  EXPECT_EQ(mesh.tet_maps.at("fill").size(), mesh.tets.size());
}

TEST_F(MeshFile, reports_in_words_and_in_json) {
  const MeshReport report = mesh_file(request("box.obj", "a.msh"));
  EXPECT_NE(report.text().find(std::to_string(report.cage.n_tets) + " tets"), std::string::npos);
  EXPECT_NE(report.text().find("in 1 piece;"), std::string::npos);
  EXPECT_NE(report.json().text().find("\"min_dihedral_deg\""), std::string::npos);
  write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const MeshReport sheet = mesh_file(request("sheet.obj", "s.msh"));
  EXPECT_NE(sheet.text().find("no inside"), std::string::npos);
  EXPECT_NE(sheet.text().find("3 open edges"), std::string::npos);
}

TEST_F(MeshFile, refuses_bad_input_and_leaves_nothing_behind) {
  write("points.obj", "v 0 0 0\nv 1 0 0\n");
  write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  write("cut.glb", "glTF");
  write("tets.msh", "");
  const auto before = listing();
  for (const char* in : {"none.obj", "points.obj", "nan.obj", "flat.obj", "cut.glb", "none.glb", "tets.msh"}) {
    try {
      mesh_file(request(in, "out.msh"));
      ADD_FAILURE() << in;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(in), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(mesh_file(request("box.obj", "out.obj")), InputError);
  EXPECT_THROW(mesh_file(request("box.obj", "out")), InputError);
  EXPECT_THROW(mesh_file(request("box.obj", "out.msh", 1e-7)), InputError);
  EXPECT_THROW(mesh_file(request("box.obj", "no/such/folder/out.msh")), InputError);
  EXPECT_EQ(listing(), before);
}

}  // namespace
}  // namespace supple
