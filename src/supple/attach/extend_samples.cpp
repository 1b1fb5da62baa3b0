#include "supple/attach/extend_samples.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace supple {
namespace {

Vec3 area_vector(const TriMesh& skin, const Tri& t) {
  const Vec3& a = skin.vertices[t[0]];
  return 0.5 * (skin.vertices[t[1]] - a).cross(skin.vertices[t[2]] - a);
}

int find_root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

std::vector<SkinSample> sample_skin(const TriMesh& skin, double spacing) {
  static constexpr int kMostCuts = 40;
  std::vector<SkinSample> result;
  const double wanted = 0.45 * spacing * spacing;
  double owed = 0;  // area passed since the last sample
  for (size_t k = 0; k < skin.triangles.size(); ++k) {
    const Tri& t = skin.triangles[k];
    const double area = area_vector(skin, t).norm();
    if (!(area > 0)) continue;
    double longest = 0;
    for (int c = 0; c < 3; ++c) {
      longest = std::max(longest, (skin.vertices[t[c]] - skin.vertices[t[(c + 1) % 3]]).norm());
    }
    // Centres of the n^2 small triangles that it is cut into, as many of them as its area is worth.
    const int n = spacing > 0 ? static_cast<int>(std::min<double>(kMostCuts, std::ceil(longest / spacing))) : 1;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; i + j < n; ++j) {
        for (int upside = 0; upside < (i + j + 1 < n ? 2 : 1); ++upside) {
          owed += area / (n * n);
          if (owed < wanted) continue;
          const double shift = upside ? 2.0 / 3 : 1.0 / 3;
          const double u = (i + shift) / n, v = (j + shift) / n;
          result.push_back({static_cast<int>(k), Vec3(1 - u - v, u, v), owed});
          owed = 0;
        }
      }
    }
  }
  return result;
}

Vec3 position(const TriMesh& skin, const SkinSample& s) {
  const Tri& t = skin.triangles[s.triangle];
  return s.bary[0] * skin.vertices[t[0]] + s.bary[1] * skin.vertices[t[1]] + s.bary[2] * skin.vertices[t[2]];
}

Points outward_normals(const TriMesh& skin) {
  const int n = skin.n_vertices();
  std::vector<int> parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  for (const Tri& t : skin.triangles) {
    for (int c = 1; c < 3; ++c) parent[find_root(parent, t[c])] = find_root(parent, t[0]);
  }
  // About each part's own middle, so that what is missing of an open part matters little.
  Points middle(n, Vec3::Zero());
  std::vector<double> area(n, 0), volume(n, 0);
  Points normals;
  normals.reserve(skin.triangles.size());
  std::vector<int> part(skin.triangles.size());
  for (size_t k = 0; k < skin.triangles.size(); ++k) {
    const Tri& t = skin.triangles[k];
    part[k] = find_root(parent, t[0]);
    normals.push_back(area_vector(skin, t));
    const double a = normals[k].norm();
    area[part[k]] += a;
    middle[part[k]] += a / 3 * (skin.vertices[t[0]] + skin.vertices[t[1]] + skin.vertices[t[2]]);
  }
  for (size_t k = 0; k < skin.triangles.size(); ++k) {
    if (!(area[part[k]] > 0)) continue;
    volume[part[k]] += normals[k].dot(skin.vertices[skin.triangles[k][0]] - middle[part[k]] / area[part[k]]);
  }
  for (size_t k = 0; k < normals.size(); ++k) {
    const double a = normals[k].norm();
    normals[k] = a > 0 ? Vec3(normals[k] * ((volume[part[k]] < 0 ? -1 : 1) / a)) : Vec3::Zero();
  }
  return normals;
}

}  // namespace supple
