// Helper joints for soft motion: planted ones are found again, and what must not change does not.
#include "supple/anim/skin_decomposition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"

namespace supple {
namespace {

Affine about(const Vec3& centre, const Vec3& turn, const Vec3& shift) {
  const double angle = turn.norm();
  const Quat q(Eigen::AngleAxisd(angle, angle > 0 ? Vec3(turn / angle) : Vec3(Vec3::UnitX())));
  return Eigen::Translation3d(centre + shift) * q * Eigen::Translation3d(Vec3(-centre));
}

// A slab of flesh over bone 0, with bone 1 at its low end. Both bones move a lot.
struct Slab {
  SoftMotion motion;
  std::vector<int> all;
  int n_frames = 40;

  explicit Slab(int n_side = 9) {
    for (int i = 0; i < n_side; ++i) {
      for (int j = 0; j < n_side; ++j) {
        for (int k = 0; k < 2; ++k) {
          all.push_back(static_cast<int>(motion.rest.size()));
          motion.rest.push_back(Vec3(0.4 * i / (n_side - 1), 1 + 0.4 * j / (n_side - 1), 0.1 * k));
          const double other = std::max(0.0, 0.4 - 0.8 * j / (n_side - 1));
          motion.skin.bone.push_back(0);
          motion.skin.weight.push_back(1 - other);
          if (other > 0) motion.skin.bone.push_back(1), motion.skin.weight.push_back(other);
          motion.skin.first.push_back(static_cast<int>(motion.skin.bone.size()));
        }
      }
    }
    for (int f = 0; f < n_frames; ++f) {
      const double t = f / 24.0;
      // Bone 0 also has a size of its own.
      Affine a = about({0.1, 0.9, 0}, {0.3 * t, 2.5 * t, 0.2}, {t, 0.1 * t * t, 0});
      a.linear() *= 1.3;
      motion.bones.push_back({a, about({0, 0.5, 0}, {0, 0.8 * t, 0}, {0.5 * t, 0, 0})});
    }
    motion.targets = std::vector<Points>(static_cast<size_t>(n_frames));
  }
  Vec3 plain(int f, size_t v) const {
    Vec3 x = Vec3::Zero();
    for (int k = motion.skin.first[v]; k < motion.skin.first[v + 1]; ++k) {
      x += motion.skin.weight[static_cast<size_t>(k)] *
           (motion.bones[static_cast<size_t>(f)][static_cast<size_t>(motion.skin.bone[static_cast<size_t>(k)])] *
            motion.rest[v]);
    }
    return x;
  }
  double wobble(int f, double hz, double phase) const {
    const double t = f / 24.0;
    return f < 5 ? 0 : std::exp(-1.5 * t) * std::sin(2 * M_PI * hz * t + phase);
  }
  // Helpers planted under bone 0, at the corners of the slab, each moving as a rigid body.
  void plant(int n) {
    for (int f = 0; f < n_frames; ++f) {
      Points& at = motion.targets[static_cast<size_t>(f)];
      for (size_t v = 0; v < motion.rest.size(); ++v) {
        Vec3 sum = plain(f, v);
        const Vec3& x = motion.rest[v];
        for (int h = 0; h < n; ++h) {
          const Vec3 centre(h % 2 ? 0.35 : 0.05, h / 2 % 2 ? 1.1 : 1.35, 0.05);
          const double w = motion.skin.weight[static_cast<size_t>(motion.skin.first[v])] *
                           std::exp(-(x - centre).squaredNorm() / 0.02) / (n > 1 ? 1.5 : 1);
          const Affine m = about(centre, Vec3(0.2, 0, 0.3) * wobble(f, 2 + h, h),
                                 Vec3(0.01, 0.05 - 0.02 * h, 0.03) * wobble(f, 1.5 + h, 1 + h));
          sum += w * (motion.bones[static_cast<size_t>(f)][0].linear() * (m * x - x));
        }
        at.push_back(sum);
      }
    }
  }
  SoftRegion region(int helpers) const { return {"belly", {0}, all, helpers}; }
};

constexpr DecompositionOptions kAllHelpers{.rms_share = 0, .max_share = 0, .size_share = 0};

void expect_weights(const SkinWeights& skin) {
  for (int v = 0; v < skin.size(); ++v) {
    const int first = skin.first[static_cast<size_t>(v)], last = skin.first[static_cast<size_t>(v) + 1];
    EXPECT_LE(last - first, 4);
    double sum = 0;
    for (int k = first; k < last; ++k) {
      EXPECT_GT(skin.weight[static_cast<size_t>(k)], 0);
      sum += skin.weight[static_cast<size_t>(k)];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

double weight_of(const SkinWeights& skin, size_t v, int bone) {
  double w = 0;
  for (int k = skin.first[v]; k < skin.first[v + 1]; ++k) {
    if (skin.bone[static_cast<size_t>(k)] == bone) w += skin.weight[static_cast<size_t>(k)];
  }
  return w;
}

TEST(SkinDecomposition, FindsAPlantedHelper) {
  Slab slab;
  slab.plant(1);
  const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(1)});
  ASSERT_EQ(result.helpers.size(), 1u);
  EXPECT_EQ(result.helpers[0].name, "belly_soft.1");
  EXPECT_EQ(result.helpers[0].bone, 0);
  EXPECT_GT(result.regions[0].peak, 0.02);
  EXPECT_LT(result.regions[0].rms_share, 3e-3);
  EXPECT_LT(result.regions[0].max_share, 0.02);
  EXPECT_TRUE(result.regions[0].met);
  expect_weights(result.skin);
}

TEST(SkinDecomposition, FindsSeveral) {
  for (int n : {2, 3}) {
    Slab slab;
    slab.plant(n);
    const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(n)}, kAllHelpers);
    EXPECT_EQ(result.helpers.size(), static_cast<size_t>(n));
    EXPECT_LT(result.regions[0].rms_share, 0.01) << n;
    EXPECT_LT(result.regions[0].max_share, 0.08) << n;
    expect_weights(result.skin);
  }
}

TEST(SkinDecomposition, ReportsWhatItDoes) {
  Slab slab;
  slab.plant(4);
  const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(3)}, kAllHelpers);
  double sum = 0, most = 0, peak = 0;
  for (int f = 0; f < slab.n_frames; ++f) {
    const Points got = decomposed(slab.motion, result, f);
    for (size_t v = 0; v < got.size(); ++v) {
      const double e = (got[v] - slab.motion.targets[static_cast<size_t>(f)][v]).norm();
      sum += e * e;
      most = std::max(most, e);
      peak = std::max(peak, (slab.motion.targets[static_cast<size_t>(f)][v] - slab.plain(f, v)).norm());
    }
  }
  const RegionFit& fit = result.regions[0];
  EXPECT_GT(fit.max, 1e-5);
  EXPECT_NEAR(fit.rms, std::sqrt(sum / (slab.n_frames * static_cast<double>(slab.all.size()))), 1e-9);
  EXPECT_NEAR(fit.max, most, 1e-9);
  EXPECT_NEAR(fit.peak, peak, 1e-12);
  EXPECT_NEAR(fit.max_share, most / peak, 1e-7);
}

