#include "supple/enrich/softness.h"

#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "supple/base/error.h"
#include "supple/base/expect.h"

namespace supple {

double drive_factor(double softness) {
  if (softness <= 0) return std::numeric_limits<double>::infinity();
  if (softness >= 1) return 0;
  // The same as tan(pi/2 (1 - softness)) and exact to rounding at both ends.
  return softness < 0.5 ? 1 / std::tan(M_PI_2 * softness) : std::tan(M_PI_2 * (1 - softness));
}

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Edge = std::array<int, 2>;

struct EdgeWeight {
  double weight = 0;  // of the linear finite element
  double size = 0;    // lengths of the tets around
};

// What a tet adds to its edge between corners i and j: -volume (gradient_i . gradient_j), by the vector areas of the
// faces opposite to the corners. Bounded, as slivers would drown their neighbours.
double edge_share(const std::array<Vec3, 4>& area, double volume, double size, int i, int j) {
  constexpr double kLargest = 100;
  const double share = -area[i].dot(area[j]) / (9 * volume);
  return std::isnan(share) ? 0 : std::clamp(share, -kLargest * size, kLargest * size);
}

// The weights of linear finite elements are exact for linear fields, but below zero across blunt dihedral angles, and
// then values beyond those known appear. So they are cut off a little above zero: every value is a mean of its
// neighbours, and where no angle is blunt nothing changes.
std::map<Edge, double> edge_weights(const TetMesh& mesh) {
  constexpr double kSmallest = 1e-7;
  std::map<Edge, EdgeWeight> sums;
  for (const Tet& t : mesh.tets) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]], &d = mesh.vertices[t[3]];
    std::array<Vec3, 4> area{0.5 * (c - b).cross(d - b), 0.5 * (d - a).cross(c - a), 0.5 * (b - a).cross(d - a),
                             0.5 * (c - a).cross(b - a)};
    const double volume = std::abs(tet_volume(a, b, c, d));
    double size = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) size = std::max(size, (mesh.vertices[t[i]] - mesh.vertices[t[j]]).norm());
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) {
        EdgeWeight& sum = sums[{std::min(t[i], t[j]), std::max(t[i], t[j])}];
        sum.weight += edge_share(area, volume, size, i, j);
        sum.size += size;
      }
    }
  }
  std::map<Edge, double> weights;
  for (const auto& [edge, sum] : sums)
    weights[edge] = std::max({sum.weight, kSmallest * sum.size, std::numeric_limits<double>::min()});
  return weights;
}

// Where something is known: the means. Range: of the values known in each component.
struct Known {
  std::vector<int> count;  // per vertex
  std::vector<double> value;
  std::vector<double> low, high;  // per component; low > high: nothing is known
};

Known gather(const std::vector<int>& known, const std::vector<double>& values, const std::vector<int>& component,
             int n_components) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Known k{std::vector<int>(component.size(), 0), std::vector<double>(component.size(), 0),
          std::vector<double>(n_components, kInfinity), std::vector<double>(n_components, -kInfinity)};
  for (size_t i = 0; i < known.size(); ++i) {
    k.value[known[i]] += values[i];
    ++k.count[known[i]];
  }
  for (size_t v = 0; v < component.size(); ++v) {
    if (k.count[v] == 0) continue;
    k.value[v] /= k.count[v];
    if (component[v] < 0) continue;
    k.low[component[v]] = std::min(k.low[component[v]], k.value[v]);
    k.high[component[v]] = std::max(k.high[component[v]], k.value[v]);
  }
  return k;
}

// The Laplace equation at the unknowns. unknown: number of each vertex or -1.
VecX solve(const TetMesh& mesh, const Known& k, const std::vector<int>& unknown, int n) {
  std::vector<Eigen::Triplet<double>> entries;
  VecX right = VecX::Zero(n);
  for (const auto& [edge, weight] : edge_weights(mesh)) {
    for (const auto& [v, other] : {edge, Edge{edge[1], edge[0]}}) {
      if (unknown[v] < 0) continue;
      entries.emplace_back(unknown[v], unknown[v], weight);
      if (unknown[other] < 0) {
        right[unknown[v]] += weight * k.value[other];
      } else if (unknown[other] < unknown[v]) {
        entries.emplace_back(unknown[v], unknown[other], -weight);
      }
    }
  }
  Sparse matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Sparse> factor(matrix);
  if (factor.info() != Eigen::Success)
    throw SimulationFailure(0, "the tets", "nothing can be spread over them: some are flat");
  return factor.solve(right);
}

}  // namespace

std::vector<double> spread_values(const TetMesh& mesh, const std::vector<int>& known, const std::vector<double>& values,
                                  double elsewhere) {
  expect(known.size() == values.size(), "one value for each known vertex");
  std::vector<int> component;
  const int n_components = connected_components(mesh, component);
  Known k = gather(known, values, component, n_components);
  std::vector<int> unknown(mesh.vertices.size(), -1);
  int n = 0;
  for (size_t v = 0; v < component.size(); ++v) {
    if (k.count[v] > 0) continue;
    const int c = component[v];
    if (c < 0 || k.low[c] > k.high[c]) {
      k.value[v] = elsewhere;
    } else {
      unknown[v] = n++;
    }
  }
  if (n == 0) return k.value;
  const VecX solved = solve(mesh, k, unknown, n);
  for (size_t v = 0; v < component.size(); ++v) {
    // What lies beyond does so by rounding.
    if (unknown[v] >= 0) k.value[v] = std::clamp(solved[unknown[v]], k.low[component[v]], k.high[component[v]]);
  }
  return k.value;
}

}  // namespace supple
