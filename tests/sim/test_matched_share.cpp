// Anti-locking matched to ten-node tets: what it makes of beams that linear tets have much too stiff.
#include <gtest/gtest.h>

#include "supple/sim/matched_share.h"
#include "tests/support/beam.h"

namespace supple::test {
namespace {

// 4 x 1 x 1 m, clamped at x = 0, E = 1e6 Pa, 1000 kg/m^3; its converged frequencies stand in tests/fem/patches.cpp.
ModelSpec square_beam(int cells, double poisson_ratio, double length = 4) {
  return beam_spec({.nx = static_cast<int>(length) * cells,
                    .ny = cells,
                    .nz = cells,
                    .size = Vec3(length, 1, 1),
                    .material = MaterialModel::linear,
                    .parameters = {.youngs_modulus = 1e6, .poisson_ratio = poisson_ratio, .density = 1000}});
}

ModelSpec matched(ModelSpec spec) {
  match_tet_shares(spec);
  return spec;
}

TEST(MatchedShare, beams_come_within_three_percent) {
  struct {
    int cells;
    double poisson_ratio, converged, plain_at_least;
  } const cases[] = {{2, 0.3, 0.3080, 1.25},
                     {3, 0.3, 0.3080, 1.1},
                     {2, 0.45, 0.3113, 1.5},
                     {3, 0.45, 0.3113, 1.25},
                     {3, 0.49, 0.3126, 1.7}};
  for (const auto& c : cases) {
    ModelSpec spec = square_beam(c.cells, c.poisson_ratio);
    EXPECT_GT(lowest_frequency(Model(spec)) / c.converged, c.plain_at_least);
    const std::vector<MatchedShare> found = match_tet_shares(spec);
    ASSERT_EQ(found.size(), 1u);
    const MatchedShare& m = found[0];
    EXPECT_EQ(m.trouble, "");
    EXPECT_NEAR(m.found_hz, m.wanted_hz, 1e-4 * m.wanted_hz);
    EXPECT_GT(m.plain_hz, c.plain_at_least * m.wanted_hz);
    EXPECT_GT(m.share, kLeastTetShare);
    EXPECT_LT(m.share, kTetShare);
    EXPECT_NEAR(lowest_frequency(Model(spec)) / c.converged, 1, 0.03)
        << c.cells << " cells, Poisson " << c.poisson_ratio;
  }
}

// What is matched in a swing holds for hanging. Converged: by Richardson from 6 and 9 cells across with the usual share
// (0.38510 and 0.39105 mm at Poisson 0.45, 0.39949 and 0.40287 mm at 0.3), order 2.
TEST(MatchedShare, it_sags_as_a_fine_mesh_does) {
  for (const auto& [nu, converged] : {std::pair(0.45, 0.3958e-3), {0.3, 0.4056e-3}}) {
    ModelSpec spec = matched(square_beam(2, nu));
    spec.gravity = Vec3(0, -1e-3, 0);
    const Sag sag = gravity_sag(Model(spec));
    ASSERT_TRUE(sag.converged);
    EXPECT_NEAR(sag.peak_m / converged, 1, 0.05) << nu;
    spec.anti_locking = false;
    EXPECT_LT(gravity_sag(Model(spec)).peak_m / converged, 0.7) << nu;
  }
}

TEST(MatchedShare, frequency_rises_with_the_share) {
  ModelSpec spec = square_beam(2, 0.45);
  spec.anti_locking = true;
  double before = 0;
  for (double share : {kLeastTetShare, 0.25, 0.4, 0.6, kMostTetShare}) {
    for (MaterialParameters& p : spec.per_tet) p.tet_share = share;
    const double f = lowest_frequency(Model(spec));
    EXPECT_GT(f, before) << share;
    before = f;
  }
  spec.anti_locking = false;
  EXPECT_GT(lowest_frequency(Model(spec)), before);
}

// Twelve modes of a coarse beam beside those of a finer one: zigzags would come in low and push the rest up the list.
// Without a share of the tets the third and the seventh are a fifth too low.
TEST(MatchedShare, no_zigzags_among_the_slow_modes) {
  const Modes coarse = natural_modes(Model(matched(square_beam(3, 0.49))), 12);
  const Modes fine = natural_modes(Model(matched(square_beam(5, 0.49))), 12);
  ASSERT_TRUE(coarse.ok && fine.ok);
  for (int i = 0; i < 12; ++i) {
    EXPECT_GT(coarse.frequencies_hz[i], 0.88 * fine.frequencies_hz[i]) << "mode " << i;
    EXPECT_LT(coarse.frequencies_hz[i], 1.06 * fine.frequencies_hz[i]) << "mode " << i;
  }
}

TEST(MatchedShare, each_part_has_its_own) {
  ModelSpec both = square_beam(1, 0.45);
  const ModelSpec other = square_beam(2, 0.45, 3);
  const int n = both.mesh.n_vertices();
  const size_t first_tets = both.mesh.tets.size();
  for (const Vec3& x : other.mesh.vertices) both.mesh.vertices.push_back(x + Vec3(0, 3, 0));
  for (Tet t : other.mesh.tets) {
    for (int& v : t) v += n;
    both.mesh.tets.push_back(t);
  }
  both.mesh.tet_region.clear();
  both.per_tet.insert(both.per_tet.end(), other.per_tet.begin(), other.per_tet.end());
  for (int v : other.driven) both.driven.push_back(v + n);
  const MatchedShare a = matched_share(square_beam(1, 0.45)), b = matched_share(other);
  const std::vector<MatchedShare> found = match_tet_shares(both);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(both.anti_locking);
  EXPECT_NEAR(both.per_tet.front().tet_share, a.share, 1e-6);
  EXPECT_NEAR(both.per_tet[first_tets].tet_share, b.share, 1e-6);
  EXPECT_GT(std::abs(a.share - b.share), 0.01);
}

TEST(MatchedShare, a_mesh_that_is_too_coarse_is_told) {
  const MatchedShare m = matched_share(square_beam(1, 0.49));
  EXPECT_EQ(m.share, kLeastTetShare);
  EXPECT_GT(m.found_hz, 1.02 * m.wanted_hz);
  EXPECT_NE(m.trouble.find("too coarse"), std::string::npos) << m.trouble;
}

TEST(MatchedShare, a_falling_body_keeps_the_usual_share) {
  ModelSpec spec = square_beam(1, 0.4);
  spec.driven.clear();
  const MatchedShare m = matched_share(spec);
  EXPECT_EQ(m.share, kTetShare);
  EXPECT_EQ(m.wanted_hz, 0);
  EXPECT_NE(m.trouble, "");
}

}  // namespace
}  // namespace supple::test