TEST(SkinDecomposition, MoreHelpersErrLessAndTheErrorAskedForEnds) {
  Slab slab;
  slab.plant(4);
  double before = INFINITY;
  for (int n : {1, 2, 4}) {
    const RegionFit fit = decompose_skin(slab.motion, {slab.region(n)}, kAllHelpers).regions[0];
    EXPECT_EQ(fit.helpers, n);
    EXPECT_LT(fit.rms, before);
    before = fit.rms;
  }
  const RegionFit loose = decompose_skin(slab.motion, {slab.region(8)}, {.rms_share = 0.2, .max_share = 1}).regions[0];
  const RegionFit tight =
      decompose_skin(slab.motion, {slab.region(8)}, {.rms_share = 0.02, .max_share = 0.2}).regions[0];
  EXPECT_TRUE(loose.met);
  EXPECT_LE(loose.rms_share, 0.2);
  EXPECT_TRUE(tight.met);
  EXPECT_LE(tight.rms_share, 0.02);
  EXPECT_LT(loose.helpers, tight.helpers);
  EXPECT_LT(tight.helpers, 8);
  EXPECT_FALSE(decompose_skin(slab.motion, {slab.region(1)}, {.rms_share = 1e-4, .size_share = 0}).regions[0].met);
}

// With helpers at rest any pose is the artist's, and other bones keep their weights.
TEST(SkinDecomposition, TakesFromItsBoneAlone) {
  Slab slab;
  slab.plant(2);
  const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(3)}, kAllHelpers);
  ASSERT_EQ(result.n_bones, 2);
  double on_helpers = 0;
  for (size_t v = 0; v < slab.all.size(); ++v) {
    EXPECT_NEAR(weight_of(result.skin, v, 1), weight_of(slab.motion.skin, v, 1), 1e-12);
    double own = weight_of(result.skin, v, 0);
    for (int h = 0; h < 3; ++h) own += weight_of(result.skin, v, 2 + h), on_helpers += weight_of(result.skin, v, 2 + h);
    EXPECT_NEAR(own, weight_of(slab.motion.skin, v, 0), 1e-12);
  }
  EXPECT_GT(on_helpers, 10);
}

