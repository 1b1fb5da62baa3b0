#include "supple/tetmesh/thickness.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/mesh/bvh.h"
#include "supple/tetmesh/clip.h"

namespace supple {

ThicknessSamples measure_thickness(const Soup& soup, int count, double limit) {
  ThicknessSamples samples;
  std::vector<int> owner;
  double area = 0;
  for (size_t t = 0; t < soup.triangles.size(); ++t) area += soup.sheet[t] ? 0 : soup.areas[t];
  if (!(area > 0)) return samples;
  // Evenly along the running area, within triangles by two golden sequences: about equal shares of area a point.
  const double share = area / count;
  double sum = 0;
  int k = 0;
  for (int t = 0; t < static_cast<int>(soup.triangles.size()); ++t) {
    if (soup.sheet[t]) continue;
    sum += soup.areas[t];
    for (; (k + 0.5) * share < sum; ++k) {
      double u = std::fmod(0.7548776662466927 * (k + 1), 1.0), v = std::fmod(0.5698402909980532 * (k + 1), 1.0);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      samples.points.push_back(soup.corner(t, 0) + u * (soup.corner(t, 1) - soup.corner(t, 0)) +
                               v * (soup.corner(t, 2) - soup.corner(t, 0)));
      owner.push_back(t);
    }
  }

  std::vector<Box> boxes;
  std::vector<int> item;
  for (int t = 0; t < static_cast<int>(soup.triangles.size()); ++t) {
    if (soup.sheet[t]) continue;
    const auto c = soup.corners(t);
    boxes.push_back({c[0].cwiseMin(c[1]).cwiseMin(c[2]), c[0].cwiseMax(c[1]).cwiseMax(c[2])});
    item.push_back(t);
  }
  const Bvh tree(std::move(boxes));
  samples.thickness.assign(samples.points.size(), limit);
  parallel_for(samples.points.size(), 64, [&](size_t begin, size_t end) {
    std::vector<std::pair<double, int>> hits;
    for (size_t i = begin; i < end; ++i) {
      const Vec3 inward = -soup.normals[owner[i]];
      // In pieces, as most rays end soon and the box of a long one is large.
      constexpr int kPieces = 8;
      int winding = 1;
      double from = 0;
      for (int piece = 0; piece < kPieces && winding > 0; ++piece) {
        const double to = limit * std::exp2(piece + 1 - kPieces);
        const Vec3 p = samples.points[i] + from * inward, q = samples.points[i] + to * inward;
        hits.clear();
        tree.overlapping({p.cwiseMin(q), p.cwiseMax(q)}, [&](int found) {
          const int t = item[found];
          double at = 0;
          const Tri ids{soup.place[soup.triangles[t][0]], soup.place[soup.triangles[t][1]],
                        soup.place[soup.triangles[t][2]]};
          if (t == owner[i] || !passes_through(p, q, soup.corners(t), ids, soup.normals[t], at)) return;
          hits.emplace_back(from + at * (to - from), t);
        });
        std::sort(hits.begin(), hits.end());
        for (const auto& [depth, t] : hits) {
          winding += soup.normals[t].dot(inward) > 0 ? -1 : 1;
          if (winding > 0) continue;
          samples.thickness[i] = depth;
          break;
        }
        from = to;
      }
    }
  });
  return samples;
}

}  // namespace supple
