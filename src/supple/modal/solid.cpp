#include "supple/modal/solid.h"

#include <algorithm>

#include "supple/base/error.h"

namespace supple {

namespace {

void require_held(const SolidSpec& spec) {
  std::vector<int> component;
  const int n = connected_components(spec.mesh, component);
  std::vector<char> held(static_cast<size_t>(n), 0);
  bool any_free = false;
  for (int v = 0; v < spec.mesh.n_vertices(); ++v) {
    if (component[v] < 0) continue;
    if (spec.fixed[v]) held[component[v]] = 1;
    any_free = any_free || !spec.fixed[v];
  }
  for (const auto& [v, stiffness] : spec.springs)
    if (stiffness > 0 && component[v] >= 0) held[component[v]] = 1;
  if (!any_free) throw InputError({}, "nothing of the flesh is free to move", "choose a larger part");
  if (std::count(held.begin(), held.end(), 0) > 0)
    throw InputError({}, "a piece of the flesh is held by nothing", "fix some of its vertices");
}

}  // namespace

Solid make_solid(const SolidSpec& spec) {
  require_held(spec);
  Solid solid;
  solid.n_vertices = spec.mesh.n_vertices();
  solid.n_tets = spec.mesh.n_tets();
  std::vector<char> used(spec.mesh.vertices.size(), 0);
  for (const Tet& t : spec.mesh.tets)
    for (int v : t) used[v] = 1;
  std::vector<int> fixed;
  for (int v = 0; v < solid.n_vertices; ++v)
    if (spec.fixed[v] || !used[v]) fixed.push_back(v);
  if (spec.quadratic) {
    const QuadraticTets tets = with_middle_nodes(spec.mesh);
    solid.nodes = tets.nodes;
    solid.all = linear_matrices(tets, spec.per_tet);
    for (size_t e = 0; e < tets.edges.size(); ++e)
      if (spec.fixed[tets.edges[e][0]] && spec.fixed[tets.edges[e][1]])
        fixed.push_back(solid.n_vertices + static_cast<int>(e));
  } else {
    solid.nodes = spec.mesh.vertices;
    solid.all = linear_matrices(spec.mesh, spec.per_tet);
  }
  for (const auto& [v, stiffness] : spec.springs) {
    double* block = solid.all.stiffness.block(solid.all.stiffness.pattern->row_start[v + 1] - 1);
    for (int c = 0; c < 9; c += 4) block[c] += stiffness;
  }
  solid.map = AffineMap::without(static_cast<int>(solid.nodes.size()), fixed);
  return solid;
}

BlockMatrix free_part(const Solid& solid, const BlockMatrix& all) {
  const Reduction reduction(solid.map, all.pattern);
  BlockMatrix out(reduction.pattern());
  reduction.apply(all, out);
  return out;
}

}  // namespace supple