TEST(SkinDecomposition, StillFramesHaveHelpersAtRest) {
  Slab slab;
  slab.plant(3);
  const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(3)}, kAllHelpers);
  for (const HelperJoint& h : result.helpers) {
    for (size_t f = 0; f < 5; ++f) {
      EXPECT_EQ(h.rotations[f].coeffs(), Quat::Identity().coeffs());
      EXPECT_EQ(h.shifts[f].norm(), 0);
    }
    double most = 0;
    for (size_t f = 5; f < h.shifts.size(); ++f) {
      most = std::max(most, h.shifts[f].norm());
      EXPECT_GT(h.rotations[f].dot(h.rotations[f - 1]), 0.5);
    }
    EXPECT_GT(most, 0.005);
    EXPECT_GT(h.reach, 0.05);
  }
  Slab still;
  still.plant(0);
  const SkinDecomposition none = decompose_skin(still.motion, {still.region(3)});
  EXPECT_TRUE(none.helpers.empty());
  EXPECT_TRUE(none.regions[0].met);
  EXPECT_EQ(none.skin.bone, still.motion.skin.bone);
}

// Neighbouring frames have neighbouring motions, also at frames that the fit did not look at.
TEST(SkinDecomposition, IsSmoothInTime) {
  Slab slab;
  slab.plant(2);
  const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(2)},
                                                  {.rms_share = 0, .max_share = 0, .size_share = 0, .fit_frames = 12});
  EXPECT_LT(result.regions[0].rms_share, 0.03);
  for (const HelperJoint& h : result.helpers) {
    double jump = 0, reach = 0;
    for (size_t f = 7; f + 1 < h.shifts.size(); ++f) {
      jump = std::max(jump, (h.shifts[f + 1] - 2 * h.shifts[f] + h.shifts[f - 1]).norm());
      reach = std::max(reach, h.shifts[f].norm());
    }
    // Of a sine of 3.5 Hz at 24 frames a second second differences are 0.84 of the amplitude.
    EXPECT_LT(jump, 1.0 * reach);
  }
}

