#include "supple/mesh/unfold.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/linalg/svd3.h"

namespace supple {

namespace {

constexpr int kFirstRings = 1, kMostRings = 8;
constexpr int kPasses = 600;

class Unfolder {
 public:
  Unfolder(const TetMesh& mesh, const std::vector<char>& counts, double least, Points& x)
      : mesh_(mesh), counts_(counts), x_(x) {
    around_.resize(mesh.vertices.size());
    std::vector<double> ratios;
    for (size_t t = 0; t < mesh.tets.size(); ++t) {
      if (!counts[t]) continue;
      for (int v : mesh.tets[t]) around_[v].push_back(static_cast<int>(t));
      ratios.push_back(ratio(t));
    }
    if (ratios.empty()) return;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    usual_ = *middle;
    least_ = least * usual_;
  }

  std::vector<int> folded() const {
    std::vector<int> list;
    for (size_t t = 0; t < mesh_.tets.size(); ++t)
      if (counts_[t] && is_folded(t)) list.push_back(static_cast<int>(t));
    return list;
  }
  // Mostly inside out: nothing to begin with.
  bool hopeless() const { return !(usual_ > 0); }

  bool mend(const std::vector<int>& folded, int rings) {
    std::vector<char> moves(x_.size(), 0);
    for (int t : folded)
      for (int v : mesh_.tets[t]) moves[v] = 1;
    for (int ring = 0; ring < rings; ++ring) {
      std::vector<char> wider = moves;
      for (size_t v = 0; v < moves.size(); ++v)
        for (int t : around_[v])
          if (moves[v])
            for (int w : mesh_.tets[t]) wider[w] = 1;
      moves = wider;
    }
    std::vector<char> near(mesh_.tets.size(), 0);
    for (size_t v = 0; v < moves.size(); ++v)
      for (int t : around_[v])
        if (moves[v]) near[t] = 1;
    const double stretch = kLeastStretch * std::cbrt(usual_);
    Points sum(x_.size());
    std::vector<double> weight(x_.size());
    for (int pass = 0; pass < kPasses; ++pass) {
      bool any = false;
      for (size_t v = 0; v < x_.size(); ++v) sum[v].setZero(), weight[v] = 0;
      for (size_t t = 0; t < near.size(); ++t) {
        if (!near[t]) continue;
        any = any || is_folded(t);
        const Tet& q = mesh_.tets[t];
        const Vec3 from = centre(mesh_.vertices, q), to = centre(x_, q);
        const Svd3 s = svd3(edges(x_, q) * edges(mesh_.vertices, q).inverse());
        const Mat3 wanted = s.U * s.sigma.cwiseMax(stretch).asDiagonal() * s.V.transpose();
        const double w = std::abs(edges(mesh_.vertices, q).determinant());
        for (int v : q) {
          sum[v] += w * (to + wanted * (mesh_.vertices[v] - from));
          weight[v] += w;
        }
      }
      if (!any) return true;
      for (size_t v = 0; v < x_.size(); ++v)
        if (moves[v] && weight[v] > 0) x_[v] = sum[v] / weight[v];
    }
    return false;
  }

 private:
  static Mat3 edges(const Points& p, const Tet& q) {
    Mat3 m;
    for (int k = 0; k < 3; ++k) m.col(k) = p[q[k + 1]] - p[q[0]];
    return m;
  }
  static Vec3 centre(const Points& p, const Tet& q) { return (p[q[0]] + p[q[1]] + p[q[2]] + p[q[3]]) / 4; }
  double ratio(size_t t) const {
    return edges(x_, mesh_.tets[t]).determinant() / edges(mesh_.vertices, mesh_.tets[t]).determinant();
  }
  bool is_folded(size_t t) const { return !(ratio(t) > least_); }

  const TetMesh& mesh_;
  const std::vector<char>& counts_;
  Points& x_;
  std::vector<std::vector<int>> around_;  // tets that count, of each vertex
  double usual_ = 1, least_ = 0;
};

}  // namespace

Unfolding unfold(const TetMesh& mesh, const std::vector<char>& counts, double least, Points& x) {
  Unfolder unfolder(mesh, counts, least, x);
  Unfolding out;
  out.folded = out.left = unfolder.folded();
  if (out.folded.empty() || unfolder.hopeless()) return out;
  const Points before = x;
  for (int rings = kFirstRings; rings <= kMostRings && !out.left.empty(); ++rings) {
    unfolder.mend(out.left, rings);
    out.left = unfolder.folded();
  }
  for (size_t v = 0; v < x.size(); ++v) out.farthest = std::max(out.farthest, (x[v] - before[v]).norm());
  return out;
}

}  // namespace supple
