#include "supple/fem/elements.h"

#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <numeric>

#include "supple/base/parallel.h"

namespace supple {

namespace {

constexpr int kClusterSize = 128;

Element make_element(const TetMesh& mesh, int tet, const ElementMaterial& material) {
  Element e;
  e.tet = tet;
  std::copy(mesh.tets[tet].begin(), mesh.tets[tet].end(), e.v);
  std::sort(e.v, e.v + 4);
  Mat3 Dm;
  for (int a = 0; a < 3; ++a) Dm.col(a) = mesh.vertices[e.v[a + 1]] - mesh.vertices[e.v[0]];
  e.vol = std::abs(Dm.determinant()) / 6;
  e.g = Dm.inverse().transpose();
  e.material = material;
  return e;
}

// Tets in the order of a space-filling (Morton) curve through their centres: neighbours in space become neighbours in
// memory whatever the order of the file.
std::vector<int> spatial_order(const TetMesh& mesh) {
  const Box box = bounding_box(mesh.vertices);
  const double size = std::max(box.size().maxCoeff(), 1e-300);
  std::vector<std::pair<uint64_t, int>> keys(mesh.tets.size());
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    Vec3 c = Vec3::Zero();
    for (int v : mesh.tets[t]) c += mesh.vertices[v];
    const Vec3 x = (c / 4 - box.low) / size * 1048575.0;
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto bits = static_cast<uint64_t>(std::clamp(x[axis], 0.0, 1048575.0));
      for (int b = 0; b < 20; ++b) key |= ((bits >> b) & 1u) << (3 * b + axis);
    }
    keys[t] = {key, static_cast<int>(t)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> order(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].second;
  return order;
}

}  // namespace

Elements::Elements(const TetMesh& mesh, MaterialModel model, const std::vector<MaterialParameters>& per_tet)
    : model_(model), n_vertices_(mesh.n_vertices()) {
  assert(per_tet.size() == mesh.tets.size());
  const std::vector<int> order = spatial_order(mesh);
  const int n = mesh.n_tets(), n_clusters = (n + kClusterSize - 1) / kClusterSize;

  // Greedy colouring: the first colour no cluster of which has touched any of my vertices.
  std::vector<uint64_t> used(static_cast<size_t>(n_vertices_), 0);
  std::vector<int> colour(static_cast<size_t>(n_clusters), 0);
  int n_colours = 1;
  for (int c = 0; c < n_clusters; ++c) {
    uint64_t taken = 0;
    const int begin = c * kClusterSize, end = std::min(n, begin + kClusterSize);
    for (int i = begin; i < end; ++i)
      for (int v : mesh.tets[order[i]]) taken |= used[v];
    colour[c] = std::min(kSerialColour, static_cast<int>(std::countr_one(taken)));
    n_colours = std::max(n_colours, colour[c] + 1);
    for (int i = begin; i < end; ++i)
      for (int v : mesh.tets[order[i]]) used[v] |= uint64_t{1} << colour[c];
  }

  list_.reserve(static_cast<size_t>(n));
  cluster_start_ = {0};
  colour_start_ = {0};
  for (int k = 0; k < n_colours; ++k) {
    for (int c = 0; c < n_clusters; ++c) {
      if (colour[c] != k) continue;
      const int begin = c * kClusterSize, end = std::min(n, begin + kClusterSize);
      for (int i = begin; i < end; ++i) {
        list_.push_back(make_element(mesh, order[i], element_material(model, per_tet[order[i]])));
        volume_ += list_.back().vol;
      }
      cluster_start_.push_back(static_cast<int>(list_.size()));
    }
    colour_start_.push_back(static_cast<int>(cluster_start_.size()) - 1);
  }
}

void Elements::for_each_cluster(const std::function<void(int, int)>& body) const {
  for (size_t k = 0; k + 1 < colour_start_.size(); ++k) {
    const int first = colour_start_[k];
    const size_t count = static_cast<size_t>(colour_start_[k + 1] - first);
    const size_t grain = static_cast<int>(k) == kSerialColour ? count : 1;
    parallel_for(count, grain, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c)
        body(cluster_start_[first + static_cast<int>(c)], cluster_start_[first + static_cast<int>(c) + 1]);
    });
  }
}

double Elements::sum_over_clusters(const std::function<double(int, int)>& body) const {
  return parallel_sum(cluster_start_.size() - 1, 1, [&](size_t begin, size_t end) {
    double sum = 0;
    for (size_t c = begin; c < end; ++c) sum += body(cluster_start_[c], cluster_start_[c + 1]);
    return sum;
  });
}

std::vector<std::array<int, 10>> block_slots(const Elements& elements, const BlockPattern& pattern) {
  std::vector<std::array<int, 10>> slots(elements.list().size());
  parallel_for(slots.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Element& e = elements.list()[i];
      int k = 0;
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b) slots[i][k++] = pattern.find(e.v[a], e.v[b]);
    }
  });
  return slots;
}

}  // namespace supple