TEST(SkinDecomposition, KeepsToFourBones) {
  Slab slab;
  slab.plant(3);
  SoftMotion& motion = slab.motion;
  // Five bones a vertex, and the same pose: all others move as bone 1.
  for (auto& bones : motion.bones) bones.insert(bones.end(), {bones[1], bones[1], bones[1]});
  SkinWeights wide;
  for (size_t v = 0; v < motion.rest.size(); ++v) {
    for (int b = 0; b < 5; ++b) {
      wide.bone.push_back(b);
      wide.weight.push_back(b == 0 ? 0.6 : b == 4 ? 0.01 : 0.13);
    }
    wide.first.push_back(static_cast<int>(wide.bone.size()));
  }
  for (int f = 0; f < slab.n_frames; ++f) {
    for (size_t v = 0; v < motion.rest.size(); ++v) motion.targets[static_cast<size_t>(f)][v] -= slab.plain(f, v);
  }
  motion.skin = wide;
  for (int f = 0; f < slab.n_frames; ++f) {
    for (size_t v = 0; v < motion.rest.size(); ++v) motion.targets[static_cast<size_t>(f)][v] += slab.plain(f, v);
  }
  const SkinDecomposition result = decompose_skin(motion, {slab.region(3)}, kAllHelpers);
  int helped = 0;
  for (size_t v = 0; v < motion.rest.size(); ++v) {
    const int n = result.skin.first[v + 1] - result.skin.first[v];
    const bool by_helper =
        weight_of(result.skin, v, 5) + weight_of(result.skin, v, 6) + weight_of(result.skin, v, 7) > 0;
    helped += by_helper;
    EXPECT_TRUE(by_helper ? n <= 4 : n == 5);
  }
  EXPECT_GT(helped, 50);
  double most = 0;
  for (int f = 0; f < slab.n_frames; ++f) {
    const Points got = decomposed(motion, result, f);
    for (size_t v = 0; v < got.size(); ++v)
      most = std::max(most, (got[v] - motion.targets[static_cast<size_t>(f)][v]).norm());
  }
  EXPECT_NEAR(result.regions[0].max, most, 1e-9);  // with what trimming does
  EXPECT_EQ(result.regions[0].trimmed, helped);
  EXPECT_NEAR(result.regions[0].trimmed_weight, 0.01, 1e-12);
  // Helpers do not make up for it where nothing moves.
  for (const HelperJoint& h : result.helpers) EXPECT_EQ(h.shifts[2].norm(), 0);
}

// Flesh over two bones: a helper under each where both may carry some.
TEST(SkinDecomposition, SeveralBonesMayCarryHelpers) {
  Slab slab;
  slab.motion.skin = {};
  for (size_t v = 0; v < slab.all.size(); ++v) {
    const double own = std::clamp(4 * (slab.motion.rest[v][1] - 1.05), 0.0, 1.0);
    for (int b : {0, 1}) {
      if ((b == 0 ? own : 1 - own) == 0) continue;
      slab.motion.skin.bone.push_back(b);
      slab.motion.skin.weight.push_back(b == 0 ? own : 1 - own);
    }
    slab.motion.skin.first.push_back(static_cast<int>(slab.motion.skin.bone.size()));
  }
  for (int f = 0; f < slab.n_frames; ++f) {
    for (size_t v = 0; v < slab.all.size(); ++v) {
      const double w1 = weight_of(slab.motion.skin, v, 1);
      const Vec3 u = Vec3(0, 0.03, 0.05) * slab.wobble(f, 2, 0);
      const auto& bones = slab.motion.bones[static_cast<size_t>(f)];
      slab.motion.targets[static_cast<size_t>(f)].push_back(slab.plain(f, v) + (1 - w1) * (bones[0].linear() * u) +
                                                            w1 * (bones[1].linear() * u));
    }
  }
  SoftRegion one = slab.region(2), two = slab.region(2);
  two.bones = {0, 1};
  const SkinDecomposition a = decompose_skin(slab.motion, {one}, kAllHelpers);
  const SkinDecomposition b = decompose_skin(slab.motion, {two}, kAllHelpers);
  EXPECT_GT(a.regions[0].rms_share, 0.05);
  EXPECT_LT(b.regions[0].rms_share, 0.002);
  ASSERT_EQ(b.helpers.size(), 2u);
  EXPECT_NE(b.helpers[0].bone, b.helpers[1].bone);
  expect_weights(b.skin);
}

