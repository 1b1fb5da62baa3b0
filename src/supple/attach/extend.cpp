#include "supple/attach/extend.h"

#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <map>
#include <span>

#include "supple/attach/extend_samples.h"
#include "supple/base/parallel.h"
#include "supple/linalg/solver.h"
#include "supple/mesh/bvh.h"

namespace supple {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;

// Sums of entries in the order they come, of the lower triangle in the order of the unknowns: what the factorization
// reads. A list of all entries would be many times as long.
class LowerSum {
 public:
  LowerSum(std::shared_ptr<const BlockPattern> pattern, const std::vector<int>& place)
      : pattern_(std::move(pattern)), place_(place), values_(pattern_->col.size(), 0) {}

  void emplace_back(int i, int j, double value) {
    if (place_[i] < place_[j]) return;
    values_[static_cast<size_t>(pattern_->find(std::max(i, j), std::min(i, j)))] += value;
  }

  Sparse matrix() const {
    const int n = pattern_->n;
    std::vector<Triplet> entries;
    entries.reserve(values_.size());
    for (int i = 0; i < n; ++i)
      for (int k = pattern_->row_start[i]; k < pattern_->row_start[i + 1]; ++k) {
        const int a = place_[i], b = place_[pattern_->col[k]];
        entries.emplace_back(std::max(a, b), std::min(a, b), values_[static_cast<size_t>(k)]);
      }
    Sparse m(n, n);
    m.setFromTriplets(entries.begin(), entries.end());
    return m;
  }

 private:
  std::shared_ptr<const BlockPattern> pattern_;
  const std::vector<int>& place_;
  std::vector<double> values_;
};

constexpr double kBarelyBent = 1e-5;  // gradients beside their jumps, for parts that the skin does not determine

// A condition: the weighted sum of tet vertices equals the weighted sum of skin vertices.
struct Condition {
  std::vector<std::pair<int, double>> tet_vertices, skin_vertices;
  double weight = 1;
};

double mean_edge(const TetMesh& cage) {
  double sum = 0;
  const auto edges = unique_edges(cage.tets);
  for (const auto& [a, b] : edges) sum += (cage.vertices[a] - cage.vertices[b]).norm();
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

double longest_edge(const TriMesh& skin, const Tri& t) {
  double longest = 0;
  for (int c = 0; c < 3; ++c) {
    longest = std::max(longest, (skin.vertices[t[c]] - skin.vertices[t[(c + 1) % 3]]).norm());
  }
  return longest;
}

// Skin vertices through their blend.
void at_vertices(const TriMesh& skin, const VertexBlend& blend, double h, std::vector<Condition>& conditions) {
  const std::vector<double> areas = vertex_areas(skin);
  for (int i = 0; i < blend.size(); ++i) {
    Condition c;
    for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) {
      c.tet_vertices.emplace_back(blend.vertex[k], blend.weight[k]);
    }
    c.skin_vertices = {{i, 1.0}};
    // A vertex of many small triangles counts for what it covers, one of large triangles for its own place only.
    c.weight = std::clamp(areas[i] / (h * h), 1e-6, 1.0);
    conditions.push_back(std::move(c));
  }
}

// Points within triangles that are larger than tets. Where parts that must stay apart overlap (two tets without a
// common vertex hold the point) it is not known whose the point is, and it is left out.
void within_triangles(const TetMesh& cage, const TriMesh& skin, double h, std::vector<Condition>& conditions) {
  std::vector<Box> boxes;
  for (const Tet& t : cage.tets) {
    Box b{cage.vertices[t[0]], cage.vertices[t[0]]};
    for (const int v : t) b = {b.low.cwiseMin(cage.vertices[v]), b.high.cwiseMax(cage.vertices[v])};
    boxes.push_back(b);
  }
  const Bvh tree(std::move(boxes));
  for (const SkinSample& s : sample_skin(skin, h)) {
    // Of a triangle no larger than a tet the corners tell enough.
    if (longest_edge(skin, skin.triangles[s.triangle]) <= h) continue;
    const Vec3 p = position(skin, s);
    int holder = -1;
    bool sure = true;
    Eigen::Vector4d weights = Eigen::Vector4d::Zero();
    tree.containing(p, [&](int k) {
      const Tet& t = cage.tets[k];
      const Eigen::Vector4d w =
          barycentric(p, cage.vertices[t[0]], cage.vertices[t[1]], cage.vertices[t[2]], cage.vertices[t[3]]);
      if (!(w.minCoeff() >= -1e-9)) return;
      if (holder < 0) {
        holder = k;
        weights = w;
        return;
      }
      const Tet& first = cage.tets[holder];
      sure = sure && std::any_of(t.begin(), t.end(),
                                 [&](int v) { return std::find(first.begin(), first.end(), v) != first.end(); });
    });
    if (holder < 0 || !sure) continue;
    Condition c;
    for (int k = 0; k < 4; ++k) {
      c.tet_vertices.emplace_back(cage.tets[holder][k], weights[k]);
      if (k < 3) c.skin_vertices.emplace_back(skin.triangles[s.triangle][k], s.bary[k]);
    }
    c.weight = std::min(1.0, s.area / (h * h));
    conditions.push_back(std::move(c));
  }
}

// Rows: gradients of the four vertices' shares; false: a tet without volume.
bool gradients_of(const TetMesh& cage, const Tet& t, Eigen::Matrix<double, 4, 3>& gradients) {
  Mat3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = cage.vertices[t[c + 1]] - cage.vertices[t[0]];
  if (!(std::abs(edges.determinant()) > 0)) return false;
  gradients.bottomRows<3>() = edges.inverse();
  gradients.row(0) = -gradients.bottomRows<3>().colwise().sum();
  return true;
}

// Pairs of tets with a common face.
std::vector<std::pair<int, int>> neighbours(const TetMesh& cage) {
  std::map<Tri, int> open;
  std::vector<std::pair<int, int>> pairs;
  for (int t = 0; t < cage.n_tets(); ++t) {
    for (int skip = 0; skip < 4; ++skip) {
      Tri face{};
      for (int c = 0, k = 0; c < 4; ++c)
        if (c != skip) face[k++] = cage.tets[t][c];
      std::sort(face.begin(), face.end());
      const auto [at, is_new] = open.emplace(face, t);
      if (!is_new) pairs.emplace_back(at->second, t);
    }
  }
  return pairs;
}

void add_bending(const TetMesh& cage, const std::vector<std::pair<int, int>>& pairs, double scale, LowerSum& entries) {
  for (const auto& [a, b] : pairs) {
    Eigen::Matrix<double, 4, 3> ga, gb;
    if (!gradients_of(cage, cage.tets[a], ga) || !gradients_of(cage, cage.tets[b], gb)) continue;
    std::vector<std::pair<int, Vec3>> jump;
    Points face;
    for (int c = 0; c < 4; ++c) jump.emplace_back(cage.tets[a][c], ga.row(c));
    for (int c = 0; c < 4; ++c) {
      const int v = cage.tets[b][c];
      const auto same = std::find_if(jump.begin(), jump.end(), [&](const auto& j) { return j.first == v; });
      if (same == jump.end()) {
        jump.emplace_back(v, -gb.row(c));
      } else {
        same->second -= gb.row(c).transpose();
        face.push_back(cage.vertices[v]);
      }
    }
    const double area = 0.5 * (face[1] - face[0]).cross(face[2] - face[0]).norm();
    for (const auto& [i, gi] : jump)
      for (const auto& [j, gj] : jump) entries.emplace_back(i, j, scale * area * gi.dot(gj));
  }
}

void add_dirichlet(const TetMesh& cage, double scale, LowerSum& entries) {
  for (const Tet& t : cage.tets) {
    Eigen::Matrix<double, 4, 3> gradients;
    if (!gradients_of(cage, t, gradients)) continue;
    const double volume =
        std::abs(tet_volume(cage.vertices[t[0]], cage.vertices[t[1]], cage.vertices[t[2]], cage.vertices[t[3]]));
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        entries.emplace_back(t[i], t[j], scale * volume * gradients.row(i).dot(gradients.row(j)));
      }
    }
  }
}

}  // namespace

