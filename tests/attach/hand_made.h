// Characters made by hand for the tests of this folder.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>

#include "supple/anim/drawn.h"
#include "supple/mesh/tri_mesh.h"

namespace supple::hand_made {

using Weigh = std::function<std::vector<double>(const Vec3&)>;  // one weight a joint, sum 1

inline int add_node(Character& c, int parent, const Vec3& at, const std::string& name) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.local.translation = at;
  c.nodes.push_back(node);
  c.shown.push_back(1);
  return static_cast<int>(c.nodes.size()) - 1;
}

// Two joints, one above the other at heights 0 and 1, and their skin.
inline Character two_joints() {
  Character c;
  add_node(c, -1, {0, 0, 0}, "lower");
  add_node(c, 0, {0, 1, 0}, "upper");
  Skin skin;
  skin.joints = {0, 1};
  skin.inverse_binds = {Affine::Identity(), Affine(Eigen::Translation3d(0, -1, 0))};
  c.skins = {skin};
  return c;
}
inline std::vector<double> by_height(const Vec3& x) {
  const double w = std::clamp((x[1] - 0.7) / 0.6, 0.0, 1.0);
  return {1 - w, w};
}
inline std::vector<double> upper_only(const Vec3&) { return {0, 1}; }

// A closed ball of 2 n x n squares; every square has its own four vertices when `split`, as files with flat shading.
inline Primitive ball(const Vec3& middle, const Vec3& radius, int n, bool split = false) {
  Primitive p;
  const auto point = [&](int i, int j) -> Vec3 {
    const double a = M_PI * i / n, b = 2 * M_PI * (j % (2 * n)) / (2 * n);
    const double r = i == 0 || i == n ? 0 : std::sin(a);
    return middle + radius.cwiseProduct(Vec3(r * std::sin(b), std::cos(a), r * std::cos(b)));
  };
  std::map<std::pair<int, int>, int> made;
  const auto vertex = [&](int i, int j) {
    if (i == 0 || i == n) j = 0;
    const std::pair<int, int> key{i, j % (2 * n)};
    if (!split && made.count(key)) return made[key];
    p.positions.push_back(point(i, j));
    return made[key] = static_cast<int>(p.positions.size()) - 1;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const int a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1), d = vertex(i, j + 1);
      if (i + 1 < n) p.triangles.push_back({a, b, c});
      if (i > 0) p.triangles.push_back({a, c, d});
    }
  }
  return p;
}

// An open grid through middle + u * [-1, 1] + v * [-1, 1].
inline Primitive sheet(const Vec3& middle, const Vec3& u, const Vec3& v, int n) {
  Primitive p;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) p.positions.push_back(middle + u * (2.0 * i / n - 1) + v * (2.0 * j / n - 1));
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j;
      p.triangles.push_back({a, a + n + 1, a + n + 2});
      p.triangles.push_back({a, a + n + 2, a + 1});
    }
  }
  return p;
}

inline void weigh(Primitive& p, const Weigh& weights) {
  p.influences = 2;
  p.joints.clear();
  p.weights.clear();
  for (const Vec3& x : p.positions) {
    const std::vector<double> w = weights(x);
    p.joints.insert(p.joints.end(), {0, 1});
    p.weights.insert(p.weights.end(), {w[0], w[1]});
  }
}

// A mesh node, skinned by skin 0 when there are weights.
inline int add_mesh(Character& c, const std::string& name, std::vector<Primitive> primitives, const Weigh& weights = {},
                    int parent = -1, const Vec3& at = Vec3::Zero()) {
  if (weights) {
    for (Primitive& p : primitives) weigh(p, weights);
  }
  const int node = add_node(c, parent, at, name);
  c.nodes[node].mesh = static_cast<int>(c.meshes.size());
  if (weights) c.nodes[node].skin = 0;
  c.meshes.push_back({name, std::move(primitives), {}});
  return node;
}

// The upper joint nods by up to `angle` in one second.
inline Clip nod(double angle) {
  Clip clip;
  Channel channel;
  channel.node = 1;
  channel.path = ChannelPath::rotation;
  channel.width = 4;
  channel.times = {0, 1};
  channel.values = {0, 0, 0, 1, std::sin(angle / 2), 0, 0, std::cos(angle / 2)};
  clip.channels = {channel};
  clip.end = 1;
  return clip;
}
inline std::vector<Pose> nodding(const Character& c, const Drawn& drawn) {
  std::vector<Pose> poses;
  for (double t : {0.0, 0.5, 1.0}) poses.push_back(pose_at(c, drawn, nod(0.6), t));
  return poses;
}

}  // namespace supple::hand_made
