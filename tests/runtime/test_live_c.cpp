// What the C runtime promises: closed forms of ringing and leaning, dials, pauses, cuts, level of detail, memory, bits.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "live_world.h"

// Counts what is allocated in this program, where the C library lets us stand in front of it.
#if defined(__GLIBC__) && !defined(SUPPLE_SANITIZED)
#define COUNTS_ALLOCATIONS
static std::atomic<long> allocations{0};
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, size_t size) {
  ++allocations;
  return __libc_realloc(p, size);
}
}
#endif

namespace live_test {
namespace {

Pose sway(double t) {
  return turned({0.2, 1, 0.4}, 0.5 * std::sin(6 * t), {0.1 * std::sin(8 * t), 0.05 * std::cos(5 * t), 0});
}

struct Ring {
  double frequency_hz, half_life;
};

// Pushed aside, let go, and read off: z_n+1 + b z_n-1 = a z_n for every ringing, a = 2 e^-dt cos, b = e^-2dt.
Ring ring_down(const ReferencePart& part, const ReferenceDials& dials, double dt) {
  World world(part);
  ReferenceSettings s;
  s.dials = dials, s.use_gravity = false;
  s.forcing = {0.3 * std::pow(2 * M_PI * part.modes[0].frequency_hz * dials.frequency, 2)};
  world.use(s);
  for (int i = 0; i < 40 / dt; ++i) world.step(dt, {});
  EXPECT_NEAR(world.weights()[0], 0.3 * dials.amplitude, 1e-5);
  s.forcing.clear();
  world.use(s);
  std::vector<double> z;
  for (int i = 0; i < 1.0 / dt; ++i) z.push_back(world.step(dt, {})[0]);
  Eigen::MatrixXd A(Eigen::Index(z.size()) - 2, 2);
  Eigen::VectorXd y(A.rows());
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    A(i, 0) = z[size_t(i) + 1], A(i, 1) = -z[size_t(i)], y[i] = z[size_t(i) + 2];
  const Eigen::Vector2d ab = A.colPivHouseholderQr().solve(y);
  const double decay = -std::log(ab[1]) / (2 * dt), p = std::acos(ab[0] / (2 * std::sqrt(ab[1]))) / dt;
  return {std::sqrt(p * p + decay * decay) / (2 * M_PI), std::log(2.0) / decay};
}

TEST(LiveC, RingsAtItsFrequencyAndDiesInItsHalfLife) {
  const ReferencePart part = one_mode(3.2, 2.5);
  for (double dt : {1.0 / 30, 1.0 / 60, 1.0 / 144})
    for (const ReferenceDials& d : {ReferenceDials{}, {1.8, 1, 1, 1, false}, {0.6, 1.5, 1, 0.7, true}}) {
      const Ring ring = ring_down(part, d, dt);
      EXPECT_NEAR(ring.frequency_hz / (3.2 * d.frequency), 1, 1e-4) << dt;
      EXPECT_NEAR(ring.half_life / (std::log(2.0) / 2.5 * d.half_life), 1, 1e-4) << dt;
    }
}

TEST(LiveC, AmplitudeScalesTheMotionAboutTheHanging) {
  const ReferencePart part = hand_made_part();
  World plain(part), loud(part), still(part);
  auto s = loud.settings();
  s.dials.amplitude = 2.5f;
  loud.use(s);
  supple_live_set_active_modes(still.world, 0, 0);
  double most = 0;
  for (int i = 0; i < 100; ++i) {
    const auto a = plain.step(1.0 / 60, sway(i / 60.0)), b = loud.step(1.0 / 60, sway(i / 60.0)),
               rest = still.step(1.0 / 60, sway(i / 60.0));
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(b[k] - rest[k], 2.5 * (a[k] - rest[k]), 1e-6);
      most = std::max(most, std::abs(a[k] - rest[k]));
    }
  }
  EXPECT_GT(most, 0.01);
}

TEST(LiveC, LeansExactlyUnderASteadyPush) {
  const ReferencePart part = one_mode(3.2, 14);
  const double K = std::pow(2 * M_PI * 3.2, 2), push = 2.0;
  for (const ReferenceDials& d : {ReferenceDials{}, {1.5, 1, 1, 1, true}, {1.5, 1, 1, 1, false}}) {
    World world(part);
    ReferenceSettings s;
    s.dials = d, s.use_gravity = false;
    world.use(s);
    std::vector<double> w;
    for (int i = 0; i <= 60; ++i) {  // a bone that gains speed steadily
      const double t = i / 60.0;
      w = world.step(1.0 / 60, {Vec3(push * t * t / 2, 0, 0), Eigen::Quaterniond::Identity()});
    }
    const double expected = -push / K * (d.sustained || d.frequency == 1 ? 1 : 1 / d.frequency);
    EXPECT_NEAR(w[0], expected, 1e-4 * std::abs(expected));
  }
}

TEST(LiveC, IsFlungOutExactlyByASteadySpin) {
  const ReferencePart part = one_mode(3.2, 14);
  const double K = std::pow(2 * M_PI * 3.2, 2), rate = 7;
  World world(part);
  ReferenceSettings s;
  s.use_gravity = false;
  world.use(s);
  std::vector<double> w;
  for (int i = 0; i <= 90; ++i) w = world.step(1.0 / 60, turned({0, 3, 4}, rate * i / 60.0));
  const double y = 0.6 * rate, z = 0.8 * rate;
  EXPECT_NEAR(w[0], (0.2 * y * y + 0.3 * z * z + 0.1 * y * z) / K, 1e-4 * w[0]);
  s.centrifugal = false;
  world.use(s);
  for (int i = 91; i <= 200; ++i) w = world.step(1.0 / 60, turned({0, 3, 4}, rate * i / 60.0));
  EXPECT_NEAR(w[0], 0, 1e-6);
}

TEST(LiveC, SagFollowsGravityWhateverTheSpeed) {
  ReferencePart part = one_mode(2.0, 9);
  part.rest_gravity = {0, -9.81, 0};
  const double K = std::pow(2 * M_PI * 2.0, 2);
  for (double f : {1.0, 2.0})
    for (double sag : {1.0, 0.5, 0.0}) {
      World world(part);
      ReferenceSettings s;
      s.dials.frequency = f, s.dials.sag = sag;
      world.use(s);
      EXPECT_NEAR(world.step(1.0 / 60, {})[0], 0, 1e-7);  // at once, and as drawn: x does not feel y
      for (int i = 0; i < 240; ++i) world.step(1.0 / 60, turned({0, 0, 1}, -M_PI / 2 * std::min(1.0, i / 60.0)));
      // Turned by a quarter: gravity along bone x. H is -1 along x.
      EXPECT_NEAR(world.weights()[0], sag * 9.81 / K, 1e-5);
    }
}

TEST(LiveC, PauseChangesNothing) {
  World world(hand_made_part()), paused(hand_made_part());
  for (int i = 0; i < 60; ++i) {
    const auto expected = world.step(1.0 / 60, sway(i / 60.0));
    const auto found = paused.step(1.0 / 60, sway(i / 60.0));
    EXPECT_EQ(expected, found);
    for (int k = 0; i % 7 == 3 && k < 3; ++k) EXPECT_EQ(paused.step(0, sway(100.0 + k)), expected);
  }
}

TEST(LiveC, ATeleportStartsAfreshAndLeavesTheRestAlone) {
  World world(hand_made_part(), 2);
  World fresh(hand_made_part());
  for (int i = 0; i < 30; ++i) world.pose(1, sway(i / 60.0)), world.step(1.0 / 60, sway(i / 60.0));
  Pose far = sway(0.5);
  far.position.x() += 3;
  world.pose(1, sway(0.5));
  EXPECT_EQ(world.step(1.0 / 60, far), fresh.step(1.0 / 60, far));
  EXPECT_NE(world.weights(1), world.weights(0));
  Pose turned_far = far;  // by more than cut_rad
  turned_far.rotation = far.rotation * Eigen::AngleAxisd(2.0, Vec3::UnitZ());
  world.pose(1, sway(31 / 60.0));
  World again(hand_made_part());
  EXPECT_EQ(world.step(1.0 / 60, turned_far), again.step(1.0 / 60, turned_far));
}

TEST(LiveC, AJumpOfTheFrameTimeIsNoKick) {
  // A bone at steady speed: whatever the steps, the flesh must not feel anything.
  World world(one_mode(3, 2));
  ReferenceSettings s;
  s.use_gravity = false;
  world.use(s);
  double t = 0;
  const double steps[] = {1.0 / 60, 1.0 / 60, 0.2, 1.0 / 144, 1.0 / 144, 0.05, 0.01, 0.24, 0.002, 1.0 / 60};
  for (int round = 0; round < 5; ++round)
    for (double dt : steps) {
      t += dt;
      EXPECT_NEAR(world.step(dt, turned({1, 0, 0}, 1.0 * t, {0.5 * t, 0, 0}))[0], 0, 2e-5);
    }
  EXPECT_EQ(world.step(0.3, turned({1, 0, 0}, 1.0 * t, {0.5 * t, 0, 0}))[0], 0);  // too long: afresh
}

TEST(LiveC, PosesThatAreNotFiniteAreIgnored) {
  const ReferencePart part = hand_made_part();
  for (int field = 0; field < 7; ++field)
    for (float bad : {NAN, INFINITY, -INFINITY, 1e30f}) {
      World world(part, 2);
      std::vector<double> last;
      for (int i = 0; i < 20; ++i) world.pose(1, sway(i / 60.0)), last = world.step(1.0 / 60, sway(i / 60.0));
      float pose[7] = {0, 0, 0, 0, 0, 0, 1};
      pose[field] = bad;
      supple_live_set_pose(world.world, 0, pose, pose + 3);
      supple_live_step(world.world, 1.0 / 60);
      EXPECT_EQ(world.weights(0), last);
      const auto next = world.step(1.0 / 60, sway(0.4));
      World fresh(part);
      EXPECT_EQ(next, fresh.step(1.0 / 60, sway(0.4)));
      for (double w : world.weights(1)) EXPECT_TRUE(std::isfinite(w));
    }
  World world(part);
  const float zero[4] = {0, 0, 0, 0};
  supple_live_set_pose(world.world, 0, zero, zero);  // no rotation at all
  supple_live_step(world.world, 1.0 / 60);
  for (double w : world.weights()) EXPECT_EQ(w, 0);
}

TEST(LiveC, WildMotionStaysFinite) {
  ReferencePart part = hand_made_part();
  part.cut_m = 0, part.cut_rad = 0, part.weight_limit = 3;
  World world(part);
  auto s = world.settings();
  s.use_gravity = 0;  // what hangs is not limited
  world.use(s);
  for (int i = 0; i < 500; ++i) {
    const double big = std::pow(10.0, i % 15);
    const double dt = i % 3 ? 1e-5 : 0.25;
    for (double w : world.step(dt, turned({1, double(i % 5), 2}, 3.0 * i, {big * (i % 2 ? 1 : -1), big, 0}))) {
      EXPECT_TRUE(std::isfinite(w));
      EXPECT_LE(std::abs(w), 3.0001);
    }
  }
  supple_live_reset(world.world, 0);
  World fresh(part);
  fresh.use(s);
  EXPECT_EQ(world.step(1.0 / 60, sway(1)), fresh.step(1.0 / 60, sway(1)));
}

TEST(LiveC, LevelOfDetailKeepsTheFirstModes) {
  ReferencePart part = hand_made_part();
  for (auto& m : part.modes) m.coriolis.clear();
  World all(part), few(part), none(part);
  supple_live_set_active_modes(few.world, 0, 2);
  supple_live_set_active_modes(none.world, 0, 0);
  for (int i = 0; i < 60; ++i) {
    const auto a = all.step(1.0 / 60, sway(i / 60.0)), b = few.step(1.0 / 60, sway(i / 60.0)),
               c = none.step(1.0 / 60, sway(i / 60.0));
    for (size_t k = 0; k < 5; ++k) EXPECT_EQ(b[k], k < 2 ? a[k] : c[k]);
  }
  supple_live_set_active_modes(few.world, 0, -1);  // back again: from rest, no jump
  const auto before = few.weights(), after = few.step(1.0 / 60, sway(1.0));
  for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(before[k], after[k], 0.1);
  EXPECT_NE(after, few.step(1.0 / 60, sway(1.05)));
}

TEST(LiveC, PokesPushByForceOverMass) {
  const ReferencePart part = one_mode(2.0, 12.0);
  World world(part);
  auto s = world.settings();
  s.use_gravity = 0;
  world.use(s);
  const float shape[3] = {0.01f, 0, -0.02f}, force[3] = {5, 7, 3};
  EXPECT_EQ(supple_live_poke(world.world, 0, shape, 0, force), SUPPLE_LIVE_OK);
  EXPECT_EQ(supple_live_poke(world.world, 0, shape, 0, force), SUPPLE_LIVE_OK);
  for (int i = 0; i < 200; ++i) world.step(1.0 / 60, {});
  EXPECT_NEAR(world.weights()[0], 2 * (0.05 - 0.06) / 0.5 / std::pow(4 * M_PI, 2), 1e-7);
  EXPECT_EQ(supple_live_set_forcing(world.world, 0, nullptr), SUPPLE_LIVE_OK);
  for (int i = 0; i < 200; ++i) world.step(1.0 / 60, {});
  EXPECT_NEAR(world.weights()[0], 0, 1e-8);
  const float bad[3] = {NAN, 0, 0};
  EXPECT_EQ(supple_live_poke(world.world, 0, shape, 0, bad), SUPPLE_LIVE_BAD_ARGUMENT);
  EXPECT_EQ(supple_live_set_forcing(world.world, 0, bad), SUPPLE_LIVE_BAD_ARGUMENT);
}

TEST(LiveC, WhereAnInstanceStandsDoesNotChangeItsBits) {
  ReferencePart other = one_mode(5, 1);
  const int n = 27;
  std::vector<int> which(n, 0);
  for (int i = 0; i < n; i += 3) which[size_t(i)] = 1;
  World crowd({hand_made_part(), other}, which), alone(hand_made_part()), again({hand_made_part(), other}, which);
  for (int i = 0; i < 80; ++i) {
    const double dt = i % 9 ? 1.0 / 60 : 1.0 / 45;
    for (int k = 0; k < n; ++k) crowd.pose(k, sway(i / 60.0)), again.pose(k, sway(i / 60.0));
    supple_live_step(crowd.world, dt);
    supple_live_step(again.world, dt);
    if (i == 40) supple_live_reset(crowd.world, 4), supple_live_reset(again.world, 4);  // only that lane differs
    const auto expected = alone.step(dt, sway(i / 60.0));
    for (int k = 0; k < n; ++k) {
      if (k % 3 && k != 4) {
        EXPECT_EQ(crowd.weights(k), expected) << i << " " << k;
      }
      EXPECT_EQ(crowd.weights(k), again.weights(k));
    }
  }
}

TEST(LiveC, ManyPosesAtOnce) {
  World one(hand_made_part(), 11), bulk(hand_made_part(), 11);
  struct Bone {
    float rotation[4], unused, position[3];
  };
  for (int i = 0; i < 20; ++i) {
    std::vector<Bone> bones;
    for (int k = 0; k < 11; ++k) {
      const Pose p = sway(i / 60.0 + k);
      Bone b{};
      for (int c = 0; c < 4; ++c) b.rotation[c] = float(p.rotation.coeffs()[c]);
      for (int c = 0; c < 3; ++c) b.position[c] = float(p.position[c]);
      bones.push_back(b);
      one.pose(k, p);
    }
    supple_live_set_poses(bulk.world, 0, 11, bones[0].position, sizeof(Bone), bones[0].rotation, sizeof(Bone));
    supple_live_step(one.world, 1.0 / 60);
    supple_live_step(bulk.world, 1.0 / 60);
    for (int k = 0; k < 11; ++k) EXPECT_EQ(one.weights(k), bulk.weights(k));
  }
  supple_live_set_poses(bulk.world, 5, 7, nullptr, 0, nullptr, 0);  // one too many: refused, nothing is read
}

TEST(LiveC, SlotsAreSharedAndRunOut) {
  World world(hand_made_part(), 4, 2);
  auto s = world.settings();
  s.dials.amplitude = 2, s.gravity[0] = 1, s.force_scale = 0.5f;
  world.use(s, 3);  // needs no slot
  s.dials.frequency = 1.3f;
  world.use(s, 0);
  world.use(s, 1);  // shares that of 0
  s.dials.frequency = 1.4f;
  EXPECT_EQ(supple_live_set_settings(world.world, 2, &s), SUPPLE_LIVE_NO_SLOT);
  EXPECT_EQ(world.settings(2).dials.frequency, 1);
  EXPECT_EQ(supple_live_set_part_settings(world.world, 0, &s), SUPPLE_LIVE_OK);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(world.settings(k).dials.frequency, 1.4f);
  s.dials.frequency = 1.5f;
  world.use(s, 2);
  World expected(hand_made_part());
  expected.use(s);
  for (int i = 0; i < 40; ++i) {
    world.pose(2, sway(i / 60.0));
    supple_live_step(world.world, 1.0 / 60);
    EXPECT_EQ(world.weights(2), expected.step(1.0 / 60, sway(i / 60.0)));
  }
  for (float bad : {NAN, 0.0f, -1.0f, INFINITY}) {
    s.dials.frequency = bad;
    EXPECT_EQ(supple_live_set_settings(world.world, 0, &s), SUPPLE_LIVE_BAD_ARGUMENT);
  }
  s.dials.frequency = 1;
  EXPECT_EQ(supple_live_set_settings(world.world, 4, &s), SUPPLE_LIVE_BAD_ARGUMENT);
  EXPECT_EQ(supple_live_set_settings(world.world, -1, &s), SUPPLE_LIVE_BAD_ARGUMENT);
  EXPECT_EQ(supple_live_weights(world.world, 4), nullptr);
}

TEST(LiveC, WrongConfigurationsAreExplained) {
  ReferencePart part = hand_made_part();
  CParts parts({part});
  supple_live_part p = parts.parts()[0];
  supple_live_config config{};
  config.parts = &p, config.part_count = 1, config.instance_count = 1;
  char message[200];
  const auto refused = [&](const char* word) {
    message[0] = 0;
    EXPECT_EQ(supple_live_size(&config, message, sizeof message), 0u);
    EXPECT_NE(std::strstr(message, word), nullptr) << message;
    EXPECT_EQ(supple_live_size(&config, nullptr, 0), 0u);
  };
  ASSERT_GT(supple_live_size(&config, message, sizeof message), 0u);
  config.instance_count = 0, refused("instances");
  config.instance_count = 1, p.mode_count = 0, refused("modes");
  p.mode_count = 5, p.cut_m = NAN, refused("cut_m");
  p.cut_m = 1, p.dials.half_life = 0, refused("half_life");
  p.dials.half_life = 1;
  std::vector<supple_live_mode> modes(p.modes, p.modes + 5);
  p.modes = modes.data();
  modes[3].frequency_hz = 0, refused("part 0, mode 3: frequency_hz");
  modes[3].frequency_hz = 1;
  const int which = 1;
  config.instance_part = &which, refused("instance 0");
  config.instance_part = nullptr;
  std::vector<char> block(supple_live_size(&config, nullptr, 0));
  supple_live_world* world = nullptr;
  EXPECT_EQ(supple_live_init(block.data(), block.size() - 1, &config, &world, message, sizeof message),
            SUPPLE_LIVE_TOO_SMALL);
  EXPECT_EQ(world, nullptr);
  std::vector<char> shifted(block.size() + 1);  // any alignment will do
  EXPECT_EQ(supple_live_init(shifted.data() + 1, block.size(), &config, &world, message, sizeof message),
            SUPPLE_LIVE_OK);
}

#ifdef COUNTS_ALLOCATIONS
TEST(LiveC, AllocatesNothing) {
  std::vector<char> block(1 << 20);
  CParts parts({hand_made_part()});
  supple_live_config config{};
  config.parts = parts.parts().data(), config.part_count = 1, config.instance_count = 20, config.slots = 20;
  supple_live_world* world = nullptr;
  char message[100];
  const float position[3] = {0.1f, 0, 0}, rotation[4] = {0, 0, 0, 1};
  const long counted = allocations;
  void* volatile probe = std::malloc(10);  // the counter counts
  std::free(probe);
  EXPECT_EQ(allocations, counted + 1);
  const long before = allocations;
  ASSERT_LE(supple_live_size(&config, message, sizeof message), block.size());
  supple_live_init(block.data(), block.size(), &config, &world, message, sizeof message);
  for (int i = 0; i < 50; ++i) {
    supple_live_settings s = supple_live_get_settings(world, i % 20);
    s.dials.frequency = 1 + 0.1f * float(i);
    supple_live_set_settings(world, i % 20, &s);
    supple_live_set_pose(world, i % 20, position, rotation);
    supple_live_poke(world, i % 20, position, 1, position);
    supple_live_step(world, 1.0 / (30 + i));
    supple_live_reset(world, i % 20);
  }
  EXPECT_EQ(allocations, before);
}
#endif

}  // namespace
}  // namespace live_test
