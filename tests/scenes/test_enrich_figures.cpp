// What the figures of enriched animations say, at quick sizes; and how it is measured, on shapes that are known.
#include "supple/demos/figures/enrich_figures.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "supple/base/error.h"
#include "supple/demos/drawn/plant.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/demos/gallery/toys.h"

namespace supple {

using namespace demos;
namespace {

namespace fs = std::filesystem;

class EnrichFigures : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  FigureOptions quick() const { return {.directory = dir_.string(), .quick = true}; }
  fs::path dir_ = fs::path(::testing::TempDir()) / (std::string("supple_enrich_figures_") +
                                                    ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

double largest(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
double least(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }

RenderMesh balls(double radius, const std::vector<Vec3>& centres) {
  RenderMesh m;
  for (const Vec3& centre : centres) {
    const TriMesh ball = make_ball(radius, 24);
    const int first = static_cast<int>(m.vertices.size());
    for (const Vec3& x : ball.vertices) m.vertices.push_back(x + centre);
    for (const Tri& t : ball.triangles) m.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return m;
}

}  // namespace

// A circle; and of two balls that overlap the lens in which flesh is twice.
TEST_F(EnrichFigures, CutsHaveTheAreasOfClosedForms) {
  const double r = 0.3, at = 0.1, ring = std::sqrt(r * r - at * at);
  const CutBody one = cut_open(balls(r, {Vec3::Zero()}), at, 1e-3);
  EXPECT_NEAR(one.flesh_area / (std::numbers::pi * ring * ring), 1, 0.01);
  EXPECT_EQ(one.wrong_area, 0);
  for (const Vec3& x : one.shell.vertices) EXPECT_LE(x.x(), at + 1e-12);
  const double d = 0.36, half = std::acos(d / (2 * r)), lens = r * r * (2 * half - std::sin(2 * half));
  const CutBody two = cut_open(balls(r, {Vec3(0, 0, d / 2), Vec3(0, 0, -d / 2)}), 0.001, 1e-3);
  EXPECT_NEAR(two.wrong_area / lens, 1, 0.02);
  EXPECT_NEAR(two.flesh_area / (2 * std::numbers::pi * r * r - 2 * lens), 1, 0.01);
  // Inside out all of it is wrong.
  RenderMesh inverted = balls(r, {Vec3::Zero()});
  for (Tri& t : inverted.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(cut_open(inverted, at, 1e-3).flesh_area, 0);
}

TEST_F(EnrichFigures, DistanceOfSurfacesIsThatOfTheirNearestFeatures) {
  // A corner above a face, and an edge across an edge. Triangles of one set do not count, however near.
  const Points above = {{0, 0, 0},   {1, 0, 0},     {0, 1, 0},     {0.2, 0.2, 0.3}, {0.5, 0, 1},
                        {0, 0.5, 1}, {0.2, 0, 0.9}, {0.3, 0, 0.9}, {0.2, 0.1, 0.9}};
  EXPECT_NEAR(surface_distance(above, {{0, 1, 2}}, {{3, 4, 5}, {6, 7, 8}}), 0.3, 1e-12);
  const Points across = {{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, -1, 0.2}, {0, 1, 0.2}, {0, 0, 2}};
  EXPECT_NEAR(surface_distance(across, {{0, 1, 2}}, {{3, 4, 5}}), 0.2, 1e-12);
  // Far beyond the size of triangles.
  Points far = across;
  for (size_t v = 3; v < 6; ++v) far[v].z() += 10;
  EXPECT_NEAR(surface_distance(far, {{0, 1, 2}}, {{3, 4, 5}}), 10.2, 1e-12);
}

// Ripples are found where they were put, and the smooth plant has none.
TEST_F(EnrichFigures, RipplesAreFoundAtTheirWaves) {
  const RippleSpectrum rippled = ripple_spectrum(make_plant().frames.back());
  const RippleSpectrum smooth = ripple_spectrum(make_plant({.ripples = false}).frames.back());
  const auto peak = std::max_element(rippled.amplitude.begin(), rippled.amplitude.end()) - rippled.amplitude.begin();
  EXPECT_NEAR(rippled.waves[static_cast<size_t>(peak)], kPlantRippleWaves, 0.5);
  EXPECT_GT(largest(rippled.amplitude), 0.5 * kPlantRippleAmplitude);
  EXPECT_LT(largest(rippled.amplitude), kPlantRippleAmplitude);
  EXPECT_LT(smooth.band(5, 9), 0.01 * rippled.band(5, 9));
  // A turned plant ripples as much.
  Points turned = make_plant().frames.back();
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (Vec3& x : turned) x = R * x + Vec3(3, -2, 1);
  EXPECT_NEAR(ripple_spectrum(turned).band(5, 9) / rippled.band(5, 9), 1, 1e-9);
}

TEST_F(EnrichFigures, SlowBlendingLeavesAGapThatAdjustedPhysicsCloses) {
  const FoldGaps gaps = measure_fold(FigureStage(quick()));
  const auto at = static_cast<size_t>(gaps.closing);
  EXPECT_NEAR(gaps.drawn, 0.018, 1e-3);
  EXPECT_LT(gaps.full[at], gaps.closed);
  EXPECT_LT(gaps.adjusted[at], gaps.closed);
  EXPECT_GT(gaps.blended[at], 3 * gaps.adjusted[at]);
  // Not for lack of a better frame.
  EXPECT_GT(least(gaps.blended), 3 * least(gaps.adjusted));
  EXPECT_GT(gaps.closed_share(gaps.adjusted), 0.03);
  EXPECT_EQ(gaps.closed_share(gaps.blended), 0);
  // Nothing passes through.
  EXPECT_GT(least(gaps.full), 0);
  EXPECT_GT(least(gaps.adjusted), 0);
}

TEST_F(EnrichFigures, DetailKeepsTheRipplesOfThePlant) {
  const std::vector<Figure> figures = write_enrich_figures({.directory = dir_.string(), .only = {3}, .quick = true});
  ASSERT_EQ(figures.size(), 1u);
  for (const std::string& file : figures[0].files) EXPECT_TRUE(fs::exists(dir_ / file)) << file;
  EXPECT_TRUE(fs::exists(dir_ / "index.html"));
  EXPECT_TRUE(fs::exists(dir_ / "figures.md"));
  const PlantDetail plant = measure_plant(FigureStage(quick()));
  EXPECT_NEAR(plant.with_band.back() / plant.input_band.back(), 1, 0.05);
  EXPECT_LT(plant.without_band.back() / plant.input_band.back(), 0.25);
  // At the peak itself too.
  const auto peak = static_cast<size_t>(std::max_element(plant.input.amplitude.begin(), plant.input.amplitude.end()) -
                                        plant.input.amplitude.begin());
  EXPECT_NEAR(plant.with_detail.amplitude[peak] / plant.input.amplitude[peak], 1, 0.05);
  // Leaves stay on their stem.
  EXPECT_LT(longest_side(plant.with_frames.back()), 1.3 * longest_side(plant.input_frames.front()));
}

TEST_F(EnrichFigures, SlowTetsCompleteTheMouthWithoutCrossings) {
  const HeadCrossings head = measure_head(FigureStage(quick()));
  EXPECT_EQ(head.neutral, 0);
  ASSERT_EQ(head.fitted.size(), head.frames.size());
  EXPECT_EQ(*std::max_element(head.fitted.begin(), head.fitted.end()), 0);
  EXPECT_GT(*std::max_element(head.surface.begin(), head.surface.end()), 20);
  EXPECT_GT(head.settled, 20);
}

TEST_F(EnrichFigures, SlowDepartureGrowsWithSoftness) {
  const SoftnessSweep sweep = measure_softness(FigureStage(quick()));
  ASSERT_EQ(sweep.rms.size(), 5u);
  EXPECT_LT(sweep.largest.front(), 1e-6 * sweep.size);
  for (size_t k = 1; k < sweep.rms.size(); ++k) EXPECT_GT(sweep.rms[k], 1.05 * sweep.rms[k - 1]) << sweep.softness[k];
  EXPECT_GT(sweep.rms.back(), 0.002 * sweep.size);
}

TEST_F(EnrichFigures, UnknownFigureIsRefused) {
  EXPECT_THROW(write_enrich_figures({.directory = dir_.string(), .only = {4}}), InputError);
  EXPECT_FALSE(fs::exists(dir_));
}

}  // namespace supple
