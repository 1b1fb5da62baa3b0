// `supple curves` and input that is wrong: it is named, with its file and key, and nothing is left behind.
#include <gtest/gtest.h>

#include "tests/scenes/curves_files.h"

namespace supple {

using namespace pipeline::curves;
namespace {

class CurvesErrors : public CurvesFiles {
 protected:
  // Status 2, all of these words, and no file more or less than before.
  void refused(const std::string& arguments, const std::vector<std::string>& words) const {
    const std::vector<std::string> before = listing();
    const Call c = supple("curves " + arguments);
    EXPECT_EQ(c.status, 2) << arguments << "\n" << c.out;
    for (const std::string& word : words)
      EXPECT_NE(c.out.find(word), std::string::npos) << arguments << ": expected " << word << "\n" << c.out;
    EXPECT_EQ(listing(), before) << arguments;
  }
  void refused_scene(const std::vector<std::string>& words) const { refused("scene.toml -o out", words); }
  void put_bar(const std::string& deformer, const std::string& curves = "free = [\"*\"]\n") const {
    write("scene.toml",
          "[surface]\nfile = \"bar.obj\"\n[tets]\nfile = \"tail.msh\"\n[timeline]\nframes = 3\n[curves]\n" + curves +
              "[[curves.deformer]]\n" + deformer);
  }
};

TEST_F(CurvesErrors, what_is_free) {
  refused("tail.glb -o out", {"what shall physics fill in", "Tail1", "--free"});
  refused("tail.glb --free \"Tial*\" -o out", {"Tial", "Tail"});
  put_scene("free = [\"Tial1\"]\n");
  refused_scene({"scene.toml:", "curves.free", "did you mean \"Tail1\""});
  put_scene("free = []\n");
  refused_scene({"scene.toml", "what shall physics fill in"});
  put_scene("free = [\"Tail1\"]\n[[curves.layer]]\nfree = [\"Tail2\"]\n");
  refused_scene({"curves.free", "[[curves.layer]]", "exclude"});
  put_scene("margin = 2\n[[curves.layer]]\nfree = [\"Tail1\"]\n[[curves.layer]]\nfree = [\"Tail*\"]\n");
  refused_scene({"Tail1.rotation.x", "two layers"});
  put_scene("fre = [\"Tail1\"]\n");
  refused_scene({"scene.toml:", "[curves] has no key fre"});
  put_scene("free = [\"Tail1\"]\nchannels = [\"shear\"]\n");
  refused_scene({"scene.toml:", "channels", "shear"});
  write("scene.toml", "[surface]\nfile = \"tail.glb\"\n");
  refused_scene({"scene.toml", "no [curves]"});
  refused("lost.glb --free x -o out", {"lost.glb"});
  refused("lost.toml -o out", {"lost.toml"});
  write("broken.glb", "glTF but not for long");
  refused("broken.glb --free x -o out", {"broken.glb"});
}

TEST_F(CurvesErrors, keys) {
  put_scene("free = [\"Tail2\"]\nkeys = \"keys.csv\"\n");
  refused_scene({"scene.toml:", "keys.csv", "there is no file"});
  write("keys.csv", "frame,Tail1.rotatoin.z\n0,0\n1,0.1\n");
  refused_scene({"keys.csv", "no parameter Tail1.rotatoin.z", "Tail"});
  write("keys.csv", "frame,Tail1.rotation.z\n0,0\n1,nan\n");
  refused_scene({"keys.csv:3"});
  write("keys.csv", "frame,Tail1.rotation.z\n0,0,5\n");
  refused_scene({"keys.csv:2"});
  write("keys.csv", "");
  refused_scene({"keys.csv"});
  put_scene("free = [\"Tail2\"]\nmodes = 2\nmodes_from = \"lost.csv\"\n");
  refused_scene({"curves.modes_from", "lost.csv"});
  put_scene("free = [\"Tail2\"]\nmode_scale = [2.0]\n");
  refused_scene({"curves.mode_scale", "nothing to act on"});
  write("other.csv", "frame,Head.rotation.z\n0,0\n1,0.1\n");
  put_scene("free = [\"Tail2\"]\nmodes = 2\nmodes_from = \"other.csv\"\n");
  refused_scene({"other.csv", "nothing that is free"});
}

TEST_F(CurvesErrors, deformers) {
  put_bar("name = \"d\"\nkind = \"latice\"\n");
  refused_scene({"scene.toml:", "latice", "lattice"});
  put_bar("name = \"d\"\nkind = \"cage\"\n");
  refused_scene({"cage", "\"d\"", "has no file"});
  put_bar("name = \"d\"\nkind = \"cage\"\nfile = \"lost.obj\"\n");
  refused_scene({"scene.toml:", "there is no file", "lost.obj"});
  // A cage with a hole, and one that does not hold the surface.
  TriMesh cage = boundary_surface(make_box(1, 1, 1, Vec3(0.8, 0.3, 0.3), Vec3(-0.1, -0.15, -0.15)));
  TriMesh open = cage;
  open.triangles.pop_back();
  write_obj(path("open.obj"), open);
  put_bar("name = \"d\"\nkind = \"cage\"\nfile = \"open.obj\"\n");
  refused_scene({"scene.toml:", "cage \"d\"", "closed"});
  TriMesh small = cage;
  for (Vec3& x : small.vertices) x *= 0.5;
  write_obj(path("small.obj"), small);
  put_bar("name = \"d\"\nkind = \"cage\"\nfile = \"small.obj\"\n");
  refused_scene({"scene.toml:", "cage \"d\""});
  write_obj(path("cage.obj"), cage);
  put_bar("name = \"d\"\nkind = \"cage\"\nfile = \"cage.obj\"\npoints = [3, 99]\n");
  refused_scene({"scene.toml:", "control point 99"});
  put_bar("name = \"d\"\nkind = \"wire\"\nfile = \"cage.obj\"\n");
  refused_scene({"how far does the wire"});
  put_bar("name = \"d\"\nkind = \"blend\"\nshapes = [\"cage.obj\"]\n");
  refused_scene({"scene.toml:", "cage.obj", "vertices"});
  put_bar("name = \"d\"\nkind = \"transform\"\nradius = 1\n");
  refused_scene({"radius has no say of a transform"});
  put_bar("name = \"d\"\nkind = \"transform\"\nchannels = [\"twist\"]\n");
  refused_scene({"transform has no channel \"twist\""});
  put_bar("name = \"d\"\nkind = \"transform\"\n[[curves.deformer]]\nname = \"d\"\nkind = \"transform\"\n");
  refused_scene({"two deformers named \"d\""});
  put_bar("name = \"d\"\nkind = \"transform\"\n", "free = [\"e.*\"]\n");
  refused_scene({"no parameter matches \"e.*\""});
}

TEST_F(CurvesErrors, handles_stiffness_and_the_rest) {
  put_scene("", "[[curves.handle]]\nname = \"tip\"\nvertex = 100000\n");
  refused_scene({"scene.toml:", "there is no vertex 100000"});
  put_scene("", "[[curves.handle]]\nname = \"tip\"\n");
  refused_scene({"where is the handle \"tip\""});
  put_scene("", "[[curves.handle]]\nname = \"tip\"\nvertex = 0\ntrack = \"lost.csv\"\n");
  refused_scene({"lost.csv"});
  write("path.csv", "frame,x,y\n0,0,0\n");
  put_scene("", "[[curves.handle]]\nname = \"tip\"\nvertex = 0\ntrack = \"path.csv\"\n");
  refused_scene({"path.csv", "no column z"});
  put_scene("", "[[curves.stiffness]]\nmatch = \"Head*\"\nscale = 2\n");
  refused_scene({"\"Head*\" matches nothing that is free"});
  put_scene("free = [\"Tail*\"]\nrefit = 0.1\n");
  refused_scene({"curves.refit", "nothing to act on"});
  put_scene("free = [\"Tail*\"]\n", "[attach]\nradius = 0.1\n");
  refused_scene({"attach.radius has no say where a rig is simulated"});
  put_scene("free = [\"Tail*\"]\nrig = \"false\"\n");
  refused_scene({"false"});
  // Tets that are elsewhere.
  TetMesh far = tets_;
  for (Vec3& x : far.vertices) x += Vec3(5, 0, 0);
  write_tet_mesh(path("tail.msh"), far);
  put_scene("");
  refused_scene({"tail.msh"});
  // Another command's scene.
  const Call c = supple("analyze scene.toml");
  EXPECT_EQ(c.status, 2) << c.out;
  EXPECT_NE(c.out.find("supple curves"), std::string::npos) << c.out;
}

TEST_F(CurvesErrors, check_says_the_same) {
  put_scene("free = [\"Tial1\"]\n");
  const Call bad = supple("check scene.toml");
  EXPECT_EQ(bad.status, 2) << bad.out;
  EXPECT_NE(bad.out.find("Tail1"), std::string::npos) << bad.out;
  put_scene("");
  const Call good = supple("check scene.toml");
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_NE(good.out.find("6 parameters free"), std::string::npos) << good.out;
}

}  // namespace
}  // namespace supple
