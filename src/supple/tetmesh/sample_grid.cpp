#include "supple/tetmesh/sample_grid.h"

#include <algorithm>
#include <map>

namespace supple {

SampleGrid::SampleGrid() {
  // Points (a, b, c) with 4 >= a >= b >= c >= 0 stand for 4-a, a-b, b-c, c quarters of the corners. In these
  // coordinates the small tets are those of unit cubes cut into six around their main diagonals.
  std::map<std::array<int, 3>, int> number;
  int n = 0;
  for (int a = 0; a <= kParts; ++a) {
    for (int b = 0; b <= a; ++b) {
      for (int c = 0; c <= b; ++c) {
        share[n] = {kParts - a, a - b, b - c, c};
        index_[a - b][b - c][c] = n;
        number[{a, b, c}] = n++;
      }
    }
  }
  for (int p = 0; p < kPoints; ++p) {
    for (int f = 0; f < 4; ++f) {
      if (share[p][f] == 0) on_face[f].push_back(p);
    }
  }
  std::map<std::array<int, 2>, int> edge_number;
  int n_tets = 0;
  for (const auto& [base, unused] : number) {
    std::array<int, 3> axes{0, 1, 2};
    do {
      std::array<int, 4> tet{number[base], -1, -1, -1};
      auto at = base;
      bool whole = true;
      for (int k = 0; k < 3 && whole; ++k) {
        ++at[axes[k]];
        const auto found = number.find(at);
        whole = found != number.end();
        if (whole) tet[k + 1] = found->second;
      }
      if (!whole) continue;
      int k = 0;
      for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
          const std::array<int, 2> edge{std::min(tet[i], tet[j]), std::max(tet[i], tet[j])};
          const auto [found, is_new] = edge_number.try_emplace(edge, static_cast<int>(edges.size()));
          if (is_new) edges.push_back(edge);
          edge_of[n_tets][k++] = found->second;
        }
      }
      tets[n_tets++] = tet;
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
}

const SampleGrid& SampleGrid::get() {
  static const SampleGrid grid;
  return grid;
}

}  // namespace supple
