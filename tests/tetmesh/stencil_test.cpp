#include "supple/tetmesh/stencil.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include "supple/mesh/tet_mesh.h"
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple {
namespace {

BccLattice small_lattice() {
  BccLattice lattice;
  lattice.edge = 1;
  lattice.n = {6, 7, 5};
  return lattice;
}

// The twelve lattice tets that belong to one cube, as the mesher makes them.
std::vector<std::array<int64_t, 4>> tets_of_cube(const BccLattice& lattice) {
  std::vector<std::array<int64_t, 4>> out;
  const BccLattice::Index centre{5, 5, 5};
  for (size_t u = 0; u < 3; ++u) {
    const size_t v = (u + 1) % 3, w = (u + 2) % 3;
    auto next = centre;
    next[u] += 2;
    for (int m = 0; m < 4; ++m) {
      const auto corner = [&](int k) {
        auto c = centre;
        c[u] += 1;
        c[v] += k % 4 == 1 || k % 4 == 2 ? 1 : -1;
        c[w] += k % 4 >= 2 ? 1 : -1;
        return lattice.vertex(c);
      };
      out.push_back({lattice.vertex(centre), lattice.vertex(next), corner(m), corner(m + 1)});
    }
  }
  return out;
}

double dihedral_deg(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {  // at the edge a-b
  const Vec3 n = (b - a).cross(c - a), m = (b - a).cross(d - a);
  return std::atan2(n.cross(m).norm(), n.dot(m)) * 180 / std::numbers::pi;
}

struct Range {
  double low = 180, high = 0;
  void add(const std::array<Vec3, 4>& q) {
    static constexpr int ends[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                       {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    for (const auto& e : ends) {
      const double angle = dihedral_deg(q[static_cast<size_t>(e[0])], q[static_cast<size_t>(e[1])],
                                        q[static_cast<size_t>(e[2])], q[static_cast<size_t>(e[3])]);
      low = std::min(low, angle);
      high = std::max(high, angle);
    }
  }
};

double alpha(bool is_long) { return is_long ? kAlphaLong : kAlphaShort; }

// Runs one lattice tet with surface vertices and cuts where `pick` puts them: pick(n) gives one of n choices.
template <class Pick>
void run(const BccLattice& lattice, const std::array<int64_t, 4>& tet, const std::array<Side, 4>& side,
         const Pick& pick, Range& range, double& least_volume) {
  std::map<StencilVertex, Vec3> place;
  for (size_t i = 0; i < 4; ++i) {
    Vec3 p = lattice.position(tet[i]);
    if (side[i] == Side::surface) {
      const int d = pick(14);
      const auto step = BccLattice::direction(d);
      p += 0.25 * pick(3) * alpha(BccLattice::is_long(d)) * Vec3(step[0], step[1], step[2]);
    }
    place[{tet[i], -1}] = p;
  }
  std::vector<StencilTet> result;
  cut_tet(lattice, tet, side, result);
  for (const StencilTet& t : result) {
    std::array<Vec3, 4> q;
    for (size_t i = 0; i < 4; ++i) {
      auto found = place.find(t[i]);
      if (found == place.end()) {
        const double a = alpha(lattice.is_centre(t[i].a) == lattice.is_centre(t[i].b));
        const double along = a + 0.5 * pick(3) * (1 - 2 * a);
        const Vec3 from = lattice.position(t[i].a), to = lattice.position(t[i].b);
        found = place.emplace(t[i], from + along * (to - from)).first;
      }
      q[i] = found->second;
    }
    least_volume = std::min(least_volume, tet_volume(q[0], q[1], q[2], q[3]));
    range.add(q);
  }
}

// Every lattice tet, every pattern of sides, surface vertices moved along any lattice edge by 0, half or all of what
// is allowed and cuts at the ends or the middle of theirs, in random combinations: far more than a function can bring
// about. The extremes are found again and again.
TEST(Stencil, AnglesHoldForEveryPattern) {
  const BccLattice lattice = small_lattice();
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Range range;
  double least_volume = 1;
  for (const auto& tet : tets_of_cube(lattice)) {
    for (int pattern = 0; pattern < 81; ++pattern) {
      std::array<Side, 4> side{};
      for (int i = 0, rest = pattern; i < 4; ++i, rest /= 3)
        side[static_cast<size_t>(i)] = static_cast<Side>(rest % 3 - 1);
      const auto n_surface = std::count(side.begin(), side.end(), Side::surface);
      const int tries = n_surface == 3 ? 20000 : n_surface == 2 ? 1500 : 300;
      for (int k = 0; k < tries; ++k) run(lattice, tet, side, pick, range, least_volume);
    }
  }
  EXPECT_GT(least_volume, 0);
  EXPECT_GE(range.low, kLatticeMinDihedral);
  EXPECT_LE(range.high, kLatticeMaxDihedral);
  EXPECT_LT(range.low, kLatticeMinDihedral + 0.5);  // the bound is tight
  EXPECT_GT(range.high, kLatticeMaxDihedral - 0.5);
}

// With cuts halfway and nothing moved, what is kept of a tet has the volume the corners say.
TEST(Stencil, VolumesOfThePatterns) {
  const BccLattice lattice = small_lattice();
  const auto tets = tets_of_cube(lattice);
  for (const auto& tet : tets) {
    const auto at = [&](const StencilVertex& v) -> Vec3 {
      return v.b < 0 ? lattice.position(v.a) : Vec3(0.5 * (lattice.position(v.a) + lattice.position(v.b)));
    };
    for (int pattern = 0; pattern < 81; ++pattern) {
      std::array<Side, 4> side{};
      for (int i = 0, rest = pattern; i < 4; ++i, rest /= 3)
        side[static_cast<size_t>(i)] = static_cast<Side>(rest % 3 - 1);
      std::vector<StencilTet> result;
      cut_tet(lattice, tet, side, result);
      double volume = 0;
      for (const StencilTet& t : result) volume += tet_volume(at(t[0]), at(t[1]), at(t[2]), at(t[3]));
      const auto in = std::count(side.begin(), side.end(), Side::inside);
      const auto out = std::count(side.begin(), side.end(), Side::outside);
      double expected = 0;  // of the whole tet: corners of one eighth are kept or cut off
      if (in > 0) {
        expected = out == 0 ? 1 : in == 1 ? std::pow(0.5, out) : in == 2 && out == 1 ? 0.75 : in == 2 ? 0.5 : 0.875;
      }
      EXPECT_NEAR(volume * 12, expected, 1e-12) << pattern;
    }
  }
}

// The two tets beside a lattice triangle see the same diagonal; and exactly one of the two is chosen.
TEST(Stencil, DiagonalsAreAntisymmetric) {
  const BccLattice lattice = small_lattice();
  for (const auto& tet : tets_of_cube(lattice)) {
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 4; ++j) {
        for (size_t k = 0; k < 4; ++k) {
          if (std::set<size_t>{i, j, k}.size() < 3) continue;
          EXPECT_NE(diagonal_from_first(lattice, tet[i], tet[j], tet[k]),
                    diagonal_from_first(lattice, tet[j], tet[i], tet[k]));
        }
      }
    }
  }
}

TEST(BccLattice, NumbersRoundTrip) {
  const BccLattice lattice = small_lattice();
  for (int64_t v = 0; v < lattice.n_vertices(); ++v) {
    ASSERT_EQ(lattice.vertex(lattice.half_edges(v)), v);
    ASSERT_TRUE(lattice.contains(lattice.half_edges(v)));
  }
  for (int d = 0; d < BccLattice::kDirections; ++d) {
    const auto a = BccLattice::direction(d), b = BccLattice::direction(d ^ 1);
    const double length = 0.5 * Vec3(a[0], a[1], a[2]).norm();
    EXPECT_NEAR(length, BccLattice::is_long(d) ? 1 : BccLattice::kShortOverLong, 1e-15);
    for (size_t c = 0; c < 3; ++c) EXPECT_EQ(a[c], -b[c]);
  }
  EXPECT_FALSE(lattice.contains({-2, 0, 0}));
  EXPECT_FALSE(lattice.contains({1, 1, 11}));
}

}  // namespace
}  // namespace supple
