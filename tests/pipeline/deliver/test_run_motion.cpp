// The motion in a run's page: the delivered surface and the input, of scenes of tets and of characters.
#include <nlohmann/json.hpp>

#include "supple/base/markup.h"
#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/deliver/delivered_run.h"
#include "supple/pipeline/deliver/page_motion.h"
#include "supple/pipeline/deliver/portrait.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"
#include "tests/report/unpack_motion.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class RunMotion : public SharedStages {
 protected:
  std::string bar() const {
    write_tet_mesh(path("bar.msh"), make_box(6, 1, 1, {0.3, 0.05, 0.05}));
    write("keys.csv", "0,0,0,0,0,0,0,1\n0.2,0,0.02,0,0,0,0,1\n0.3,0,0.02,0,0,0,0,1\n");
    return write("bar.toml",
                 "[tets]\nfile = \"bar.msh\"\n[world]\nup = \"z\"\n[attach]\nvertices = [0, 7, 14, 21]\n"
                 "rigid = \"keys.csv\"\n[timeline]\nframes = 12\nsubsteps = 4\n[material]\nyoungs_modulus = 2e5\n"
                 "[output]\nformats = []\n");
  }
  DrawnFrames drawn(const Job& job, const std::string& directory) const {
    return drawn_surface(job, read_pc2(path(directory + "/tets.pc2")), read_pc2(path(directory + "/static.pc2")));
  }
  static std::vector<float> floats(const VecX& x) {
    std::vector<float> out;
    for (const double v : x) out.push_back(static_cast<float>(v));
    return out;
  }
  static std::vector<float> sample(const PointCache& c, int f) { return {c.sample(f), c.sample(f) + 3 * c.n_points}; }
};

TEST_F(RunMotion, OfTets) {
  const Job job = build_job(load_scene(bar()));
  ASSERT_EQ(run_job(job, {.directory = path("out")}).status, RunStatus::done);
  const DrawnFrames d = drawn(job, "out");
  const auto m = run_motion(job, d, path("out"));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->n_frames, job.shot.n_frames());
  EXPECT_EQ(m->up, 'z');
  EXPECT_NEAR(m->size_m, 0.3, 1e-9);
  const PointCache statics = read_pc2(path("out/static.pc2"));
  MotionSource expected;
  expected.n_vertices = d.mesh.n_vertices();
  expected.triangles = d.mesh.triangles;
  expected.frame = [&](int f, std::vector<float>& input, std::vector<float>& result) {
    input = floats(
        flatten(embedded_points(job.surface.embedding, job.body->model->mesh().tets, flatten(statics.points(f)))));
    result = sample(d.frames, f);
  };
  EXPECT_LE(largest_error(expected, *m, unpack(*m)), 0.51);
  double farthest = 0;
  for (size_t i = 0; i < d.tets.xyz.size(); i += 3)
    farthest =
        std::max<double>(farthest, std::hypot(d.tets.xyz[i] - statics.xyz[i], d.tets.xyz[i + 1] - statics.xyz[i + 1],
                                              d.tets.xyz[i + 2] - statics.xyz[i + 2]));
  EXPECT_GT(farthest, 1e-4);
  EXPECT_NEAR(m->farthest_m, farthest, 1e-6);
  const std::string page = read(path("out/report.html"));
  EXPECT_NE(page.find(base64(m->frames)), std::string::npos);
  EXPECT_NE(page.find("id=\"poster\""), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(path("out/poster.png")));
}

TEST_F(RunMotion, OnlyWithAReport) {
  const Job job = build_job(load_scene(bar(), {"output.report=false"}));
  ASSERT_EQ(run_job(job, {.directory = path("out")}).status, RunStatus::done);
  EXPECT_FALSE(std::filesystem::exists(path("out/report.html")));
  EXPECT_FALSE(std::filesystem::exists(path("out/poster.png")));
  EXPECT_FALSE(std::filesystem::exists(path("out/moving.png")));
}

TEST_F(RunMotion, TheLiveliestSecondsMove) {
  std::vector<double> lively(100, 0);
  lively[70] = 5, lively[80] = 3, lively[10] = 4;
  const Window w = liveliest(lively, 24, 1, 48);
  EXPECT_LE(w.first, 70);
  EXPECT_GE(w.first + w.count - 1, 80);
  EXPECT_EQ(w.count, 24);
  EXPECT_EQ(w.every, 1);
  const Window fast = liveliest(lively, 60, 1, 24);
  EXPECT_EQ(fast.every, 3);
  EXPECT_EQ(fast.count, 20);
  EXPECT_LT(fast.first + (fast.count - 1) * fast.every, 100);
  const Window brief = liveliest({1}, 24, 2, 48);
  EXPECT_EQ(brief.first, 0);
  EXPECT_EQ(brief.count, 1);

  const Job job = build_job(load_scene(bar()));
  const RunResult r = run_job(job, {.directory = path("out")});
  ASSERT_EQ(r.status, RunStatus::done);
  EXPECT_EQ(std::count(r.files.begin(), r.files.end(), "moving.png"), 1);
  const std::string png = read(path("out/moving.png"));
  ASSERT_GT(png.find("acTL"), 0u);
  EXPECT_EQ(static_cast<int>(png[png.find("acTL") + 7]), job.shot.n_frames());
  EXPECT_LT(png.size(), 1'500'000u);
}

TEST_F(RunMotion, OfACharacter) {
  write_gltf(path("pear.glb"), make_pear({.rings = 20, .segments = 16}), {.colors = pear_colors()});
  const Job job = build_job(
      load_character_scene(path("pear.glb"), {"tets.count=1200", "output.formats=[]", "timeline.range=[0,6]"}));
  ASSERT_EQ(run_job(job, {.directory = path("out")}).status, RunStatus::done);
  const CharacterSetup& c = job.subject->character()->setup();
  const DrawnFrames d = drawn(job, "out");
  const auto m = run_motion(job, d, path("out"));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->n_frames, 7);
  EXPECT_DOUBLE_EQ(m->metres, c.scale);
  ASSERT_EQ(m->looks.size(), c.drawn.primitives.size());
  int triangles = 0;
  for (size_t k = 0; k < m->looks.size(); ++k) {
    EXPECT_EQ(m->looks[k].name, c.drawn.primitives[k].material);
    const Vec3 color = pear_colors().at(m->looks[k].name);
    EXPECT_LT((m->looks[k].color - color).norm(), 1e-6) << m->looks[k].color.transpose();
    triangles += m->looks[k].n_triangles;
  }
  EXPECT_EQ(triangles, m->n_triangles);
  const auto delivery = job.drawing();
  MotionSource expected;
  expected.n_vertices = c.drawn.n_vertices();
  expected.triangles = c.drawn.triangles;
  expected.frame = [&](int f, std::vector<float>& input, std::vector<float>& result) {
    input = floats(1 / c.scale * flatten(delivery->base(f, VecX())));
    result = sample(d.frames, f);
  };
  const UnpackedMotion u = unpack(*m);
  EXPECT_LE(largest_error(expected, *m, u), 0.51);
  // Seams of the file are one point each.
  std::vector<int> welded;
  EXPECT_EQ(m->n_points, weld(c.drawn, std::vector<char>(static_cast<size_t>(c.drawn.n_vertices()), 1), welded));
  EXPECT_NE(read(path("out/report.html")).find("<title>pear: "), std::string::npos);
}

}  // namespace
}  // namespace supple
