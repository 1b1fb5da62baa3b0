#include "supple/sim/hinges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

namespace supple {

namespace {

constexpr double kInLine = 1e-6;        // of the size: points nearer to a line than this are on it
constexpr double kNoStiffness = 1e-11;  // of the largest: eigenvalues below this are motions that nothing resists
constexpr size_t kMostJoined = 150;     // blocks whose motions are looked at together

// Where a block is held or joined.
struct Anchor {
  Vec3 at;
  int vertex = -1;  // -1: a tied point
};

// 0: none, 1: all in one place, 2: in a line, 3: they hold a rigid piece.
int spread_of(const std::vector<Anchor>& anchors, double size) {
  if (anchors.empty()) return 0;
  const Vec3& first = anchors.front().at;
  Vec3 farthest = Vec3::Zero();
  for (const Anchor& a : anchors)
    if ((a.at - first).norm() > farthest.norm()) farthest = a.at - first;
  if (farthest.norm() <= kInLine * size) return 1;
  const Vec3 along = farthest.normalized();
  for (const Anchor& a : anchors)
    if ((a.at - first).cross(along).norm() > kInLine * size) return 3;
  return 2;
}

class HingeFinder {
 public:
  explicit HingeFinder(const Model& model) : model_(model), mesh_(model.mesh()) {}

  std::vector<Hinge> find() {
    make_blocks();
    hold_rigid_ones();
    std::vector<Hinge> out;
    for (const std::vector<int>& joined : joined_and_free()) add_moving(joined, out);
    return out;
  }

 private:
  void make_blocks() {
    // Of every face the first tet that has it.
    const int n = mesh_.n_tets();
    std::vector<int> parent(static_cast<size_t>(n));
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](int t) {
      while (parent[t] != t) t = parent[t] = parent[parent[t]];
      return t;
    };
    std::vector<std::array<int, 4>> faces;
    faces.reserve(4 * static_cast<size_t>(n));
    for (int t = 0; t < n; ++t)
      for (size_t k = 0; k < 4; ++k) {
        std::array<int, 3> f = {mesh_.tets[t][(k + 1) % 4], mesh_.tets[t][(k + 2) % 4], mesh_.tets[t][(k + 3) % 4]};
        std::sort(f.begin(), f.end());
        faces.push_back({f[0], f[1], f[2], t});
      }
    std::sort(faces.begin(), faces.end());
    for (size_t i = 1; i < faces.size(); ++i)
      if (std::equal(faces[i].begin(), faces[i].begin() + 3, faces[i - 1].begin())) {
        const int a = find(faces[i][3]), b = find(faces[i - 1][3]);
        parent[std::max(a, b)] = std::min(a, b);
      }
    std::map<int, int> number;
    block_of_.resize(static_cast<size_t>(n));
    for (int t = 0; t < n; ++t) block_of_[t] = number.emplace(find(t), static_cast<int>(number.size())).first->second;
    vertices_.resize(number.size()), held_.resize(number.size());
    blocks_at_.resize(mesh_.vertices.size());
    for (int t = 0; t < n; ++t)
      for (int v : mesh_.tets[t]) {
        std::vector<int>& at = blocks_at_[v];
        if (std::find(at.begin(), at.end(), block_of_[t]) != at.end()) continue;
        at.push_back(block_of_[t]);
        vertices_[block_of_[t]].push_back(v);
      }
    for (std::vector<int>& v : vertices_) std::sort(v.begin(), v.end());
    for (int v : model_.spec().driven)
      for (int b : blocks_at_[v]) held_[b].push_back({mesh_.vertices[v], v});
    for (const auto* points : {&model_.spec().ties, &model_.spec().springs})
      for (const PointTie& tie : *points)
        for (size_t c = 0; c < 4; ++c)
          if (tie.weights[static_cast<Eigen::Index>(c)] != 0) {
            // A point on a vertex is of all blocks there.
            const bool corner = std::abs(tie.weights[static_cast<Eigen::Index>(c)] - 1) < 1e-12;
            const int v = tie.vertices[c];
            for (int b : blocks_at_[v]) {
              const std::vector<int>& own = vertices_[b];
              const bool whole = std::all_of(tie.vertices.begin(), tie.vertices.end(),
                                             [&](int w) { return std::binary_search(own.begin(), own.end(), w); });
              if (corner || whole) held_[b].push_back({model_.rest_point(tie), corner ? v : -1});
            }
            break;
          }
    rigid_.assign(vertices_.size(), 0);
  }

  // What is held by three points and what holds to that by three.
  void hold_rigid_ones() {
    std::vector<int> stack;
    const auto look_at = [&](int b) {
      if (rigid_[b] || spread_of(held_[b], model_.size()) < 3) return;
      rigid_[b] = 1;
      stack.push_back(b);
    };
    for (size_t b = 0; b < vertices_.size(); ++b) look_at(static_cast<int>(b));
    while (!stack.empty()) {
      const int b = stack.back();
      stack.pop_back();
      for (int v : vertices_[b])
        for (int other : blocks_at_[v])
          if (!rigid_[other]) {
            held_[other].push_back({mesh_.vertices[v], v});
            look_at(other);
          }
    }
  }

