// The drawn triangles of any file that has some.
#include "supple/io/gltf/surface_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/gltf/gltf_morph.h"
#include "supple/io/obj.h"

namespace supple {
namespace {

TEST(SurfaceFile, is_the_same_from_an_obj_and_from_a_glb) {
  const auto dir = std::filesystem::temp_directory_path() / ("supple_surface_" + std::to_string(getpid()));
  std::filesystem::create_directories(dir);
  TriMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 0.5}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  write_obj((dir / "a.obj").string(), mesh);
  PointCache still;
  still.add(flatten(mesh.vertices));
  write_glb((dir / "a.glb").string(), mesh, still, {});
  std::vector<std::string> notes;
  for (const char* name : {"a.obj", "a.glb"}) {
    const TriMesh read = read_surface((dir / name).string(), notes);
    EXPECT_EQ(read.triangles, mesh.triangles) << name;
    ASSERT_EQ(read.vertices.size(), mesh.vertices.size()) << name;
    for (size_t v = 0; v < mesh.vertices.size(); ++v) EXPECT_EQ(read.vertices[v], mesh.vertices[v]) << name;
  }
  EXPECT_THROW(read_surface((dir / "none.obj").string(), notes), InputError);
  EXPECT_THROW(read_surface((dir / "a.msh").string(), notes), InputError);
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace supple