TEST(SkinDecomposition, FollowsMorphedRestPositions) {
  Slab slab;
  slab.plant(0);
  const auto n_frames = static_cast<size_t>(slab.n_frames);
  slab.motion.morphed.assign(n_frames, slab.motion.rest);
  for (size_t f = 0; f < n_frames; ++f) {
    for (size_t v = 0; v < slab.all.size(); ++v) {
      Vec3& x = slab.motion.morphed[f][v];
      x += Vec3(0, 0, 0.02 * std::sin(0.3 * static_cast<double>(f)) * slab.motion.rest[v][0]);
      const Affine m = about({0.2, 1.2, 0}, Vec3(0.2, 0, 0.1) * slab.wobble(static_cast<int>(f), 2, 0), {0, 0, 0});
      const double own = weight_of(slab.motion.skin, v, 0);
      slab.motion.targets[f][v] = own * (slab.motion.bones[f][0] * (m * x)) + (1 - own) * (slab.motion.bones[f][1] * x);
    }
  }
  const SkinDecomposition result = decompose_skin(slab.motion, {slab.region(1)}, kAllHelpers);
  EXPECT_LT(result.regions[0].max_share, 5e-3);
}

TEST(SkinDecomposition, IsTheSameForAnyNumberOfThreads) {
  Slab slab;
  slab.plant(3);
  const int before = thread_count();
  set_thread_count(1);
  const SkinDecomposition a = decompose_skin(slab.motion, {slab.region(3)});
  set_thread_count(3);
  const SkinDecomposition b = decompose_skin(slab.motion, {slab.region(3)});
  set_thread_count(before);
  EXPECT_EQ(a.skin.weight, b.skin.weight);
  ASSERT_EQ(a.helpers.size(), b.helpers.size());
  for (size_t h = 0; h < a.helpers.size(); ++h) {
    EXPECT_EQ(a.helpers[h].shifts, b.helpers[h].shifts);
    for (size_t f = 0; f < a.helpers[h].rotations.size(); ++f)
      EXPECT_EQ(a.helpers[h].rotations[f].coeffs(), b.helpers[h].rotations[f].coeffs());
  }
}

TEST(SkinDecomposition, RefusesWhatDoesNotFit) {
  Slab slab(3);
  slab.plant(1);
  auto refused = [&](auto change) {
    Slab copy = slab;
    std::vector<SoftRegion> regions = {copy.region(1)};
    change(copy.motion, regions);
    EXPECT_THROW(decompose_skin(copy.motion, regions), InputError);
  };
  refused([](SoftMotion& m, auto&) { m.targets[3][2][0] = NAN; });
  refused([](SoftMotion& m, auto&) { m.targets[3].pop_back(); });
  refused([](SoftMotion& m, auto&) { m.bones.pop_back(); });
  refused([](SoftMotion& m, auto&) { m.bones[2][0].translation()[1] = INFINITY; });
  refused([](SoftMotion& m, auto&) { m.skin.bone[4] = 7; });
  refused([](SoftMotion& m, auto&) { m.rest.pop_back(); });
  refused([](SoftMotion&, auto& r) { r.push_back(r[0]); });
  refused([](SoftMotion&, auto& r) { r[0].bones = {}; });
  refused([](SoftMotion&, auto& r) { r[0].bones = {5}; });
  refused([](SoftMotion&, auto& r) { r[0].vertices.push_back(1000); });
  EXPECT_NO_THROW(decompose_skin({}, {}));
  EXPECT_NO_THROW(decompose_skin(slab.motion, {{"none", {0}, {}, 3}}));
}

}  // namespace
}  // namespace supple
