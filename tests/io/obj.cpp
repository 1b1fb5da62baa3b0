#include "supple/io/obj.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "supple/io/polygon.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

TEST(Obj, ReadsWhatOthersWrite) {
  const Scratch dir;
  const std::string path =
      dir.put("m.obj",
              "# comment\r\nmtllib x.mtl\r\no body\r\nv 0 0 0 1 0 0\r\nv 2 0 0 0 1 0\r\nv 2 1 0 0 0 1\r\n"
              "v 0 1 0 1 1 1\r\nv 9 9 9 0.5 0.5 0.5\r\nvt 0 0\r\nvt 1 0 0\r\nvt 1 1\r\nvn 0 0 1\r\n"
              "g top\r\nusemtl red\r\ns 1\r\nf 1/1/1 2/2/1 \\\r\n3/3/1 4/1/1\r\nf -5//-1 -4//1 -3//1\r\nl 1 2\r\n");
  ObjReport report;
  const TriMesh mesh = read_obj(path, &report);
  ASSERT_EQ(mesh.n_vertices(), 5);
  EXPECT_EQ(mesh.vertices[2], Vec3(2, 1, 0));
  EXPECT_EQ(mesh.colors[4], Vec3(0.5, 0.5, 0.5));
  EXPECT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(mesh.triangles[2], (Tri{0, 1, 2}));
  EXPECT_EQ(mesh.uvs[1], Eigen::Vector2d(1, 0));
  EXPECT_EQ(mesh.normals[0], Vec3(0, 0, 1));
  EXPECT_EQ(report.groups, 2);
  EXPECT_EQ(report.materials, 1);
  EXPECT_EQ(report.polygons, 1);
  EXPECT_EQ(report.uv_seam_vertices, 0);
  EXPECT_FALSE(report.normals_dropped);
}

TEST(Obj, SeamsAndHardEdgesAreReported) {
  const Scratch dir;
  ObjReport report;
  const TriMesh mesh = read_obj(dir.put("m.obj",
                                        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 0.5 0.5\nvn 0 0 1\nvn 0 1 0\n"
                                        "f 1/1/1 2/1/1 3/1/1\nf 1/2/2 4/1/2 2/1/2\n"),
                                &report);
  EXPECT_EQ(report.uv_seam_vertices, 1);
  EXPECT_EQ(mesh.uvs[0], Eigen::Vector2d(0, 0));
  EXPECT_TRUE(report.normals_dropped);
  EXPECT_TRUE(mesh.normals.empty());
}

TEST(Obj, RoundTrip) {
  const Scratch dir;
  TriMesh mesh;
  mesh.vertices = {Vec3(1.0 / 3, -0.0, 1e-300), Vec3(1e10, 2, 3), Vec3(0.1, 0.2, 0.3), Vec3(7, 7, 7)};
  mesh.triangles = {{0, 1, 2}, {2, 1, 3}};
  for (int mask = 0; mask < 8; ++mask) {
    mesh.colors = mask & 1 ? Points{Vec3(1, 0, 0.1), Vec3(0, 1, 0.2), Vec3(0, 0, 1), Vec3(1, 1, 1)} : Points{};
    mesh.normals = mask & 2 ? Points(4, Vec3(0.6, 0, 0.8)) : Points{};
    mesh.uvs.clear();
    if (mask & 4) mesh.uvs = {{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}, {1.0 / 7, 1}};
    write_obj(dir.path("m.obj"), mesh);
    const TriMesh back = read_obj(dir.path("m.obj"));
    EXPECT_EQ(back.vertices, mesh.vertices);
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.colors, mesh.colors);
    EXPECT_EQ(back.normals, mesh.normals);
    EXPECT_EQ(back.uvs, mesh.uvs);
  }
}

TEST(Polygon, ConcaveOnesAreCutInside) {
  // An arrowhead and a comb; the sum of absolute areas equals the area only without overlap.
  const std::vector<Points> shapes = {
      {Vec3(0, 0, 0), Vec3(2, -1, 0), Vec3(0.5, 0, 0), Vec3(2, 1, 0)},
      {Vec3(0, 0, 1), Vec3(5, 0, 1), Vec3(5, 3, 1), Vec3(4, 1, 1), Vec3(3, 3, 1), Vec3(2, 1, 1), Vec3(1, 3, 1),
       Vec3(0, 1, 1)},
  };
  for (const Points& p : shapes) {
    double area = 0, parts = 0;
    for (size_t i = 0; i < p.size(); ++i) area += p[i].cross(p[(i + 1) % p.size()]).z() / 2;
    const std::vector<Tri> triangles = triangulate(p);
    EXPECT_EQ(triangles.size(), p.size() - 2);
    for (const Tri& t : triangles) {
      const double one = (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]).z() / 2;
      EXPECT_GT(one, 0);
      parts += std::abs(one);
    }
    EXPECT_NEAR(parts, area, 1e-12);
  }
  // Hopeless ones still give n - 2 triangles.
  EXPECT_EQ(triangulate(Points(6, Vec3::Zero())).size(), 4u);
}

}  // namespace
}  // namespace supple
