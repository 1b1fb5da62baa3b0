#include "supple/constraint/constraints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/base/parallel.h"
#include "supple/constraint/tie_cluster.h"

namespace supple {

// A cluster and where its rows and columns come from.
struct Constraints::Group {
  std::vector<int> ties;
  std::vector<int> vertices;
  std::unique_ptr<TieCluster> cluster;
};

namespace {

// Sets of vertices joined by ties.
class Sets {
 public:
  explicit Sets(int n) : parent_(static_cast<size_t>(n)) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int i) {
    while (parent_[static_cast<size_t>(i)] != i) {
      int& p = parent_[static_cast<size_t>(i)];
      p = parent_[static_cast<size_t>(p)];
      i = p;
    }
    return i;
  }
  void join(int i, int j) {
    i = find(i);
    j = find(j);
    parent_[static_cast<size_t>(std::max(i, j))] = std::min(i, j);
  }

 private:
  std::vector<int> parent_;
};

// Below this a weight is rounding of the embedding: the point lies on a face.
constexpr double kZeroWeight = 1e-14;

void check(int n, const Points& rest, const std::vector<int>& driven, const std::vector<PointTie>& ties) {
  expect(static_cast<int>(rest.size()) == n, "the rest position of every vertex");
  std::vector<char> seen(static_cast<size_t>(n), 0);
  for (size_t i = 0; i < driven.size(); ++i) {
    const Location where{.place = "driven vertex " + std::to_string(i)};
    if (driven[i] < 0 || driven[i] >= n)
      throw InputError(where, "vertex " + std::to_string(driven[i]) + " does not exist",
                       "the mesh has vertices 0 to " + std::to_string(n - 1));
    if (seen[static_cast<size_t>(driven[i])]++)
      throw InputError(where, "vertex " + std::to_string(driven[i]) + " is driven twice", "name it once");
  }
  for (size_t t = 0; t < ties.size(); ++t) {
    const Location where{.place = "tied point " + std::to_string(t)};
    if (!ties[t].weights.allFinite()) throw InputError(where, "a weight is not a finite number");
    for (int v : ties[t].vertices)
      if (v < 0 || v >= n)
        throw InputError(where, "vertex " + std::to_string(v) + " does not exist",
                         "the mesh has vertices 0 to " + std::to_string(n - 1));
  }
}

}  // namespace

Constraints::~Constraints() = default;
Constraints::Constraints(Constraints&&) noexcept = default;
Constraints& Constraints::operator=(Constraints&&) noexcept = default;

int Constraints::n_clusters() const { return static_cast<int>(clusters_.size()); }

Constraints::Constraints(int n_vertices, Points rest, std::vector<int> driven, std::vector<PointTie> ties)
    : rest_(std::move(rest)), driven_(std::move(driven)), ties_(std::move(ties)) {
  check(n_vertices, rest_, driven_, ties_);
  std::vector<char> is_driven(static_cast<size_t>(n_vertices), 0);
  for (int v : driven_) is_driven[static_cast<size_t>(v)] = 1;

  // The free part of each tie; ties that share a free vertex belong together.
  std::vector<TieCluster::Row> rows(ties_.size());
  Sets sets(n_vertices);
  for (size_t t = 0; t < ties_.size(); ++t) {
    std::map<int, double> row;
    for (size_t c = 0; c < 4; ++c) {
      const int v = ties_[t].vertices[c];
      if (!is_driven[static_cast<size_t>(v)]) row[v] += ties_[t].weights[static_cast<Eigen::Index>(c)];
    }
    for (const auto& [v, weight] : row)
      if (std::abs(weight) > kZeroWeight) rows[t].push_back({v, weight});
    for (const auto& [v, weight] : rows[t]) sets.join(rows[t][0].first, v);
    if (rows[t].empty()) lone_.push_back(static_cast<int>(t));
  }
  std::map<int, Group> groups;  // by the smallest vertex
  for (size_t t = 0; t < ties_.size(); ++t)
    if (!rows[t].empty()) groups[sets.find(rows[t][0].first)].ties.push_back(static_cast<int>(t));

  std::vector<int> local(static_cast<size_t>(n_vertices), -1);
  for (auto& [root, group] : groups) {
    for (int t : group.ties)
      for (const auto& [v, weight] : rows[static_cast<size_t>(t)]) group.vertices.push_back(v);
    std::sort(group.vertices.begin(), group.vertices.end());
    group.vertices.erase(std::unique(group.vertices.begin(), group.vertices.end()), group.vertices.end());
    for (size_t i = 0; i < group.vertices.size(); ++i)
      local[static_cast<size_t>(group.vertices[i])] = static_cast<int>(i);
    std::vector<TieCluster::Row> cluster_rows;
    for (int t : group.ties) {
      cluster_rows.push_back(rows[static_cast<size_t>(t)]);
      for (auto& [v, weight] : cluster_rows.back()) v = local[static_cast<size_t>(v)];
    }
    group.cluster = std::make_unique<TieCluster>(std::move(cluster_rows), static_cast<int>(group.vertices.size()));
    rank_ += group.cluster->rank();
    for (int c : group.cluster->weak()) weak_.push_back(group.vertices[static_cast<size_t>(c)]);
    clusters_.push_back(std::move(group));
  }
  std::sort(weak_.begin(), weak_.end());

  // Z: driven and dependent vertices are no unknowns.
  std::vector<char> is_unknown(static_cast<size_t>(n_vertices), 1);
  for (int v : driven_) is_unknown[static_cast<size_t>(v)] = 0;
  for (const Group& group : clusters_)
    for (int c : group.cluster->dependent())
      is_unknown[static_cast<size_t>(group.vertices[static_cast<size_t>(c)])] = 0;
  std::vector<std::vector<std::pair<int, double>>> z(static_cast<size_t>(n_vertices));
  std::vector<int> number(static_cast<size_t>(n_vertices), -1);
  int n_free = 0;
  for (size_t v = 0; v < z.size(); ++v)
    if (is_unknown[v]) z[v] = {{number[v] = n_free++, 1.0}};
  for (const Group& group : clusters_) {
    const auto vertex = [&](int c) { return static_cast<size_t>(group.vertices[static_cast<size_t>(c)]); };
    for (size_t k = 0; k < group.cluster->weights().size(); ++k)
      for (const auto& [c, weight] : group.cluster->weights()[k])
        z[vertex(group.cluster->dependent()[k])].push_back({number[vertex(c)], -weight});
  }
  map_ = AffineMap(z, n_free);
}

