#include "supple/fem/elements.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/expect.h"
#include "supple/base/parallel.h"

namespace supple {

namespace {

constexpr int kElementCluster = 128;

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

}  // namespace

Elements::Elements(const TetMesh& mesh, MaterialModel model, const std::vector<MaterialParameters>& per_tet,
                   bool anti_locking, const std::vector<char>& left_out)
    : model_(model), n_vertices_(mesh.n_vertices()) {
  expect(per_tet.size() == mesh.tets.size(), "one material for each tet");
  expect(left_out.empty() || (left_out.size() == mesh.tets.size() && !anti_locking),
         "a mark for each tet, without anti-locking");
  std::vector<int> kept;
  Points centres;
  for (int k = 0; k < mesh.n_tets(); ++k) {
    if (!left_out.empty() && left_out[k]) continue;
    const Tet& t = mesh.tets[k];
    kept.push_back(k);
    centres.push_back((mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]] + mesh.vertices[t[3]]) / 4);
  }
  clusters_ =
      Clusters(n_vertices_, centres, kElementCluster, [&](int k) { return std::span<const int>(mesh.tets[kept[k]]); });
  list_.reserve(kept.size());
  for (int k : clusters_.order()) {
    const int t = kept[k];
    const MaterialParameters& p = per_tet[t];
    list_.push_back(make_element(mesh, t, element_material(model, anti_locking ? split_material(p).tet : p)));
    volume_ += list_.back().vol;
  }
  if (anti_locking) patches_ = Patches(mesh, model, per_tet);
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
