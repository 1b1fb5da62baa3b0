// How far flesh gives way, against a bar in closed form.
#include "supple/tune/giving_way.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/beam.h"

namespace supple {
namespace {

const double kNothing = std::numeric_limits<double>::quiet_NaN();

// A bar along x in two regions, its root driven.
struct Bar {
  Model model;
  std::vector<SwayRegion> regions = std::vector<SwayRegion>(2);

  explicit Bar(int nx = 10, double poisson = 0) : model(spec(nx, poisson)) {
    for (SwayRegion& r : regions) r.weight = VecX::Zero(model.n_vertices());
    std::vector<int> watched[2];
    for (int v = 0; v < model.n_vertices(); ++v) {
      const double x = model.mesh().vertices[v][0];
      regions[x > 0.2].weight[v] = 1;
      if (x > 0) watched[x > 0.2].push_back(v);
    }
    for (size_t r = 0; r < 2; ++r) watch(r, watched[r]);
  }
  void watch(size_t region, const std::vector<int>& vertices) {
    regions[region].watched = at_vertices(vertices);
    regions[region].reach.assign(vertices.size(), 0.1);
  }
  static ModelSpec spec(int nx, double poisson) {
    test::BeamOptions o;
    o.material = MaterialModel::linear;
    o.parameters = {.youngs_modulus = 3e4, .poisson_ratio = poisson, .density = 1000};
    o.nx = nx;
    return test::beam_spec(o);
  }
  GivingWay way() const { return {model, regions}; }
};

TEST(GivingWay, proportional_and_added_up) {
  const Bar bar;
  const GivingWay way = bar.way();
  ASSERT_TRUE(way.ok());
  const std::vector<double> once = way.shares({1, 1}), twice = way.shares({2, 2}), tip = way.shares({0, 1});
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(twice[r], 2 * once[r], 1e-12 * twice[r]);
  // What is pulled at takes along what is not.
  EXPECT_GT(tip[0], 0.1 * once[0]);
  EXPECT_LT(tip[0], once[0]);
  EXPECT_GT(once[1], once[0]);
}

// A bar of length L pulled along itself gives way by rho (L x - x^2 / 2) / E; across, by what beams do. The mean of the
// squares over the axes is told: along and across apart, by pulling at a bar that is held from the sides... here both.
TEST(GivingWay, as_far_as_a_bar_in_closed_form) {
  const double L = 0.4, h = 0.12, b = 0.08, E = 3e4, rho = 1000;
  Bar bar(40);
  // The tip alone.
  std::vector<int> tip;
  for (int v = 0; v < bar.model.n_vertices(); ++v)
    if (bar.model.mesh().vertices[v][0] > L - 1e-9) tip.push_back(v);
  bar.watch(1, tip);
  const double along = rho * L * L / (2 * E);
  const auto across = [&](double side) { return rho * std::pow(L, 4) / (8 * E * side * side / 12); };
  const double closed = std::sqrt((along * along + std::pow(across(h), 2) + std::pow(across(b), 2)) / 3) / 0.1;
  // Linear tets lock, and beams of this length shear as well.
  EXPECT_NEAR(bar.way().shares({1, 1})[1] / closed, 1, 0.3);
}

TEST(GivingWay, the_inertia_that_makes_it_go_so_far) {
  const Bar bar;
  const GivingWay way = bar.way();
  const std::vector<double> wanted = way.shares({1.7, 0.6});
  const std::vector<double> found = way.inertia_for(wanted, {100, 100}, {kNothing, kNothing});
  const std::vector<double> got = way.shares(found);
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(got[r] / wanted[r], 1, 0.01) << r;
  EXPECT_NEAR(found[0], 1.7, 0.1);
  EXPECT_NEAR(found[1], 0.6, 0.02);

  const std::vector<double> bounded = way.inertia_for({1e3, 1e3}, {7, 9}, {kNothing, 0.25});
  EXPECT_EQ(bounded[0], 7);
  EXPECT_EQ(bounded[1], 0.25);
}

// Inertia belongs to a cage, how far it goes does not: finer tets of the same bar, tuned to the same frequency, give
// way as far once each has its own inertia.
TEST(GivingWay, other_tets_go_as_far) {
  const Bar coarse(4, 0.4), fine(16, 0.4);
  const std::vector<double> wanted = coarse.way().shares({1, 1});
  const std::vector<double> found = fine.way().inertia_for(wanted, {100, 100}, {kNothing, kNothing});
  EXPECT_GT(std::abs(found[1] - 1), 0.05);
  const std::vector<double> got = fine.way().shares(found);
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(got[r] / wanted[r], 1, 0.01);
}

// What its neighbour carries further than a region is to go goes with it: its own inertia does not run off to nothing.
// Regions that do not hang together have no say in each other's.
TEST(GivingWay, no_region_is_far_from_what_is_usual_in_its_piece) {
  Bar bar;
  std::vector<double> wanted = bar.way().shares({1, 1});
  wanted[0] *= 1e-3;
  const std::vector<double> together = bar.way().inertia_for(wanted, {100, 100}, {kNothing, kNothing});
  const double usual = std::sqrt(together[0] * together[1]);
  EXPECT_NEAR(together[0] / usual, 0.25, 0.01);
  EXPECT_NEAR(together[1] / usual, 4, 0.2);
  bar.regions[1].piece = 1;
  const std::vector<double> apart = bar.way().inertia_for(wanted, {100, 100}, {kNothing, kNothing});
  EXPECT_LT(apart[0], 0.01 * apart[1]);
}

TEST(GivingWay, where_all_is_held_nothing_gives_way) {
  const Bar bar;
  ModelSpec spec = bar.model.spec();
  spec.driven.clear();
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) spec.driven.push_back(v);
  const GivingWay way(Model(spec), bar.regions);
  EXPECT_FALSE(way.ok());
  EXPECT_EQ(way.shares({1, 1}), (std::vector<double>{0, 0}));
  EXPECT_EQ(way.inertia_for({1, 1}, {9, 9}, {kNothing, 2}), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace supple