  // Blocks that are left, those that share vertices together, if anything of them is held.
  std::vector<std::vector<int>> joined_and_free() const {
    std::vector<std::vector<int>> out;
    std::vector<char> seen(vertices_.size(), 0);
    for (size_t first = 0; first < vertices_.size(); ++first) {
      if (rigid_[first] || seen[first]) continue;
      std::vector<int> group = {static_cast<int>(first)};
      seen[first] = 1;
      bool held = false;
      for (size_t k = 0; k < group.size(); ++k) {
        held = held || !held_[group[k]].empty();
        for (int v : vertices_[group[k]])
          for (int other : blocks_at_[v])
            if (!rigid_[other] && !seen[other]) seen[other] = 1, group.push_back(other);
      }
      std::sort(group.begin(), group.end());
      if (held) out.push_back(std::move(group));
    }
    return out;
  }

  // Small rigid motions of the blocks that leave every joint together and every held point in place: where there are
  // some, whatever moves in them.
  void add_moving(const std::vector<int>& group, std::vector<Hinge>& out) const {
    std::vector<char> moves(group.size(), 1);
    if (group.size() <= kMostJoined) {
      const Eigen::Index n = 6 * static_cast<Eigen::Index>(group.size());
      MatX gram = MatX::Zero(n, n);
      std::map<int, Eigen::Index> column;
      for (size_t k = 0; k < group.size(); ++k) column[group[k]] = 6 * static_cast<Eigen::Index>(k);
      const Vec3 middle = mesh_.vertices[vertices_[group[0]][0]];
      // Of a point: velocity and turn to its velocity, lengths in units of the size.
      const auto motion_at = [&](const Vec3& x) {
        Eigen::Matrix<double, 3, 6> j;
        const Vec3 r = (x - middle) / model_.size();
        j << Mat3::Identity(), (Mat3() << 0, r.z(), -r.y(), -r.z(), 0, r.x(), r.y(), -r.x(), 0).finished();
        return j;
      };
      std::set<int> shared;
      for (int b : group) {
        for (const Anchor& a : held_[b]) {
          const auto j = motion_at(a.at);
          gram.block<6, 6>(column[b], column[b]) += j.transpose() * j;
        }
        for (int v : vertices_[b])
          if (blocks_at_[v].size() > 1) shared.insert(v);
      }
      for (int v : shared) {
        const auto j = motion_at(mesh_.vertices[v]);
        const Eigen::Matrix<double, 6, 6> jj = j.transpose() * j;
        for (size_t a = 0; a < blocks_at_[v].size(); ++a)
          for (size_t b = a + 1; b < blocks_at_[v].size(); ++b) {
            const int ba = blocks_at_[v][a], bb = blocks_at_[v][b];
            if (rigid_[ba] || rigid_[bb]) continue;
            const Eigen::Index ca = column.at(ba), cb = column.at(bb);
            gram.block<6, 6>(ca, ca) += jj, gram.block<6, 6>(cb, cb) += jj;
            gram.block<6, 6>(ca, cb) -= jj, gram.block<6, 6>(cb, ca) -= jj;
          }
      }
      const Eigen::SelfAdjointEigenSolver<MatX> eigen(gram);
      const double largest = eigen.eigenvalues().maxCoeff();
      VecX moving = VecX::Zero(n);
      for (Eigen::Index k = 0; k < n; ++k)
        if (eigen.eigenvalues()[k] <= kNoStiffness * largest) moving += eigen.eigenvectors().col(k).cwiseAbs2();
      for (size_t k = 0; k < group.size(); ++k)
        moves[k] = moving.segment<6>(6 * static_cast<Eigen::Index>(k)).sum() > 1e-6;
    }
    for (size_t k = 0; k < group.size(); ++k)
      if (moves[k]) out.push_back(hinge_of(group[k]));
  }

  Hinge hinge_of(int b) const {
    Hinge hinge{.vertices = vertices_[b], .axis = {}};
    std::vector<Anchor> anchors = held_[b];
    for (int v : vertices_[b])
      if (blocks_at_[v].size() > 1) anchors.push_back({mesh_.vertices[v], v});
    if (spread_of(anchors, model_.size()) > 2) return hinge;
    std::set<int> axis;
    for (const Anchor& a : anchors)
      if (a.vertex >= 0) axis.insert(a.vertex);
    hinge.axis.assign(axis.begin(), axis.end());
    return hinge;
  }

  const Model& model_;
  const TetMesh& mesh_;
  std::vector<int> block_of_;                // of every tet
  std::vector<std::vector<int>> vertices_;   // of every block, ascending
  std::vector<std::vector<int>> blocks_at_;  // of every vertex
  std::vector<std::vector<Anchor>> held_;    // of every block: by what is driven or tied, or rigid itself
  std::vector<char> rigid_;
};

}  // namespace

std::vector<Hinge> find_hinges(const Model& model) {
  if (model.mesh().n_tets() == 0) return {};
  return HingeFinder(model).find();
}

std::string text_of(const Hinge& hinge, const std::string& part) {
  const std::string who = fmt::format("{} vertices of '{}' (around vertex {})", hinge.vertices.size(), part,
                                      hinge.vertices[hinge.vertices.size() / 2]);
  constexpr const char* kAdvice =
      "they turn freely, at no frequency; hold three vertices or more that lie in no line, or join the tets by faces";
  if (hinge.axis.size() == 1) return fmt::format("{} are held at a single vertex, {}: {}", who, hinge.axis[0], kAdvice);
  if (hinge.axis.size() > 1 && hinge.axis.size() <= 4)
    return fmt::format("{} are held along an edge only, vertices {}, as by a hinge: {}", who,
                       fmt::join(hinge.axis, " and "), kAdvice);
  if (!hinge.axis.empty())
    return fmt::format("{} are held along a line only, {} vertices, as by a hinge: {}", who, hinge.axis.size(),
                       kAdvice);
  return fmt::format("{} are held by too little, or by flesh that turns itself: {}", who, kAdvice);
}

}  // namespace supple
