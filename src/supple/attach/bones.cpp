#include "supple/attach/bones.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/attach/extend_samples.h"
#include "supple/mesh/closest_point.h"

namespace supple {
namespace {

// Below this a weight is a leftover of painting: it moves its vertex, and makes no bone of the skin.
constexpr double kCarries = 0.05;
constexpr double kKnown = 0.4;  // of a bone's skin that must have an image for its twin to be known by that

// The end of a leaf: as far as its own skin reaches along the mean direction from its head.
Vec3 far_end(const Vec3& head, const TriMesh& skin, const std::vector<int>& vertices,
             const std::vector<double>& weights) {
  Vec3 direction = Vec3::Zero();
  for (size_t k = 0; k < vertices.size(); ++k) direction += weights[k] * (skin.vertices[vertices[k]] - head);
  if (!(direction.norm() > 0)) return head;
  direction.normalize();
  double farthest = 0;
  for (const int v : vertices) farthest = std::max(farthest, direction.dot(skin.vertices[v] - head));
  return head + farthest * direction;
}

double length_of(const BoneShape& b) {
  double sum = 0;
  for (const auto& [from, to] : b.segments) sum += (to - from).norm();
  return sum;
}

int depth_of(const Skeleton& s, int b) {
  int depth = 0;
  for (; s.bones[b].parent >= 0; b = s.bones[b].parent) ++depth;
  return depth;
}

// The bone whose skin shares most with the image of each bone's skin, seen from both: itself for one of the middle; -1:
// not known, as too little of its skin has an image.
std::vector<int> leaders_of_images(const Skeleton& s, const Mirror& mirror, const std::vector<double>& areas) {
  const auto n = static_cast<Eigen::Index>(s.bones.size());
  std::vector<int> result(s.bones.size(), -1);
  if (!mirror.found()) return result;
  MatX shared = MatX::Zero(n, n);
  for (size_t i = 0; i < s.leader.size(); ++i) {
    const int image = mirror.image[i];
    if (image >= 0 && s.leader[i] >= 0 && s.leader[image] >= 0) shared(s.leader[i], s.leader[image]) += areas[i];
  }
  MatX both = shared + shared.transpose();
  both.diagonal() *= 0.5;  // its own image counts once
  for (Eigen::Index b = 0; b < n; ++b) {
    Eigen::Index most = 0;
    both.row(b).maxCoeff(&most);
    if (shared.row(b).sum() > kKnown * s.bones[static_cast<size_t>(b)].led_area) result[b] = static_cast<int>(most);
  }
  return result;
}

// Both must be the best match of each other.
void find_twins(Skeleton& s, const Mirror& mirror, const std::vector<double>& areas) {
  const int n = static_cast<int>(s.bones.size());
  const std::vector<int> image = leaders_of_images(s, mirror, areas);
  s.mirrored = mirror.found();
  for (int a = 0; a < n; ++a) {
    if (image[a] >= 0 && image[a] != a && image[image[a]] == a) s.bones[a].twin = image[a];
  }
  std::vector<int> best(n, -1);
  for (int a = 0; a < n; ++a) {
    if (image[a] >= 0) continue;
    double least = 0.4;
    for (int b = 0; b < n; ++b) {
      if (a == b || image[b] >= 0 || s.above(a, b) || s.above(b, a)) continue;
      if (depth_of(s, a) != depth_of(s, b) || s.height(a) != s.height(b)) continue;
      const double la = length_of(s.bones[a]), lb = length_of(s.bones[b]);
      const double aa = s.bones[a].led_area, ab = s.bones[b].led_area;
      double off = 0;
      if (std::max(la, lb) > 0) off = std::max(off, std::abs(la - lb) / std::max(la, lb));
      if (std::max(aa, ab) > 0) off = std::max(off, std::abs(aa - ab) / std::max(aa, ab));
      if (off >= least) continue;
      least = off;
      best[a] = b;
    }
  }
  for (int a = 0; a < n; ++a) {
    if (best[a] >= 0 && best[best[a]] == a) s.bones[a].twin = best[a];
  }
}

}  // namespace

Vec3 Skeleton::nearest(int b, const Vec3& x, Vec3* direction) const {
  double least = std::numeric_limits<double>::infinity();
  Vec3 best = x;
  for (const auto& [from, to] : bones[b].segments) {
    const Vec3 q = closest_on_segment(x, from, to);
    const double d = (x - q).squaredNorm();
    if (d >= least) continue;
    least = d;
    best = q;
    if (direction) *direction = (to - from).norm() > 0 ? Vec3((to - from).normalized()) : Vec3::Zero();
  }
  return best;
}

bool Skeleton::related(int a, int b) const { return a == b || bones[a].parent == b || bones[b].parent == a; }

bool Skeleton::above(int a, int b) const {
  while (b >= 0 && b != a) b = bones[b].parent;
  return b == a;
}

int Skeleton::height(int b) const {
  int most = 0;
  for (const int c : bones[b].children) most = std::max(most, 1 + height(c));
  return most;
}

std::vector<int> Skeleton::family(int b) const {
  std::vector<int> all = {b};
  for (size_t k = 0; k < all.size(); ++k) {
    all.insert(all.end(), bones[all[k]].children.begin(), bones[all[k]].children.end());
  }
  return all;
}

Skeleton find_skeleton(const Drawn& drawn, const TriMesh& skin, const std::vector<int>& source, const Mirror& mirror) {
  Skeleton s;
  const SkinWeights& weights = drawn.vertices.skin;
  const int n_bones = static_cast<int>(drawn.bones.size());
  const std::vector<double> areas = vertex_areas(skin);
  for (const double a : areas) s.area += a;

  // Which bones carry skin, and the skin of each.
  std::vector<std::vector<int>> carried(n_bones);
  std::vector<std::vector<double>> how_much(n_bones);
  std::vector<double> most(n_bones, 0);
  std::vector<int> lead(source.size(), -1);
  for (size_t i = 0; i < source.size(); ++i) {
    double best = 0;
    for (int k = weights.first[source[i]]; k < weights.first[source[i] + 1]; ++k) {
      const int b = weights.bone[k];
      if (!(weights.weight[k] > 0)) continue;
      carried[b].push_back(static_cast<int>(i));
      how_much[b].push_back(weights.weight[k]);
      most[b] = std::max(most[b], weights.weight[k]);
      if (weights.weight[k] > best) {
        best = weights.weight[k];
        lead[i] = b;
      }
    }
  }
  s.index.assign(n_bones, -1);
  for (int b = 0; b < n_bones; ++b) {
    if (most[b] < kCarries) continue;
    s.index[b] = static_cast<int>(s.bones.size());
    s.bones.push_back({});
    s.bones.back().bone = b;
  }
  s.leader.assign(source.size(), -1);
  for (size_t i = 0; i < source.size(); ++i) {
    if (lead[i] < 0 || s.index[lead[i]] < 0) continue;
    s.leader[i] = s.index[lead[i]];
    s.bones[s.leader[i]].led.push_back(static_cast<int>(i));
    s.bones[s.leader[i]].led_area += areas[i];
  }

  for (BoneShape& shape : s.bones) {
    int up = drawn.bones[shape.bone].parent;
    // A damaged file may have a ring of parents.
    for (int steps = 0; up >= 0 && s.index[up] < 0 && steps < n_bones; ++steps) up = drawn.bones[up].parent;
    const int self = s.index[shape.bone];
    const int parent = up >= 0 ? s.index[up] : -1;
    if (parent >= 0 && parent != self && !s.above(self, parent)) shape.parent = parent;
    if (shape.parent >= 0) s.bones[shape.parent].children.push_back(self);
  }
  for (BoneShape& shape : s.bones) {
    const Vec3& head = drawn.bones[shape.bone].head;
    for (const int c : shape.children) shape.segments.push_back({head, drawn.bones[s.bones[c].bone].head});
    if (shape.children.empty()) {
      shape.segments.push_back({head, far_end(head, skin, carried[shape.bone], how_much[shape.bone])});
    }
  }
  find_twins(s, mirror, areas);
  return s;
}

}  // namespace supple
