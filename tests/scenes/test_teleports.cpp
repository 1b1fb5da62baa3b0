// A motion that jumps: the flesh is taken along, and nothing else changes.
#include <gtest/gtest.h>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/job/begin.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"
#include "tests/scenes/enrich_files.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

constexpr int kJump = 8;    // the frame at which it is elsewhere
constexpr int kLater = 30;  // the same of a character, whose clip is smoothed in time up to a leap and from there
const Vec3 kWay(5, 0, 0);   // [m]
constexpr double kCarried = 1e-9;   // [m]
constexpr double kByFloats = 1e-6;  // [m] of caches, 5 m away

// Displacements of the tets at every frame.
std::vector<VecX> simulated(const Job& job, int* cuts = nullptr) {
  Simulation sim(job.model(), simulation_spec(job));
  begin(sim, job);
  std::vector<VecX> frames = {sim.state().u};
  for (int f = 1; f < job.shot.n_frames(); ++f) {
    for (int k = 0; k < job.body->substeps; ++k) {
      const StepReport r = sim.step();
      if (cuts) *cuts += r.cuts;
    }
    frames.push_back(sim.state().u);
  }
  return frames;
}

// How far the flesh of one is from that of the other, once the way is taken off; and how much it swings after the jump.
void expect_carried(const Job& still, const Job& jumps, int at, double close) {
  int none = 0, once = 0;
  const std::vector<VecX> a = simulated(still, &none), b = simulated(jumps, &once);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(once, 1);
  ASSERT_EQ(a.size(), b.size());
  // The frame at which it is elsewhere.
  size_t jump = 0;
  while (jump < a.size() && (jumps.shot.drive.vertices->at(static_cast<double>(jump) / jumps.shot.fps) -
                             still.shot.drive.vertices->at(static_cast<double>(jump) / jumps.shot.fps))
                                    .cwiseAbs()
                                    .maxCoeff() < 1)
    ++jump;
  ASSERT_NEAR(static_cast<double>(jump), at, 1);
  double swings = 0;
  for (size_t f = 0; f < a.size(); ++f) {
    VecX carried = a[f];
    for (Eigen::Index i = 0; i < carried.size() && f >= jump; i += 3) carried.segment<3>(i) += kWay;
    const double here = (b[f] - carried).cwiseAbs().maxCoeff();
    EXPECT_LT(here, close) << "frame " << f;
    if (f > jump) swings = std::max(swings, (a[f] - a[jump]).cwiseAbs().maxCoeff());
  }
  EXPECT_GT(swings, 1e-3);  // it is not at rest on the way
}

// Shaken once, still from frame 3 on.
double shake(int f) { return f == 1 ? 0.04 : f == 2 ? 0.05 : 0.0; }

class Teleport : public EnrichFiles {
 protected:
  // A character whose hips are shaken, and are elsewhere from a frame on.
  void put_character(const std::string& name, bool jumps) const {
    Character c = make_pear({.rings = 20, .segments = 16});
    Clip clip = c.clips[0];
    Channel hips = clip.channels[0];
    const Vec3 start(hips.values[0], hips.values[1], hips.values[2]);
    hips.times.clear(), hips.values.clear();
    // In a straight line it would be on its way already a frame before, which is not exact in the file.
    hips.interpolation = Interpolation::step;
    for (int f = 0; f < kLater + 12; ++f) {
      const Vec3 x = start + Vec3(0, shake(f), 0) + (jumps && f >= kLater ? kWay : Vec3(Vec3::Zero()));
      hips.times.push_back(f / 24.0);
      hips.values.insert(hips.values.end(), x.data(), x.data() + 3);
    }
    clip.channels = {hips};
    clip.start = 0, clip.end = hips.times.back();
    c.clips = {clip};
    write_gltf(path(name), c, {.colors = pear_colors()});
  }
  SceneConfig character(const std::string& name) const {
    return load_character_scene(path(name), {"tets.count=1200", "surface.scale=1", "timeline.loop=\"false\"",
                                             "timeline.start=\"rest\"", "solver.tolerance=1e-10"});
  }
};

// Driven vertices and springs both tell of it.
TEST_F(Teleport, of_a_character_takes_its_flesh_along) {
  put_character("still.glb", false);
  put_character("jumps.glb", true);
  SceneConfig still = character("still.glb"), jumps = character("jumps.glb");
  still.flesh = build_job(still, false).body->flesh;
  // What a clip throws it by is another matter, and it is to swing long enough.
  for (FleshConfig& f : still.flesh) f.inertia = 1, f.half_life_s = 1;
  jumps.flesh = still.flesh;
  const Job a = build_job(still), b = build_job(jumps);
  ASSERT_TRUE(b.shot.drive.vertices && b.shot.drive.springs);
  ASSERT_EQ(a.body->base.driven, b.body->base.driven);
  ASSERT_EQ(a.body->base.mesh.vertices, b.body->base.mesh.vertices);
  ASSERT_EQ(a.body->adjustment.epsilon, b.body->adjustment.epsilon);
  EXPECT_EQ(b.shot.drive.vertices->cuts(), b.shot.drive.springs->cuts());
  expect_carried(a, b, kLater, kCarried);
  const RunResult run = run_job(b, {.directory = path("run")});
  EXPECT_EQ(run.status, RunStatus::done) << run.message;
}

TEST_F(Teleport, of_an_enriched_animation_takes_its_flesh_along) {
  const auto moved = [](bool jumps) {
    return [jumps](const Vec3& x, int f) {
      return Vec3(x + Vec3(0, shake(f), 0) + (jumps && f >= kJump ? kWay : Vec3(Vec3::Zero())));
    };
  };
  const Settings set = {"timeline.start=\"rest\"", "solver.tolerance=1e-10"};
  put_cache("bar.pc2", bar_.vertices, 20, moved(false));
  const Job a = build_job(scene(set));
  put_cache("bar.pc2", bar_.vertices, 20, moved(true));
  const Job b = build_job(scene(set));
  expect_carried(a, b, kJump, kByFloats);
  const RunResult run = run_job(b, {.directory = path("run")});
  EXPECT_EQ(run.status, RunStatus::done) << run.message;
}

}  // namespace
}  // namespace supple
