#include "supple/enrich/rigid_parts.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "supple/base/error.h"
#include "supple/base/expect.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

void keep_rigid(const std::vector<std::vector<int>>& parts, const Points& rest, Points& x) {
  expect(rest.size() == x.size(), "the same points at rest and now");
  std::vector<char> taken(rest.size(), 0);
  for (const std::vector<int>& part : parts) {
    Points before, after;
    for (int v : part) {
      if (taken[v])
        throw InputError({"", 0, 0, "vertex " + std::to_string(v)}, "belongs to two rigid parts",
                         "give it to one of them, or make the two one part");
      taken[v] = 1;
      before.push_back(rest[v]);
      after.push_back(x[v]);
    }
    const RigidMotion motion = fit_rigid_motion(flatten(before), flatten(after));
    for (int v : part) x[v] = motion(rest[v]);
  }
}

std::vector<std::vector<int>> surface_components(int n_vertices, const std::vector<Tri>& triangles) {
  std::vector<int> parent(n_vertices), number(n_vertices, -1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) -> int {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::vector<char> used(n_vertices, 0);
  for (const Tri& t : triangles) {
    for (int v : t) {
      const int a = root(t[0]), b = root(v);
      parent[std::max(a, b)] = std::min(a, b);
      used[v] = 1;
    }
  }
  // A root is the smallest vertex of its shell.
  std::vector<std::vector<int>> shells;
  for (int v = 0; v < n_vertices; ++v) {
    if (!used[v]) continue;
    const int r = root(v);
    if (r == v) {
      number[v] = static_cast<int>(shells.size());
      shells.emplace_back();
    }
    shells[number[r]].push_back(v);
  }
  return shells;
}

}  // namespace supple
