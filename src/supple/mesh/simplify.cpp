#include "supple/mesh/simplify.h"

#include <meshoptimizer.h>

#include <cmath>

namespace supple {

std::vector<Tri> simplified(const Points& vertices, const std::vector<Tri>& triangles, double error, int at_least) {
  if (static_cast<int>(triangles.size()) <= at_least || vertices.empty()) return triangles;
  // In single precision, about the middle of it all.
  const Box box = bounding_box(vertices);
  const Vec3 middle = 0.5 * (box.low + box.high);
  std::vector<float> positions;
  for (const Vec3& x : vertices)
    for (int c = 0; c < 3; ++c) positions.push_back(static_cast<float>(x[c] - middle[c]));
  std::vector<unsigned> indices, out;
  for (const Tri& t : triangles)
    for (int corner : t) indices.push_back(static_cast<unsigned>(corner));
  out.resize(indices.size());
  const float scale = meshopt_simplifyScale(positions.data(), vertices.size(), 3 * sizeof(float));
  if (!(scale > 0)) return triangles;
  const size_t n =
      meshopt_simplify(out.data(), indices.data(), indices.size(), positions.data(), vertices.size(), 3 * sizeof(float),
                       3 * static_cast<size_t>(at_least), static_cast<float>(error) / scale, 0, nullptr);
  std::vector<Tri> few;
  for (size_t i = 0; i + 3 <= n; i += 3)
    few.push_back({static_cast<int>(out[i]), static_cast<int>(out[i + 1]), static_cast<int>(out[i + 2])});
  return few;
}

}  // namespace supple
