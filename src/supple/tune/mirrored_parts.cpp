#include "supple/tune/mirrored_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/mesh/sides.h"

namespace supple {

namespace {

constexpr double kMostOf = 0.6;    // of the vertices of a part whose images lie in the other
constexpr double kAsHeavy = 1.35;  // lattices lie differently on either side

}  // namespace

std::vector<int> mirrored_parts(const TetMesh& mesh, const Parts& parts, const Vec3& up) {
  const std::vector<int> image = mirrored_points(mesh.vertices, up);
  const size_t n = parts.list.size();
  std::vector<int> best(n, -1);
  for (size_t k = 0; k < n; ++k) {
    std::map<int, int> votes;
    for (int v : parts.list[k].vertices) ++votes[parts.of_vertex[image[static_cast<size_t>(v)]]];
    for (const auto& [part, count] : votes)
      if (part >= 0 && count > kMostOf * static_cast<double>(parts.list[k].vertices.size())) best[k] = part;
  }
  std::vector<int> pairs(n, -1);
  for (size_t k = 0; k < n; ++k) {
    const int other = best[k];
    if (other < 0 || other == static_cast<int>(k) || best[static_cast<size_t>(other)] != static_cast<int>(k)) continue;
    const double ratio = parts.list[k].mass / parts.list[static_cast<size_t>(other)].mass;
    if (ratio < kAsHeavy && ratio > 1 / kAsHeavy) pairs[k] = other;
  }
  return pairs;
}

void even_out(const std::vector<int>& pairs, std::vector<double>& values) {
  for (size_t k = 0; k < pairs.size(); ++k)
    if (const int other = pairs[k]; other > static_cast<int>(k)) {
      double &a = values[k], &b = values[static_cast<size_t>(other)];
      if (a > 0 && b > 0) a = b = (a + b) / 2;
    }
}

}  // namespace supple
