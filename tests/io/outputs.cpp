// Lists, motions, what files are by their names, and USD, which we only write.
#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/io/formats.h"
#include "supple/io/index_list.h"
#include "supple/io/motion_csv.h"
#include "supple/io/usda.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

TEST(Usda, HasSamplesUnitsAndAxes) {
  const Scratch dir;
  TriMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0.1)};
  mesh.triangles = {{0, 1, 2}};
  mesh.uvs = {{0, 0}, {1, 0}, {0, 1}};
  PointCache frames;
  frames.add(flatten(mesh.vertices));
  frames.add(2 * flatten(mesh.vertices));
  write_usda(dir.path("m.usda"), mesh, frames, {.fps = 25, .first_frame = 1, .name = "3 body"});
  const std::string text = dir.get("m.usda");
  for (const char* part :
       {"#usda 1.0\n", "metersPerUnit = 1\n", "upAxis = \"Y\"", "startTimeCode = 1\n", "endTimeCode = 2\n",
        "timeCodesPerSecond = 25\n", "def Mesh \"_3_body\"", "int[] faceVertexIndices = [0, 1, 2]",
        "points = [(0, 0, 0), (1, 0, 0), (0, 1, 0.1)]", "2: [(0, 0, 0), (2, 0, 0), (0, 2, 0.2)],",
        "2: [(0, 0, 0), (2, 2, 0.2)],", "primvars:st = [(0, 0), (1, 0), (0, 1)]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '('), std::count(text.begin(), text.end(), ')'));
  frames.n_points = 4;
  EXPECT_THROW(write_usda(dir.path("m.usda"), mesh, frames), InputError);
}

TEST(MotionCsv, KeysWithAndWithoutHeader) {
  const Scratch dir;
  const std::string body = "0, 1,2,3, 0,0,0,1\n# pause\n\n0.5, 4,5,6, 0.5004,0.5,-0.5,0.5\n";
  for (const char* head : {"", "t,tx,ty,tz,qx,qy,qz,qw\n"}) {
    const std::vector<RigidKey> keys = read_motion_csv(dir.put("k.csv", head + body));
    ASSERT_EQ(keys.size(), 2u);
    EXPECT_EQ(keys[1].t, 0.5);
    EXPECT_EQ(keys[1].translation, Vec3(4, 5, 6));
    EXPECT_NEAR(keys[1].quaternion.norm(), 1, 1e-15);
    EXPECT_LT(keys[1].quaternion[2], 0);
  }
}

TEST(Lists, RoundTrip) {
  const Scratch dir;
  write_index_list(dir.path("i.txt"), {3, 0, 7});
  EXPECT_EQ(read_index_list(dir.path("i.txt"), 8), (std::vector<int>{3, 0, 7}));
  write_scalar_list(dir.path("s.txt"), {1.0 / 3, -0.0, 1e-310});
  EXPECT_EQ(read_scalar_list(dir.path("s.txt")), (std::vector<double>{1.0 / 3, -0.0, 1e-310}));
  EXPECT_EQ(read_index_list(dir.put("c.txt", "# core\n1 # first\n\n2"), 3), (std::vector<int>{1, 2}));
  EXPECT_TRUE(read_index_list(dir.put("e.txt", ""), 3).empty());
}

TEST(Formats, KindsByExtension) {
  EXPECT_EQ(file_kind("a/b.c/Body.MSH"), FileKind::tets);
  EXPECT_EQ(file_kind("x.obj"), FileKind::surface);
  EXPECT_EQ(file_kind("x.mdd"), FileKind::cache);
  EXPECT_EQ(file_kind("msh"), FileKind::unknown);
  EXPECT_EQ(require_known_kind("x.glb"), FileKind::surface);
  try {
    require_known_kind("x.fbx");
    ADD_FAILURE();
  } catch (const InputError& e) {
    for (const FileFormat& f : file_formats()) EXPECT_NE(e.advice().find(f.extension), std::string::npos);
  }
}

}  // namespace
}  // namespace supple
