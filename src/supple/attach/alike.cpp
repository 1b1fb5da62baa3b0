#include "supple/attach/alike.h"

#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"

namespace supple {
namespace {

// The skin vertex nearest to each point.
std::vector<int> nearest_skin(const Points& points, const Points& skin) {
  std::vector<Box> boxes;
  for (const Vec3& x : skin) boxes.push_back({x, x});
  const Bvh tree(std::move(boxes));
  std::vector<int> nearest(points.size(), -1);
  parallel_for(points.size(), 128, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      nearest[i] = tree.closest(points[i], [&](int k) { return (skin[k] - points[i]).squaredNorm(); }).item;
    }
  });
  return nearest;
}

}  // namespace

BothSides::BothSides(const TetMesh& cage, const TriMesh& skin, const Mirror& mirror, const Skeleton& skeleton,
                     const std::vector<int>& leader) {
  if (!mirror.found()) return;
  const std::vector<int> nearest = nearest_skin(cage.vertices, skin.vertices);
  std::vector<int> both;
  Points images;
  for (int v = 0; v < cage.n_vertices(); ++v) {
    if (nearest[v] < 0 || mirror.image[nearest[v]] < 0) continue;
    both.push_back(v);
    images.push_back(mirror.of(cage.vertices[v]));
  }
  const Embedding e = embed(cage, images);
  for (size_t k = 0; k < both.size(); ++k) {
    const Tet& tet = cage.tets[e.tet[k]];
    const int own = leader[both[k]];
    const int other = own >= 0 && skeleton.bones[own].twin >= 0 ? skeleton.bones[own].twin : own;
    const bool same = std::any_of(tet.begin(), tet.end(), [&](int v) {
      return other < 0 ? leader[v] < 0 : leader[v] >= 0 && skeleton.related(leader[v], other);
    });
    if (!same) continue;
    const Eigen::Vector4d w = e.weights[k].cwiseMax(0);
    vertex_.push_back(both[k]);
    tet_.push_back(tet);
    weight_.push_back(w / w.sum());
  }
}

double BothSides::there(size_t k, const std::vector<double>& values) const {
  double sum = 0;
  for (int c = 0; c < 4; ++c) sum += weight_[k][c] * values[tet_[k][c]];
  return sum;
}

void BothSides::make_alike(std::vector<double>& values) const {
  const std::vector<double> before = values;
  for (size_t k = 0; k < vertex_.size(); ++k) values[vertex_[k]] = 0.5 * (before[vertex_[k]] + there(k, before));
}

void BothSides::hold_alike(const std::vector<double>& before, std::vector<double>& values) const {
  std::vector<double> held(values.size(), 0);
  for (size_t v = 0; v < held.size(); ++v) held[v] = before[v] > 0 && values[v] <= 0 ? 1 : 0;
  // Most of what is there: with less, thin parts would lose their own vertices to the other side's neighbours.
  for (size_t k = 0; k < vertex_.size(); ++k)
    if (there(k, held) > 0.5) values[vertex_[k]] = 0;
}

}  // namespace supple
