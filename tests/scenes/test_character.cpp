// A character from file to file: what is soft moves, what is not stays to the bit, and held poses stay as drawn.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/demos/gallery/pear.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/point_cache.h"
#include "supple/pipeline/character/character_subject.h"
#include "supple/pipeline/deliver/delivered_run.h"
#include "supple/pipeline/run/run.h"
#include "supple/pipeline/run/run_character.h"
#include "supple/pipeline/setup/motion_check.h"
#include "supple/scene/looks.h"
#include "supple/scene/read_scene.h"
#include "supple/tune/carried_motion.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
namespace {

class CharacterScene : public SharedStages {
 protected:
  void SetUp() override {
    SharedStages::SetUp();
    write_gltf(path("pear.glb"), make_pear({.rings = 20, .segments = 16}), {.colors = pear_colors()});
  }
  SceneConfig scene(std::vector<std::string> set = {}) const {
    set.push_back("tets.count=1500");
    return load_character_scene(path("pear.glb"), set);
  }
  // Runs a clip and returns the drawn frames, in file units.
  PointCache run_clip(const Job& job, const std::string& name) const {
    RunOptions options{.directory = path(name), .overwrite = true};
    const RunResult r = run_job(job, options);
    EXPECT_EQ(r.status, RunStatus::done) << r.message;
    return read_pc2(path(name + "/surface.pc2"));
  }
  static double farthest(const PointCache& a, int s, const Points& b, double scale) {
    double worst = 0;
    for (size_t v = 0; v < b.size(); ++v) worst = std::max(worst, (a.points(s)[v] - b[v] / scale).norm());
    return worst;
  }
};

const std::vector<std::string> kPc2 = {"output.formats=[\"pc2\"]", "output.report=false"};

std::vector<std::string> with(std::vector<std::string> set, const std::vector<std::string>& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

TEST_F(CharacterScene, a_held_pose_returns_the_input) {
  const Job job = build_job(scene(with(kPc2, {"surface.clip=hold"})));
  const PointCache out = run_clip(job, "hold");
  const auto delivery = job.drawing();
  for (int s : {0, 24, 48})
    EXPECT_LT(farthest(out, s, delivery->base(s, VecX()), job.subject->character()->setup().scale), 1e-5 * 1.6) << s;
}

// Without the keeping of shape the same pose hangs as the simulation has it: at rest "weightless", far away.
TEST_F(CharacterScene, gravity_pulls_a_weightless_rest_shape_down_and_an_authored_one_not) {
  const auto sag_of = [&](const char* rest) {
    const Job job = build_job(scene(with(kPc2, {"surface.clip=hold", "output.shape=simulated", "timeline.range=[0,2]",
                                                std::string("surface.rest=") + rest})));
    return farthest(run_clip(job, rest), 0, job.drawing()->base(0, VecX()), job.subject->character()->setup().scale) /
           1.6;
  };
  EXPECT_LT(sag_of("authored"), 1e-3);
  EXPECT_GT(sag_of("weightless"), 1e-2);
}

TEST_F(CharacterScene, sag_counts_from_the_pose_as_drawn) {
  const auto set = with(kPc2, {"surface.clip=hold", "timeline.range=[0,2]"});
  const Job more = build_job(scene(with(set, {"controls.sag=2"})));
  const Job less = build_job(scene(with(set, {"controls.sag=0"})));
  const PointCache hangs = run_clip(more, "more"), floats = run_clip(less, "less");
  // The mean of what moves goes down with more gravity, and up without.
  const auto mean_height = [&](const PointCache& c, const Job& job) {
    double sum = 0;
    const Points input = job.drawing()->base(0, VecX());
    for (size_t v = 0; v < input.size(); ++v)
      sum += c.points(0)[v].y() - input[v].y() / job.subject->character()->setup().scale;
    return sum / static_cast<double>(input.size());
  };
  EXPECT_LT(mean_height(hangs, more), -1e-3);
  EXPECT_GT(mean_height(floats, less), 1e-3);
}

// The pear's clip has its keys 1/24 s apart and goes straight in between. Frames 2k at 24 and 5k at 60 a second are the
// same times.
TEST_F(CharacterScene, the_frame_rate_does_not_matter) {
  const auto run_at = [&](const std::string& fps, const std::string& substeps, const Job*& kept) {
    static Job job;
    job = build_job(scene(with(kPc2, {"surface.clip=hop", "timeline.fps=" + fps, "timeline.substeps=" + substeps})));
    kept = &job;
    return run_clip(job, "fps" + fps);
  };
  const Job* job = nullptr;
  const PointCache slow = run_at("24", "5", job);
  const auto delivery = job->drawing();
  std::vector<Points> input;
  for (int s = 0; s < slow.n_samples; s += 2) input.push_back(delivery->base(s, VecX()));
  const double scale = job->subject->character()->setup().scale;
  const PointCache fast = run_at("60", "2", job);
  double apart = 0, moved = 0;
  for (int k = 0; 2 * k < slow.n_samples && 5 * k < fast.n_samples; ++k)
    for (size_t v = 0; v < input[0].size(); ++v) {
      apart += (slow.points(2 * k)[v] - fast.points(5 * k)[v]).squaredNorm();
      moved += (slow.points(2 * k)[v] - input[static_cast<size_t>(k)][v] / scale).squaredNorm();
    }
  EXPECT_LT(std::sqrt(apart / moved), 0.03);
}

TEST_F(CharacterScene, what_is_not_soft_stays_to_the_bit_and_flesh_moves) {
  const Job job = build_job(scene(with(kPc2, {"surface.clip=hop"})));
  const PointCache out = run_clip(job, "hop");
  const auto delivery = job.drawing();
  const CharacterSetup& c = job.subject->character()->setup();
  int hard = 0, eyes = 0;
  double most = 0;
  for (int s = 0; s < out.n_samples; ++s) {
    PointCache exact;
    exact.add(1 / c.scale * flatten(delivery->base(s, VecX())));
    for (int v = 0; v < c.drawn.n_vertices(); ++v) {
      const bool is_hard = c.skin_of[v] < 0 || c.flesh.skin_softness[c.skin_of[v]] == 0;
      const double d = (out.points(s)[v] - exact.points(0)[v]).norm();
      if (is_hard) {
        ASSERT_EQ(d, 0) << "frame " << s << ", vertex " << v;
        ++hard;
        eyes += c.skin_of[v] < 0;
      }
      most = std::max(most, d);
    }
  }
  EXPECT_GT(hard, 0);
  EXPECT_GT(eyes, 0);
  EXPECT_GT(most, 0.005);
  EXPECT_LT(most, 0.3);
}

TEST_F(CharacterScene, flesh_lags_behind_and_rings_after_the_landing) {
  const Job job = build_job(scene(with(kPc2, {"surface.clip=hop"})));
  const PointCache out = run_clip(job, "hop");
  const auto delivery = job.drawing();
  // Mean offset along y of the soft skin, frame by frame.
  std::vector<double> offset;
  for (int s = 0; s < out.n_samples; ++s) {
    const Points input = delivery->base(s, VecX());
    double sum = 0;
    for (size_t v = 0; v < input.size(); ++v)
      sum += out.points(s)[v].y() - input[v].y() / job.subject->character()->setup().scale;
    offset.push_back(sum / static_cast<double>(input.size()));
  }
  // Thrown up at 0.55 s (frame 13): the flesh stays below. Stopped at 1.05 s (frame 25): it goes on down.
  EXPECT_LT(offset[14], 0);
  EXPECT_LT(*std::min_element(offset.begin() + 25, offset.begin() + 30), -1e-3);
  EXPECT_GT(*std::max_element(offset.begin() + 27, offset.begin() + 36), 0);
}

TEST_F(CharacterScene, the_glb_plays_to_the_delivered_surface_and_keeps_the_clip) {
  const SceneConfig s = scene({"surface.clip=hop"});
  RunCharacterOptions options{.out = path("soft.glb"), .directory = path("take")};
  const RunCharacterResult result = run_character(s, "hop", options);
  ASSERT_EQ(result.status, RunStatus::done) << result.message;
  EXPECT_EQ(result.glb.clips, std::vector<std::string>{"hop.soft"});

  const Character before = read_gltf(path("pear.glb")), after = read_gltf(path("soft.glb"));
  ASSERT_EQ(after.clips.size(), 4u);
  EXPECT_EQ(after.clips[0].name, "hop");
  const Drawn a = lay_out(before), b = lay_out(after);
  // The artist's clip is the same.
  for (double t : {0.0, 0.61, 1.4}) {
    const Points x = posed(a.vertices, pose_at(before, a, before.clips[0], t));
    const Points y = posed(b.vertices, pose_at(after, b, after.clips[0], t));
    for (size_t v = 0; v < x.size(); ++v) ASSERT_EQ(x[v], y[v]);
  }
  // The soft one is what the run delivered.
  SceneConfig again = s;
  again.output.formats = {"pc2"};
  const Job job = build_job(again);
  const PointCache delivered = run_clip(job, "again");
  const Clip& soft = find_clip(after, "hop.soft");
  double worst = 0, moved = 0;
  for (int f = 0; f < delivered.n_samples; ++f) {
    const Points y = posed(b.vertices, pose_at(after, b, soft, f / job.shot.fps));
    const Points x = posed(a.vertices, pose_at(before, a, before.clips[0], f / job.shot.fps));
    for (size_t v = 0; v < y.size(); ++v) {
      worst = std::max(worst, (y[v] - delivered.points(f)[v]).norm());
      moved = std::max(moved, (y[v] - x[v]).norm());
    }
  }
  // As near as was told, which is near enough.
  EXPECT_LT(worst, 1.001 * result.glb.max_error_share * job.subject->character()->setup().size() + 1e-6);
  EXPECT_LT(worst, 0.011 * moved);
  EXPECT_GT(moved, 0.005);
}

TEST_F(CharacterScene, all_clips_go_into_one_file) {
  RunCharacterOptions options{.out = path("soft.glb"), .directory = path("take")};
  const RunCharacterResult result =
      run_character(scene({"timeline.range=[0,3]", "timeline.loop=false"}), "all", options);
  ASSERT_EQ(result.status, RunStatus::done) << result.message;
  EXPECT_EQ(result.glb.clips, (std::vector<std::string>{"hop.soft", "twist.soft", "hold.soft"}));
  EXPECT_TRUE(std::filesystem::exists(path("take/twist/report.json")));
}

// File units decide nothing: a character a hundred times as large in its file moves the same.
TEST_F(CharacterScene, units_of_the_file_do_not_matter) {
  const auto set = with(kPc2, {"surface.clip=hop", "tets.count=1500", "timeline.range=[10,20]"});
  const PointCache small = run_clip(build_job(load_character_scene(path("pear.glb"), set)), "small");
  write_gltf(path("large.glb"), make_pear({.rings = 20, .segments = 16, .unit = 100}));
  const PointCache large = run_clip(build_job(load_character_scene(path("large.glb"), set)), "large");
  ASSERT_EQ(small.xyz.size(), large.xyz.size());
  double worst = 0;
  for (size_t k = 0; k < small.xyz.size(); ++k)
    worst = std::max(worst, std::abs(static_cast<double>(small.xyz[k]) - 0.01 * large.xyz[k]));
  EXPECT_LT(worst, 1e-4);
}

TEST_F(CharacterScene, results_do_not_depend_on_threads_nor_on_a_stop) {
  const auto set = with(kPc2, {"surface.clip=hop", "timeline.range=[10,24]"});
  const PointCache whole = run_clip(build_job(scene(set)), "whole");
  const Job job = build_job(scene(set));
  int frames = 0;
  const Watch stop{.progress = [&](std::string_view, int frame, int) { frames = frame; },
                   .cancelled = [&] { return frames >= 7; }};
  EXPECT_EQ(run_job(job, {.directory = path("parts")}, stop).status, RunStatus::interrupted);
  EXPECT_EQ(run_job(job, {.directory = path("parts"), .resume = true}).status, RunStatus::done);
  EXPECT_EQ(read_pc2(path("parts/surface.pc2")).xyz, whole.xyz);
}

// The soft clip can be taken while files and pictures are made, and is the one that the run would have given.
TEST_F(CharacterScene, the_soft_clip_is_there_while_files_are_written) {
  const Job job = build_job(scene(with({"output.formats=[\"pc2\"]"}, {"surface.clip=hop", "timeline.range=[10,18]"})));
  const RunResult plain = run_job(job, {.directory = path("plain")});
  int taken = 0;
  const auto take = [&](SoftClip& clip) {
    ++taken;
    EXPECT_EQ(clip.times, plain.soft.times);
    ASSERT_EQ(clip.meshes.size(), plain.soft.meshes.size());
    EXPECT_EQ(clip.meshes[0].positions, plain.soft.meshes[0].positions);
    EXPECT_EQ(clip.meshes[0].normals, plain.soft.meshes[0].normals);
  };
  const RunResult second = run_job(job, {.directory = path("out"), .while_writing = take});
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(second.files, plain.files);
  EXPECT_EQ(second.check.swing99, plain.check.swing99);
  for (const char* file : {"surface.pc2", "tets.pc2", "poster.png", "softness.png", "surface.obj", "amplitude.csv"})
    EXPECT_EQ(read(path(std::string("out/") + file)), read(path(std::string("plain/") + file))) << file;
}

// What nobody said: a frequency that suits the thickness where the slowest swing is, and a half-life in periods of it.
TEST_F(CharacterScene, flesh_gets_the_frequency_of_its_thickness) {
  const Job job = build_job(scene({"surface.clip=hop", "surface.rest=weightless"}), false);
  ASSERT_FALSE(job.body->parts.empty());
  const PartNumbers& part = job.body->parts[0];
  double thinnest = 1e9, thickest = 0;
  for (int v : part.vertices) {
    thinnest = std::min(thinnest, 2 * job.subject->character()->setup().flesh.half_thickness[v]);
    thickest = std::max(thickest, 2 * job.subject->character()->setup().flesh.half_thickness[v]);
  }
  EXPECT_GT(part.baseline.frequency_hz, frequency_for_thickness(thickest) / 1.1);
  EXPECT_LT(part.baseline.frequency_hz, frequency_for_thickness(thinnest) * 1.1);
  // In periods of it, though what is slow stands soon too.
  EXPECT_NEAR(part.baseline.half_life_s, std::min(kUsualPeriods / part.baseline.frequency_hz, 0.35), 0.01);
}

TEST_F(CharacterScene, the_numbers_of_a_sane_motion) {
  const Job job = build_job(scene({"surface.clip=hold"}));
  PointCache rest, moved, drawn, wide;
  const VecX x = flatten(job.body->base.mesh.vertices),
             input = flatten(job.subject->character()->setup().drawn.vertices.rest);
  VecX away = x;
  for (int v : job.body->parts[0].vertices) away[3 * v] += 0.018;  // a hundredth of its size
  rest.add(x), moved.add(away), drawn.add(input), wide.add(1.5 * input);
  const MotionCheck still = *job.subject->check({job.config, job.body->base, rest, rest, drawn, drawn});
  EXPECT_EQ(still.rms_share, 0);
  EXPECT_EQ(still.swing99, 0);
  EXPECT_NEAR(still.worst_stretch, 1, 1e-5);
  EXPECT_NEAR(still.box_ratio, 1, 1e-6);
  EXPECT_EQ(still.peak_share, 0);
  EXPECT_TRUE(complaints(still).empty());
  const MotionCheck shifted = *job.subject->check({job.config, job.body->base, moved, rest, wide, drawn});
  EXPECT_GT(shifted.rms_share, 0.001);
  EXPECT_LE(shifted.rms_share, 0.0101 * kNominalSize / job.subject->character()->setup().size());
  EXPECT_NEAR(shifted.box_ratio, 1.5, 1e-5);
  EXPECT_GT(shifted.peak_share, 0.2);
  EXPECT_LT(shifted.peak_share, 0.6);
  EXPECT_FALSE(complaints(shifted).empty());
}

TEST_F(CharacterScene, wrong_input_is_refused_with_the_reason) {
  const auto message = [&](const std::function<void()>& f) -> std::string {
    try {
      f();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { build_job(scene({"surface.clip=skip"})); }).find("hop"), std::string::npos);
  EXPECT_NE(message([&] { build_job(scene({"attach.soft=paint"})); }).find("paint"), std::string::npos);
  EXPECT_NE(message([&] { scene({"tets.scale=2"}); }).find("character"), std::string::npos);
  EXPECT_NE(message([&] { scene({"surface.scale=1", "surface.height=2"}); }).find("exclude"), std::string::npos);
  const std::string hard =
      write("hard.toml", "[surface]\nfile = \"pear.glb\"\n[[part]]\nmatch = \"*\"\nrole = \"rigid\"\n");
  EXPECT_NE(message([&] { build_job(load_scene(hard)); }).find("nothing of it is soft"), std::string::npos);
  write("cut.glb", read(path("pear.glb")).substr(0, 5000));
  EXPECT_FALSE(message([&] { build_job(load_character_scene(path("cut.glb"))); }).empty());
}

TEST_F(CharacterScene, subframes_lie_between_frames_and_pass_through_them) {
  const auto set = with(kPc2, {"surface.clip=hop", "timeline.range=[12,20]"});
  const PointCache frames = run_clip(build_job(scene(set)), "frames");
  const PointCache fine = run_clip(build_job(scene(with(set, {"output.subframes=3"}))), "fine");
  ASSERT_EQ(fine.n_samples, 4 * (frames.n_samples - 1) + 1);
  for (int s = 0; s < frames.n_samples; ++s)
    for (int v = 0; v < frames.n_points; v += 50) EXPECT_LT((fine.points(4 * s)[v] - frames.points(s)[v]).norm(), 1e-6);
}

}  // namespace
}  // namespace supple
