#include "supple/fem/patches.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple {

namespace {

constexpr int kPatchCluster = 32;

struct Lame {
  double mu, lambda;
};
Lame lame(const MaterialParameters& p) {
  const double mu = p.youngs_modulus / (2 * (1 + p.poisson_ratio));
  return {mu, 2 * mu * p.poisson_ratio / (1 - 2 * p.poisson_ratio)};
}
void set_lame(MaterialParameters& p, const Lame& l) {
  p.poisson_ratio = l.lambda / (2 * (l.lambda + l.mu));
  p.youngs_modulus = 2 * l.mu * (1 + p.poisson_ratio);
}

}  // namespace

SplitMaterial split_material(const MaterialParameters& p) {
  const Lame whole = lame(p);
  const double kept = std::min(p.poisson_ratio, kTetPoisson), mu = p.tet_share * whole.mu;
  const Lame tet{mu, 2 * mu * kept / (1 - 2 * kept)};
  SplitMaterial split{p, p};
  set_lame(split.tet, tet);
  set_lame(split.patch, {whole.mu - tet.mu, whole.lambda - tet.lambda});
  return split;
}

Patches::Patches(const TetMesh& mesh, MaterialModel model, const std::vector<MaterialParameters>& per_tet) {
  std::vector<std::vector<int>> around(mesh.vertices.size());
  for (int t = 0; t < mesh.n_tets(); ++t)
    for (int v : mesh.tets[t]) around[v].push_back(t);

  std::vector<Patch> made;
  Points centres;
  for (int vertex = 0; vertex < mesh.n_vertices(); ++vertex) {
    if (around[vertex].empty()) continue;
    Patch p{.vertex = vertex, .first = static_cast<int>(vertices_.size())};
    for (int t : around[vertex]) vertices_.insert(vertices_.end(), mesh.tets[t].begin(), mesh.tets[t].end());
    std::sort(vertices_.begin() + p.first, vertices_.end());
    vertices_.erase(std::unique(vertices_.begin() + p.first, vertices_.end()), vertices_.end());
    p.count = static_cast<int>(vertices_.size()) - p.first;
    gradients_.resize(3 * vertices_.size(), 0.0);

    // Means weighted by volume; that of the damping also by stiffness, as it multiplies it.
    Lame mean{0, 0};
    double penalty = 0, damping = 0;
    for (int t : around[vertex]) {
      const Tet& v = mesh.tets[t];
      Mat3 Dm;
      for (int a = 0; a < 3; ++a) Dm.col(a) = mesh.vertices[v[a + 1]] - mesh.vertices[v[0]];
      const double share = std::abs(Dm.determinant()) / 24;
      const Mat3 g = Dm.inverse().transpose();
      for (int a = 0; a < 4; ++a) {
        const Vec3 gradient = a == 0 ? Vec3(-g.rowwise().sum()) : Vec3(g.col(a - 1));
        const auto place = std::lower_bound(vertices_.begin() + p.first, vertices_.end(), v[a]) - vertices_.begin();
        Eigen::Map<Vec3>(gradients_.data() + 3 * place) += share * gradient;
      }
      const MaterialParameters part = split_material(per_tet[t]).patch;
      const Lame l = lame(part);
      p.vol += share;
      mean.mu += share * l.mu;
      mean.lambda += share * l.lambda;
      penalty += share * part.volume_penalty;
      damping += share * l.mu * part.stiffness_damping;
    }
    for (int i = 3 * p.first; i < 3 * (p.first + p.count); ++i) gradients_[i] /= p.vol;
    MaterialParameters averaged;
    set_lame(averaged, {mean.mu / p.vol, mean.lambda / p.vol});
    averaged.volume_penalty = penalty / p.vol;
    averaged.stiffness_damping = damping / mean.mu;
    p.material = element_material(model, averaged);
    made.push_back(p);
    centres.push_back(mesh.vertices[vertex]);
  }
  clusters_ = Clusters(mesh.n_vertices(), centres, kPatchCluster, [&](int i) {
    return std::span<const int>(vertices_.data() + made[i].first, static_cast<size_t>(made[i].count));
  });
  long slot = 0;
  for (int i : clusters_.order()) {
    list_.push_back(made[i]);
    list_.back().first_slot = slot;
    slot += static_cast<long>(made[i].count) * (made[i].count + 1) / 2;
  }
}

void Patches::couple(PatternBuilder& pattern) const {
  for (const Patch& p : list_)
    pattern.couple(std::span<const int>(vertices_.data() + p.first, static_cast<size_t>(p.count)));
}

std::vector<int> Patches::block_slots(const BlockPattern& pattern) const {
  if (list_.empty()) return {};
  const Patch& last = list_.back();
  std::vector<int> slots(static_cast<size_t>(last.first_slot + static_cast<long>(last.count) * (last.count + 1) / 2));
  parallel_for(list_.size(), 64, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      int* slot = slots.data() + list_[k].first_slot;
      const int* v = vertices_.data() + list_[k].first;
      for (int i = 0; i < list_[k].count; ++i)
        for (int j = 0; j <= i; ++j) *slot++ = pattern.find(v[i], v[j]);
    }
  });
  return slots;
}

}  // namespace supple
