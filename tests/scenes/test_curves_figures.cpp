// What the figures of rig-space physics say, at quick sizes.
#include "supple/demos/figures/curves_figures.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "supple/base/error.h"
#include "supple/demos/figures/curves_figure_bench.h"

namespace supple {

using namespace demos;
namespace {

namespace fs = std::filesystem;

class CurvesFigures : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  FigureOptions quick() const { return {.directory = dir_.string(), .quick = true}; }
  fs::path dir_ = fs::path(::testing::TempDir()) / (std::string("supple_curves_figures_") +
                                                    ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace

// Alike both sides; a right half that is stiffer as a whole; and, by its outermost shape alone, a stiffer end.
TEST_F(CurvesFigures, StiffnessOfShapesMakesTheBarUneven) {
  const std::vector<BarBend> bars = measure_bar(FigureStage(quick()));
  ASSERT_EQ(bars.size(), 3u);
  const BarBend &alike = bars[0], &half = bars[1], &end = bars[2];
  EXPECT_NEAR(alike.right.tip / alike.left.tip, 1, 0.1);
  EXPECT_LT(half.right.tip, 0.3 * half.left.tip);
  EXPECT_NEAR(half.left.tip / alike.left.tip, 1, 0.1);
  // Its outermost part alone is stiffer: that bends less, and the inner one, where p3 acts too, no less than before.
  EXPECT_LT(end.right.outer, 0.7 * end.left.outer);
  EXPECT_GT(end.right.inner, end.left.inner);
  EXPECT_GT(end.right.inner, 3 * half.right.inner);
}

TEST_F(CurvesFigures, SlowAMaterialFittedAnewFollowsTheJoint) {
  const FittedAnew bar = measure_fitted_anew(FigureStage(quick()));
  EXPECT_LT(bar.once.misfit.front(), 0.05);
  EXPECT_NEAR(bar.once.felt.front(), bar.asked, 0.05 * bar.asked);
  EXPECT_EQ(bar.once.refits, 0);
  EXPECT_GT(bar.once.misfit.back(), 0.15);
  EXPECT_LT(bar.once.felt.back(), 0.85 * bar.asked);
  EXPECT_GE(bar.anew.refits, 1);
  EXPECT_LT(bar.anew.misfit.back(), 0.05);
  EXPECT_NEAR(bar.anew.felt.back(), bar.asked, 0.05 * bar.asked);
  EXPECT_LT(bar.anew.bend.back(), 0.9 * bar.once.bend.back());
}

// Soft parts turn more than those of the stiff flower, and its other parts do not.
TEST_F(CurvesFigures, SoftPartsOfTheFlowerSwing) {
  const std::vector<FlowerSwing> flowers = measure_flower(FigureStage(quick()));
  ASSERT_EQ(flowers.size(), 4u);
  const FlowerSwing &soft = flowers[0], &stiff = flowers[1], &blossom = flowers[2], &both = flowers[3];
  EXPECT_GT(soft.stem, 1.1 * stiff.stem);
  EXPECT_GT(blossom.blossom, 2 * stiff.blossom);
  EXPECT_LT(blossom.leaves, 1.5 * stiff.leaves);
  EXPECT_GT(both.blossom, 2 * stiff.blossom);
  EXPECT_GT(both.leaves, 2 * stiff.leaves);
  EXPECT_LT(both.stem, soft.stem);
}

// Editing by a mode scales what it has of the motion, and by 1 nothing.
TEST_F(CurvesFigures, ModesOfTheBellyScaleItsMotion) {
  const BellyModes belly = measure_belly(FigureStage(quick()));
  ASSERT_EQ(belly.modes.n_modes(), 6);
  EXPECT_GT(belly.modes.energy[0] + belly.modes.energy[1], 0.7);
  const auto motion = [&](double scale) {
    return rms_of_moved(belly.scaled({scale}), belly.take.keyed, belly.take.share);
  };
  EXPECT_NEAR(motion(1) / belly.take.motion(), 1, 1e-9);
  EXPECT_GT(motion(1.5), 1.15 * motion(1));
  EXPECT_LT(motion(1 / 1.5), 0.9 * motion(1));
}

TEST_F(CurvesFigures, SlowPosedHandlesAreWhereTheyArePulled) {
  const WorkoutPulls w = measure_workout(FigureStage(quick()));
  ASSERT_EQ(w.names.size(), 8u);
  for (size_t k = 0; k < w.names.size(); ++k) {
    EXPECT_LT(w.posed_miss[k], 0.1 * w.travel) << w.names[k];
    EXPECT_LT(w.moving_miss[k], 0.4 * w.travel) << w.names[k];
  }
}

TEST_F(CurvesFigures, AreWrittenWithTheirPages) {
  const std::vector<Figure> figures = write_curves_figures({.directory = dir_.string(), .only = {3}, .quick = true});
  ASSERT_EQ(figures.size(), 1u);
  for (const std::string& file : figures[0].files) EXPECT_TRUE(fs::exists(dir_ / file)) << file;
  EXPECT_TRUE(fs::exists(dir_ / "index.html"));
  EXPECT_TRUE(fs::exists(dir_ / "figures.md"));
}

TEST_F(CurvesFigures, UnknownFigureIsRefused) {
  EXPECT_THROW(write_curves_figures({.directory = dir_.string(), .only = {1}}), InputError);
  EXPECT_FALSE(fs::exists(dir_));
}

}  // namespace supple