struct Extension::Impl {
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Eigen::NaturalOrdering<int>> factor;
  std::vector<int> order;  // order[k]: the tet vertex that is unknown k
  Sparse right;            // skin values -> right-hand side, in the order of the unknowns
};

Extension::~Extension() = default;
Extension::Extension(Extension&&) noexcept = default;

Extension::Extension(const TetMesh& cage, const TriMesh& skin, const VertexBlend& blend, Extend how, double stiffness)
    : impl_(std::make_unique<Impl>()) {
  const int n = cage.n_vertices();
  const double edge = mean_edge(cage), h = edge > 0 ? edge : 1;
  std::vector<Condition> conditions;
  at_vertices(skin, blend, h, conditions);
  within_triangles(cage, skin, h, conditions);

  PatternBuilder pattern(n);
  for (const Tet& t : cage.tets) pattern.couple(t);
  std::vector<std::pair<int, int>> pairs;
  if (how == Extend::bends) pairs = neighbours(cage);
  for (const auto& [a, b] : pairs) {
    std::vector<int> together(cage.tets[a].begin(), cage.tets[a].end());
    for (const int v : cage.tets[b])
      if (std::find(together.begin(), together.end(), v) == together.end()) together.push_back(v);
    pattern.couple(together);
  }
  for (const Condition& c : conditions) {
    std::vector<int> together;
    for (const auto& [v, w] : c.tet_vertices) together.push_back(v);
    pattern.couple(together);
  }
  const std::shared_ptr<const BlockPattern> coupled = pattern.build();
  impl_->order = nested_dissection(*coupled);
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[impl_->order[k]] = k;

  LowerSum entries(coupled, place);
  std::vector<Triplet> right;
  add_dirichlet(cage, (how == Extend::bends ? kBarelyBent : 1) * stiffness / h, entries);
  add_bending(cage, pairs, stiffness, entries);
  for (const Condition& c : conditions) {
    for (const auto& [v, w] : c.tet_vertices) {
      for (const auto& [u, x] : c.tet_vertices) entries.emplace_back(v, u, c.weight * w * x);
      for (const auto& [i, x] : c.skin_vertices) right.emplace_back(place[v], i, c.weight * w * x);
    }
  }
  // A part that no skin reaches would be singular; so small a pull to 0 changes nothing elsewhere.
  for (int v = 0; v < n; ++v) entries.emplace_back(v, v, 1e-12);
  impl_->factor.compute(entries.matrix());
  impl_->right.resize(n, skin.n_vertices());
  impl_->right.setFromTriplets(right.begin(), right.end());
}

MatX Extension::operator()(const MatX& skin_values) const {
  const auto n = static_cast<Eigen::Index>(impl_->order.size());
  MatX result = MatX::Zero(n, skin_values.cols());
  if (impl_->factor.info() != Eigen::Success) return result;
  parallel_for(static_cast<size_t>(skin_values.cols()), 4, [&](size_t begin, size_t end) {
    const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
    const MatX right = impl_->right * skin_values.middleCols(first, count);
    const MatX solved = impl_->factor.solve(right);
    for (Eigen::Index k = 0; k < n; ++k) result.row(impl_->order[k]).segment(first, count) = solved.row(k);
  });
  return result;
}

}  // namespace supple
