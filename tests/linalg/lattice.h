// A small solid for the tests of linear algebra: a box of cells cut into six tets each, its edges being springs.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "supple/linalg/block_matrix.h"

namespace supple::test {

struct Lattice {
  Points points;
  std::vector<Tet> tets;
  std::vector<std::pair<int, int>> edges;
};

inline Lattice make_lattice(int nx, int ny, int nz) {
  Lattice lattice;
  auto at = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j)
      for (int k = 0; k <= nz; ++k) lattice.points.push_back(Vec3(i, j, k));
  std::set<std::pair<int, int>> edges;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) {
        std::array<int, 3> axis = {0, 1, 2};
        do {
          int corner[3] = {i, j, k};
          Tet tet;
          tet[0] = at(i, j, k);
          for (size_t s = 0; s < 3; ++s) {
            ++corner[axis[s]];
            tet[s + 1] = at(corner[0], corner[1], corner[2]);
          }
          lattice.tets.push_back(tet);
          for (size_t a = 0; a < 4; ++a)
            for (size_t b = 0; b < a; ++b) edges.insert(std::minmax(tet[a], tet[b]));
        } while (std::next_permutation(axis.begin(), axis.end()));
      }
  lattice.edges.assign(edges.begin(), edges.end());
  return lattice;
}

inline std::shared_ptr<const BlockPattern> pattern_of(const Lattice& lattice) {
  PatternBuilder builder(static_cast<int>(lattice.points.size()));
  for (const Tet& t : lattice.tets) builder.couple(t);
  return builder.build();
}

inline void add_block(BlockMatrix& m, int i, int j, const Mat3& block) {
  double* b = m.block(m.pattern->find(std::max(i, j), std::min(i, j)));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) b[3 * r + c] += i >= j ? block(r, c) : block(c, r);
}

// Springs along the edges: singular, with the six rigid motions as null space.
inline BlockMatrix truss(const Lattice& lattice, const std::shared_ptr<const BlockPattern>& pattern) {
  BlockMatrix k(pattern);
  for (const auto& [i, j] : lattice.edges) {
    const Vec3 d = lattice.points[static_cast<size_t>(i)] - lattice.points[static_cast<size_t>(j)];
    const Mat3 s = d * d.transpose() / d.squaredNorm() / d.norm();
    add_block(k, i, i, s);
    add_block(k, j, j, s);
    add_block(k, i, j, -s);
  }
  return k;
}

// A term g I a vertex.
inline void ground(BlockMatrix& k, double g) {
  for (int i = 0; i < k.n(); ++i) add_block(k, i, i, g * Mat3::Identity());
}

// Random values everywhere, symmetric, strongly diagonal.
inline BlockMatrix random_spd(const std::shared_ptr<const BlockPattern>& pattern, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  BlockMatrix m(pattern);
  for (double& v : m.values) v = uniform(rng);
  for (int i = 0; i < m.n(); ++i) {
    double* d = m.block(m.pattern->find(i, i));
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < r; ++c) d[3 * c + r] = d[3 * r + c];
  }
  const MatX dense = m.dense();
  for (int i = 0; i < m.n(); ++i) {
    double* d = m.block(m.pattern->find(i, i));
    for (int c = 0; c < 3; ++c) d[4 * c] = 0.3 + dense.row(3 * i + c).cwiseAbs().sum();
  }
  return m;
}

inline MatX random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatX m(rows, cols);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = uniform(rng);
  return m;
}

}  // namespace supple::test
