// Tets of a file as a subject: what holds them, what is drawn.
#include "supple/pipeline/setup/tet_subject.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/io/obj.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

class TetSubjects : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    bar_ = make_box(4, 1, 1, {0.4, 0.1, 0.1});
    write_tet_mesh(path("bar.msh"), bar_);
  }
  Body body(const std::string& attach, const std::string& tets = "") {
    config_ = load_scene(write("scene.toml", "[tets]\nfile = \"bar.msh\"\n" + tets + attach));
    notes_ = {};
    return TetSubject(config_).body(config_, notes_);
  }
  bool told(const std::string& words) const {
    for (const std::string& w : notes_.warnings)
      if (w.find(words) != std::string::npos) return true;
    return false;
  }
  TetMesh bar_;
  SceneConfig config_;
  Notes notes_;
};

TEST_F(TetSubjects, vertices_are_driven_or_hang_on_springs) {
  const Body driven = body("[attach]\nvertices = [7, 2]\n");
  EXPECT_EQ(driven.spec.driven, (std::vector<int>{7, 2}));
  ASSERT_EQ(driven.attached.size(), 2u);
  EXPECT_LT((driven.attached[0] - bar_.vertices[7]).norm(), 1e-12);
  const Body hung = body("[attach]\nvertices = [7, 2]\nstiffness = 40\n");
  EXPECT_TRUE(hung.spec.driven.empty());
  ASSERT_EQ(hung.spec.springs.size(), 2u);
  EXPECT_EQ(hung.spec.spring_stiffness, 40);
  const PointTie& tie = hung.spec.springs[0];
  Vec3 at = Vec3::Zero();
  for (int c = 0; c < 4; ++c) at += tie.weights[c] * bar_.vertices[static_cast<size_t>(tie.vertices[c])];
  EXPECT_LT((at - bar_.vertices[7]).norm(), 1e-12);
}

TEST_F(TetSubjects, points_of_a_cloud_are_tied_where_they_are) {
  write("cloud.obj", "v 0.05 0.05 0.05\nv 0.31 0.02 0.06\nv 0.5 0.05 0.05\n");
  const Body b = body("[attach]\npoints = \"cloud.obj\"\n");
  ASSERT_EQ(b.spec.ties.size(), 3u);
  EXPECT_TRUE(told("1 of 3 points lie outside"));
  Vec3 at = Vec3::Zero();
  for (int c = 0; c < 4; ++c)
    at += b.spec.ties[1].weights[c] * bar_.vertices[static_cast<size_t>(b.spec.ties[1].vertices[c])];
  EXPECT_LT((at - Vec3(0.31, 0.02, 0.06)).norm(), 1e-9);
}

TEST_F(TetSubjects, lists_that_do_not_fit_are_refused) {
  EXPECT_THROW(body("[attach]\nvertices = [0, 999]\n"), InputError);
  EXPECT_THROW(body("[attach]\nvertices = [3, 4, 3]\n"), InputError);
}

TEST_F(TetSubjects, units_of_the_file_become_metres) {
  const Body b = body("", "scale = 0.5\n");
  for (size_t v = 0; v < bar_.vertices.size(); ++v)
    EXPECT_LT((b.spec.mesh.vertices[v] - 0.5 * bar_.vertices[v]).norm(), 1e-12);
  EXPECT_EQ(notes_.inputs.size(), 1u);
}

// A second bar beside the first, which nothing holds.
TEST_F(TetSubjects, a_loose_part_follows_what_is_driven) {
  TetMesh two = bar_;
  const int n = bar_.n_vertices();
  for (Vec3 x : bar_.vertices) two.vertices.push_back(x + Vec3(0, 1, 0));
  for (Tet t : bar_.tets) {
    for (int& v : t) v += n;
    two.tets.push_back(t);
  }
  write_tet_mesh(path("bar.msh"), two);
  const Body b = body("[attach]\nvertices = [0, 1]\n");
  EXPECT_EQ(b.followers.size(), 4u);
  for (int v : b.followers) {
    EXPECT_GE(v, n);
    EXPECT_LT(two.vertices[static_cast<size_t>(v)][1], 1.05);  // those that are nearest
  }
  EXPECT_EQ(b.spec.driven.size(), 6u);
  EXPECT_TRUE(told("had nothing that holds it"));
}

TEST_F(TetSubjects, drawn_is_the_boundary_or_a_surface_around) {
  body("");
  const TetSubject subject(config_);
  EXPECT_EQ(subject.fps(), 24);
  const DrawnSurface own = subject.surface(config_, bar_, notes_);
  EXPECT_EQ(own.mesh.triangles.size(), boundary_surface(bar_).triangles.size());
  TriMesh wide = boundary_surface(bar_);
  for (Vec3& x : wide.vertices) x *= 10;
  wide.vertices[0][0] -= 1;
  write_obj(path("wide.obj"), wide);
  body("[surface]\nfile = \"wide.obj\"\nscale = 0.1\n");
  const DrawnSurface drawn = subject.surface(config_, bar_, notes_);
  EXPECT_EQ(drawn.mesh.n_vertices(), wide.n_vertices());
  EXPECT_LT((drawn.mesh.vertices[1] - 0.1 * wide.vertices[1]).norm(), 1e-6);
  EXPECT_TRUE(told("lie outside the tets, by up to 0.1 m"));
}

}  // namespace
}  // namespace supple
