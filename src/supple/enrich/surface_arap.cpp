#include "supple/enrich/surface_arap.h"

#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/enrich/rigid_parts.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

struct Neighbor {
  int vertex;
  double weight;
  Vec3 edge;  // at rest, from the neighbor to the vertex
};

// Half the sum of the cotangents opposite to each edge, by both its ends.
std::vector<std::vector<Neighbor>> neighbors_of(const TriMesh& mesh) {
  constexpr double kSmallest = 1e-3, kLargest = 1e3;  // blunt angles, slivers
  std::map<std::array<int, 2>, double> sums;
  for (const Tri& t : mesh.triangles) {
    for (int c = 0; c < 3; ++c) {
      const int i = t[(c + 1) % 3], j = t[(c + 2) % 3];
      if (i == j) continue;
      const Vec3 a = mesh.vertices[i] - mesh.vertices[t[c]], b = mesh.vertices[j] - mesh.vertices[t[c]];
      const double cotangent = a.dot(b) / a.cross(b).norm();
      sums[{std::min(i, j), std::max(i, j)}] += std::isnan(cotangent) ? 0 : std::clamp(cotangent, -kLargest, kLargest);
    }
  }
  std::vector<std::vector<Neighbor>> neighbors(mesh.vertices.size());
  for (const auto& [edge, sum] : sums) {
    const double weight = std::max(0.5 * sum, kSmallest);
    const Vec3 along = mesh.vertices[edge[0]] - mesh.vertices[edge[1]];
    neighbors[edge[0]].push_back({edge[1], weight, along});
    neighbors[edge[1]].push_back({edge[0], weight, -along});
  }
  return neighbors;
}

Mat3 best_rotation(const std::vector<Neighbor>& neighbors, int i, const Points& x) {
  Mat3 A = Mat3::Zero();
  for (const Neighbor& n : neighbors) A += n.weight * (x[i] - x[n.vertex]) * n.edge.transpose();
  const Svd3 svd = svd3(A);
  return svd.U * svd.V.transpose();
}

}  // namespace

struct SurfaceArap::Impl {
  std::vector<std::vector<Neighbor>> neighbors;
  std::vector<int> constrained;
  std::vector<int> unknown;  // number of each vertex; -1: its place is known
  Eigen::SimplicialLDLT<Sparse> factor;

  void number(const TriMesh& rest);
  void assemble();
  // The best rotations for x, and the energy with them.
  double turn(const Points& x, std::vector<Mat3>& R) const;
  void place(const std::vector<Mat3>& R, Points& x) const;
};

void SurfaceArap::Impl::number(const TriMesh& rest) {
  std::vector<char> known(rest.vertices.size(), 0);
  for (int v : constrained) {
    if (known[v])
      throw InputError({"", 0, 0, "vertex " + std::to_string(v)}, "is constrained twice", "name each vertex once");
    known[v] = 1;
  }
  unknown.assign(rest.vertices.size(), -1);
  int n = 0;
  for (const std::vector<int>& shell : surface_components(rest.n_vertices(), rest.triangles)) {
    if (std::none_of(shell.begin(), shell.end(), [&](int v) { return known[v]; })) continue;
    for (int v : shell) {
      if (!known[v]) unknown[v] = n++;
    }
  }
}

void SurfaceArap::Impl::assemble() {
  std::vector<Eigen::Triplet<double>> entries;
  int n = 0;
  for (size_t v = 0; v < unknown.size(); ++v) {
    const int i = unknown[v];
    if (i < 0) continue;
    n = std::max(n, i + 1);
    for (const Neighbor& other : neighbors[v]) {
      const int j = unknown[other.vertex];
      entries.emplace_back(i, i, other.weight);
      if (j >= 0 && j < i) entries.emplace_back(i, j, -other.weight);
    }
  }
  if (n == 0) return;
  Sparse matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  factor.compute(matrix);
  if (factor.info() != Eigen::Success)
    throw SimulationFailure(0, "the animated surface", "its shape cannot be solved for: it has flat triangles");
}

SurfaceArap::SurfaceArap(const TriMesh& rest, const std::vector<int>& constrained) {
  auto impl = std::make_unique<Impl>();
  impl->neighbors = neighbors_of(rest);
  impl->constrained = constrained;
  impl->number(rest);
  impl->assemble();
  impl_ = std::move(impl);
}
SurfaceArap::~SurfaceArap() = default;
SurfaceArap::SurfaceArap(SurfaceArap&&) noexcept = default;

double SurfaceArap::Impl::turn(const Points& x, std::vector<Mat3>& R) const {
  return parallel_sum(x.size(), 256, [&](size_t begin, size_t end) {
    double sum = 0;
    for (size_t v = begin; v < end; ++v) {
      R[v] = best_rotation(neighbors[v], static_cast<int>(v), x);
      for (const Neighbor& n : neighbors[v]) sum += n.weight * (x[v] - x[n.vertex] - R[v] * n.edge).squaredNorm();
    }
    return sum;
  });
}

void SurfaceArap::Impl::place(const std::vector<Mat3>& R, Points& x) const {
  MatX right(factor.rows(), 3);
  parallel_for(x.size(), 256, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      if (unknown[v] < 0) continue;
      Vec3 sum = Vec3::Zero();
      for (const Neighbor& n : neighbors[v]) {
        sum += 0.5 * n.weight * (R[v] * n.edge + R[n.vertex] * n.edge);
        if (unknown[n.vertex] < 0) sum += n.weight * x[n.vertex];
      }
      right.row(unknown[v]) = sum.transpose();
    }
  });
  const MatX solved = factor.solve(right);
  for (size_t v = 0; v < x.size(); ++v) {
    if (unknown[v] >= 0) x[v] = solved.row(unknown[v]).transpose();
  }
}

CompletedSurface SurfaceArap::complete(const Points& places, const Points& guess, int iterations) const {
  const Impl& m = *impl_;
  expect(places.size() == m.constrained.size() && guess.size() == m.unknown.size(),
         "a place for each constrained vertex and a guess for each other");
  CompletedSurface surface{guess, {}};
  for (size_t k = 0; k < places.size(); ++k) surface.positions[m.constrained[k]] = places[k];
  std::vector<Mat3> R(guess.size());
  surface.energy.push_back(m.turn(surface.positions, R));
  for (int i = 0; i < iterations && m.factor.rows() > 0; ++i) {
    m.place(R, surface.positions);
    surface.energy.push_back(m.turn(surface.positions, R));
  }
  return surface;
}

double SurfaceArap::energy(const Points& x) const {
  std::vector<Mat3> R(x.size());
  return impl_->turn(x, R);
}

}  // namespace supple
