// From a character to weights: the pack that was written, read by the C runtime and driven by the bones of a clip,
// gives what was baked for that clip.
#include <supple_live.h>

#include <cmath>

#include "supple/anim/loop_track.h"
#include "tests/scenes/live_man_files.h"

namespace supple {

using namespace demos;
namespace {

// A bone's path through the frames of a clip, from its first on: origin and the tips of its axes. A cycle repeats.
std::unique_ptr<Track> smooth_path(const ClipPlan& plan, int node) {
  const Points tips = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  std::vector<RigidKey> keys;
  for (size_t f = 0; f < plan.times.size(); ++f) {
    const BoneFrame frame = rigid_frame(plan.nodes[f][static_cast<size_t>(node)], 1);
    keys.push_back(
        {.t = static_cast<double>(f) / plan.fps, .translation = frame.origin, .quaternion = Quat(frame.axes).coeffs()});
  }
  if (plan.loops) return make_looped_rigid_track(keys, tips, plan.carry);
  continue_end(keys);
  return make_rigid_track(keys, tips, TrackStart::moving);
}

class LiveRuntime : public LiveManFiles {
 protected:
  // The C runtime with a part of the pack file an instance.
  struct Runtime {
    std::vector<char> pack_block, block;
    supple_live_pack pack{};
    supple_live_world* world = nullptr;
  };
  void open(Runtime& r) const {
    const std::string bytes = read(path("out/man.live"));
    char message[200] = "";
    size_t size = 0;
    ASSERT_EQ(supple_live_read_size(bytes.data(), bytes.size(), &size, message, sizeof message), SUPPLE_LIVE_OK)
        << message;
    r.pack_block.resize(size);
    ASSERT_EQ(supple_live_read(bytes.data(), bytes.size(), r.pack_block.data(), size, &r.pack, message, sizeof message),
              SUPPLE_LIVE_OK)
        << message;
    ASSERT_EQ(r.pack.part_count, static_cast<int>(build_.pack.parts.size()));
    const std::vector<int> own = {0, 1, 2};
    supple_live_config config{};
    config.parts = r.pack.parts, config.part_count = r.pack.part_count;
    config.instance_count = r.pack.part_count, config.instance_part = own.data();
    for (int c = 0; c < 3; ++c) config.gravity[c] = r.pack.gravity[c];
    r.block.resize(supple_live_size(&config, message, sizeof message));
    ASSERT_EQ(supple_live_init(r.block.data(), r.block.size(), &config, &r.world, message, sizeof message),
              SUPPLE_LIVE_OK)
        << message;
  }

  // Largest difference from the baked weights of a clip, of the largest of them, part by part. samples_a_step: how many
  // of the bake's samples one step goes over.
  std::vector<double> off_by(size_t clip, size_t samples_a_step, bool gravity = true) {
    Runtime r;
    open(r);
    const size_t n_parts = build_.parts.size();
    std::vector<std::unique_ptr<Track>> paths;
    for (size_t p = 0; p < n_parts; ++p) {
      paths.push_back(smooth_path(build_.clips[clip], build_.pack.parts[p].node));
      supple_live_settings s = supple_live_get_settings(r.world, static_cast<int>(p));
      s.use_gravity = gravity;
      supple_live_set_settings(r.world, static_cast<int>(p), &s);
    }
    const std::vector<MatX> baked = baked_weights(build_, clip);
    std::vector<double> worst(n_parts, 0);
    const ClipMotion& m = build_.parts[0].motions[clip];
    for (size_t i = 0; i < m.motion.size(); i += samples_a_step) {
      for (size_t p = 0; p < n_parts; ++p) {
        const double t = m.motion.step * (static_cast<double>(i) - static_cast<double>(m.lead));
        const VecX x = paths[p]->at(t);
        Mat3 axes;
        for (int c = 0; c < 3; ++c) axes.col(c) = x.segment<3>(3 * (c + 1)) - x.head<3>();
        // The same motion as was baked.
        EXPECT_LT((axes - build_.parts[p].motions[clip].motion.axes[i]).norm(), 1e-9);
        const Eigen::Vector3f position = x.head<3>().cast<float>();
        const Eigen::Vector4f turn = Quat(axes).coeffs().cast<float>();
        supple_live_set_pose(r.world, static_cast<int>(p), position.data(), turn.data());
      }
      supple_live_step(r.world, m.motion.step * static_cast<double>(samples_a_step));
      if (i < m.lead || (i - m.lead) % m.per_frame != 0) continue;
      const auto frame = static_cast<Eigen::Index>((i - m.lead) / m.per_frame);
      for (size_t p = 0; p < n_parts; ++p) {
        const float* w = supple_live_weights(r.world, static_cast<int>(p));
        for (Eigen::Index k = 0; k < baked[p].cols(); ++k)
          worst[p] = std::max(worst[p], std::abs(w[k] - baked[p](frame, k)));
      }
    }
    for (size_t p = 0; p < n_parts; ++p) {
      worst[p] /= baked[p].cwiseAbs().maxCoeff();
      std::printf("%s, %s, %3.0f Hz%s: %.4f of the peak\n", build_.clips[clip].clip->name.c_str(),
                  build_.pack.parts[p].name.c_str(), 1 / (m.motion.step * static_cast<double>(samples_a_step)),
                  gravity ? "" : ", no gravity", worst[p]);
    }
    return worst;
  }
};

TEST_F(LiveRuntime, bake_pack_and_runtime_agree) {
  ASSERT_NO_FATAL_FAILURE(make_man(R"(["live"])"));
  ASSERT_FALSE(build_.clips[0].loops);
  ASSERT_TRUE(build_.clips[1].loops);
  for (size_t clip = 0; clip < 2; ++clip) {
    for (const double off : off_by(clip, 1)) EXPECT_LT(off, 0.02);
    for (const double off : off_by(clip, 8)) EXPECT_LT(off, 0.05);
  }
  // It would be seen if gravity were left out.
  for (const double off : off_by(0, 1, false)) EXPECT_GT(off, 0.05);
}

}  // namespace
}  // namespace supple
