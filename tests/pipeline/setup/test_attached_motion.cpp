// Where a scene takes what is attached.
#include "supple/pipeline/setup/attached_motion.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/io/point_cache.h"
#include "tests/scene/scene_files.h"
#include "tests/support/beam.h"

namespace supple {

using namespace pipeline;
namespace {

class AttachedMotion : public SceneFiles {
 protected:
  AttachedMotion() {
    body_.spec = test::beam_spec({});
    for (int v : body_.spec.driven) body_.attached.push_back(body_.spec.mesh.vertices[static_cast<size_t>(v)]);
    adjusted_.base = body_.spec;
    adjusted_.fps = 24;
  }
  std::shared_ptr<const Track> motion() {
    StartPlanner planner(config_, 24, body_.spec, nullptr, notes_);
    return attached_motion({config_, body_, adjusted_}, planner, frames_, notes_);
  }
  // Each sample a centimetre higher; `more` points than are attached.
  void put_cache(int samples, int more = 0) {
    const int n = static_cast<int>(body_.attached.size());
    Pc2Writer out(path("track.pc2"), n + more);
    for (int s = 0; s < samples; ++s) {
      VecX x = VecX::Zero(3 * (n + more));
      for (int i = 0; i < n; ++i)
        x.segment<3>(3 * i) = body_.attached[static_cast<size_t>(i)] + Vec3(0, 0.01 * s * s, 0);
      out.append(x);
    }
    out.finish();
    config_.attach.track = {"track.pc2", path("track.pc2")};
  }
  SceneConfig config_;
  Body body_;
  AdjustedBody adjusted_;
  Notes notes_;
  int frames_ = 0;
};

TEST_F(AttachedMotion, without_any_all_stays) {
  EXPECT_EQ(motion(), nullptr);
  EXPECT_EQ(frames_, 49);
  config_.timeline.frames = 7;
  EXPECT_EQ(motion(), nullptr);
  EXPECT_EQ(frames_, 7);
  EXPECT_TRUE(notes_.inputs.empty());
}

TEST_F(AttachedMotion, a_track_has_a_sample_a_frame) {
  put_cache(5);
  const auto track = motion();
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(frames_, 5);
  for (int f = 0; f < 5; ++f) EXPECT_NEAR(track->at(f / 24.0)[1] - body_.attached[0][1], 0.01 * f * f, 1e-7);
  ASSERT_EQ(notes_.inputs.size(), 1u);
  EXPECT_EQ(notes_.inputs[0].first, "track.pc2");
  // More frames than samples: the end is held.
  config_.timeline.frames = 9;
  const auto held = motion();
  EXPECT_EQ(frames_, 9);
  EXPECT_NEAR(held->at(8 / 24.0)[1] - body_.attached[0][1], 0.16, 1e-7);
  put_cache(5, 1);
  EXPECT_THROW(motion(), InputError);
}

TEST_F(AttachedMotion, rigid_keys_give_their_frames) {
  write("keys.csv", "0,0,0,0,0,0,0,1\n0.5,0,0.2,0,0,0,1,0\n");
  config_.attach.rigid = {"keys.csv", path("keys.csv")};
  const auto track = motion();
  EXPECT_EQ(frames_, 13);
  const Vec3 end = track->at(0.5).head<3>(), start = body_.attached[0];
  EXPECT_LT((end - Vec3(-start[0], 0.2 - start[1], start[2])).norm(), 1e-9);
}

TEST_F(AttachedMotion, a_test_motion_rests_at_both_ends) {
  config_.timeline.test_motion = "hop";
  const auto track = motion();
  ASSERT_GT(frames_, 2);
  const VecX rest = flatten(body_.attached);
  double most = 0;
  for (int f = 0; f < frames_; ++f) most = std::max(most, (track->at(f / 24.0) - rest).cwiseAbs().maxCoeff());
  EXPECT_GT(most, 0.01);
  EXPECT_LT((track->at(0) - rest).norm(), 1e-9);
  EXPECT_LT((track->at((frames_ - 1) / 24.0) - rest).norm(), 1e-9);
}

TEST_F(AttachedMotion, followers_go_along_rigidly) {
  put_cache(4);
  const int last = body_.spec.mesh.n_vertices() - 1;
  body_.followers = {last};
  const auto track = motion();
  ASSERT_EQ(track->n_points(), static_cast<int>(body_.attached.size()) + 1);
  const Vec3 there = track->at(3 / 24.0).tail<3>(), rest = body_.spec.mesh.vertices[static_cast<size_t>(last)];
  EXPECT_LT((there - rest - Vec3(0, 0.09, 0)).norm(), 1e-7);
}

}  // namespace
}  // namespace supple
