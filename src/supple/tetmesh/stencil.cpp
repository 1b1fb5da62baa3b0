#include "supple/tetmesh/stencil.h"

#include <algorithm>
#include <utility>

#include "supple/base/expect.h"

namespace supple {

namespace {
StencilVertex whole(int64_t v) { return {v, -1}; }
StencilVertex cut(int64_t a, int64_t b) { return {std::min(a, b), std::max(a, b)}; }

struct Prism {
  std::array<StencilVertex, 3> p, q;  // p counter-clockwise seen from q; p[i] beside q[i]
};

// before[i][j]: the diagonal of the quad p[i] p[j] q[j] q[i] goes from p[i] to q[j]. The three choices order the
// corners; a cyclic choice has no cut into tets and must not be asked for.
void split_prism(const Prism& prism, const std::array<std::array<bool, 3>, 3>& before,
                 std::vector<StencilTet>& result) {
  std::array<size_t, 3> order{};
  for (size_t i = 0; i < 3; ++i) {
    size_t rank = 0;
    for (size_t j = 0; j < 3; ++j) rank += j != i && before[j][i];
    order[rank] = i;
  }
  const auto [a, b, c] = order;
  const bool odd = (a + 1) % 3 != b;
  const auto& [p, q] = prism;
  std::array<StencilTet, 3> tets{StencilTet{p[a], p[b], p[c], q[c]}, StencilTet{p[a], p[b], q[c], q[b]},
                                 StencilTet{p[a], q[a], q[b], q[c]}};
  for (StencilTet& t : tets) {
    if (odd) std::swap(t[2], t[3]);
    result.push_back(t);
  }
}
}  // namespace

// A quad whose two cuts lie on edges of both lengths keeps the diagonal that ends at the cut of the long edge. Where
// both cut edges are short, a and b join a long edge around which four such triangles lie; taking the end with an even
// number of coordinates above those of c makes neighbouring triangles differ, which every prism below can take.
bool diagonal_from_first(const BccLattice& lattice, int64_t a, int64_t b, int64_t c) {
  const bool grid_a = lattice.is_centre(a), grid_b = lattice.is_centre(b), grid_c = lattice.is_centre(c);
  if (grid_a != grid_b) return grid_b == grid_c;
  const BccLattice::Index x = lattice.half_edges(a), y = lattice.half_edges(c);
  return ((x[0] > y[0]) + (x[1] > y[1]) + (x[2] > y[2])) % 2 == 0;
}

void cut_tet(const BccLattice& lattice, const std::array<int64_t, 4>& tet, const std::array<Side, 4>& side,
             std::vector<StencilTet>& result) {
  // Inside vertices first, then outside, then surface ones, by swaps whose number tells the orientation.
  const auto rank = [](Side s) { return s == Side::inside ? 0 : s == Side::outside ? 1 : 2; };
  std::array<int64_t, 4> v = tet;
  std::array<int, 4> r{};
  for (size_t i = 0; i < 4; ++i) r[i] = rank(side[i]);
  bool odd = false;
  for (size_t pass = 0; pass < 3; ++pass) {
    for (size_t i = 0; i + 1 < 4; ++i) {
      if (r[i] <= r[i + 1]) continue;
      std::swap(r[i], r[i + 1]);
      std::swap(v[i], v[i + 1]);
      odd = !odd;
    }
  }
  const auto n_in = std::count(r.begin(), r.end(), 0), n_out = std::count(r.begin(), r.end(), 1);
  if (n_in == 0) return;
  const size_t first = result.size();
  const auto [a, b, c, d] = v;
  const auto from_first = [&](int64_t p, int64_t q, int64_t out) { return diagonal_from_first(lattice, p, q, out); };

  if (n_out == 0) {
    result.push_back({whole(a), whole(b), whole(c), whole(d)});
  } else if (n_in == 1) {
    // The corner at a: outside vertices are replaced by the cuts towards them.
    StencilTet t{whole(a), cut(a, b), whole(c), whole(d)};
    if (n_out >= 2) t[2] = cut(a, c);
    if (n_out == 3) t[3] = cut(a, d);
    result.push_back(t);
  } else if (n_in == 2 && n_out == 1) {
    // A pyramid over the quad a, b, bc, ac with its apex on the surface.
    const StencilVertex ac = cut(a, c), bc = cut(b, c);
    if (from_first(a, b, c)) {
      result.push_back({whole(a), whole(b), bc, whole(d)});
      result.push_back({whole(a), bc, ac, whole(d)});
    } else {
      result.push_back({whole(a), whole(b), ac, whole(d)});
      result.push_back({whole(b), bc, ac, whole(d)});
    }
  } else if (n_in == 3) {
    std::array<std::array<bool, 3>, 3> before{};
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) before[i][j] = i != j && from_first(v[i], v[j], d);
    }
    split_prism({{whole(a), whole(b), whole(c)}, {cut(a, d), cut(b, d), cut(c, d)}}, before, result);
  } else {
    // Two inside, two outside. The rules for the two lattice triangles always disagree here, which settles the
    // diagonal of the quad on the surface: 1 before 0 before 2, or 2 before 0 before 1.
    const Prism prism{{whole(a), cut(a, c), cut(a, d)}, {whole(b), cut(b, c), cut(b, d)}};
    std::array<std::array<bool, 3>, 3> before{};
    before[0][1] = from_first(a, b, c);
    before[0][2] = from_first(a, b, d);
    expect(before[0][1] != before[0][2], "two cut edges in different orders");
    before[1][0] = !before[0][1];
    before[2][0] = !before[0][2];
    before[1][2] = before[0][2];
    before[2][1] = !before[1][2];
    split_prism(prism, before, result);
  }
  if (odd) {
    for (size_t i = first; i < result.size(); ++i) std::swap(result[i][2], result[i][3]);
  }
}

}  // namespace supple