// target - sum of w (X + u) for each tie.
VecX Constraints::tie_offsets(const VecX& tie_targets, const VecX& u) const {
  expect(tie_targets.size() == 3 * static_cast<Eigen::Index>(ties_.size()), "one target for each tie");
  VecX offset = tie_targets;
  for (size_t t = 0; t < ties_.size(); ++t)
    for (size_t c = 0; c < 4; ++c) {
      const int v = ties_[t].vertices[c];
      offset.segment<3>(3 * static_cast<Eigen::Index>(t)) -=
          ties_[t].weights[static_cast<Eigen::Index>(c)] * (rest_[static_cast<size_t>(v)] + u.segment<3>(3 * v));
    }
  return offset;
}

VecX Constraints::prescribe(const VecX& driven_positions, const VecX& tie_targets, double* worst_residual) const {
  expect(driven_positions.size() == 3 * static_cast<Eigen::Index>(driven_.size()),
         "one position for each driven vertex");
  VecX u = VecX::Zero(3 * static_cast<Eigen::Index>(rest_.size()));
  for (size_t i = 0; i < driven_.size(); ++i)
    u.segment<3>(3 * driven_[i]) =
        driven_positions.segment<3>(3 * static_cast<Eigen::Index>(i)) - rest_[static_cast<size_t>(driven_[i])];
  const VecX offset = tie_offsets(tie_targets, u);
  double worst = 0;
  for (int t : lone_) worst = std::max(worst, offset.segment<3>(3 * t).norm());
  const double missed = parallel_max(clusters_.size(), 16, [&](size_t begin, size_t end) {
    double largest = 0;
    for (size_t k = begin; k < end; ++k) {
      const Group& group = clusters_[k];
      TieCluster::Values g(static_cast<Eigen::Index>(group.ties.size()), 3);
      for (size_t r = 0; r < group.ties.size(); ++r)
        g.row(static_cast<Eigen::Index>(r)) = offset.segment<3>(3 * group.ties[r]).transpose();
      double distance = 0;
      const TieCluster::Values moved = group.cluster->gain(g, distance);
      for (size_t s = 0; s < group.cluster->dependent().size(); ++s) {
        const int v = group.vertices[static_cast<size_t>(group.cluster->dependent()[s])];
        u.segment<3>(3 * v) = moved.row(static_cast<Eigen::Index>(s)).transpose();
      }
      largest = std::max(largest, distance);
    }
    return largest;
  });
  if (worst_residual) *worst_residual = std::max(worst, missed);
  return u;
}

double Constraints::tie_residual(const VecX& u, const VecX& tie_targets) const {
  const VecX offset = tie_offsets(tie_targets, u);
  double worst = 0;
  for (Eigen::Index t = 0; t < offset.size() / 3; ++t) worst = std::max(worst, offset.segment<3>(3 * t).norm());
  return worst;
}

}  // namespace supple
