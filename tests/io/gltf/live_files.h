// What the tests of live files share: a small character on two bones with a second mesh on one of them, and a pack.
#pragma once
#include <algorithm>
#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/io/gltf/live_glb.h"
#include "tests/io/gltf/soft_glb_files.h"

namespace supple {

// Nodes: 0 root, 1 hip, 2 tip (joints), 3 the skinned body of two primitives with a target of its own, 4 a tag on the
// tip: not skinned, turned and stretched. One clip "walk" of a second with a key every frame of 24.
inline Character live_character() {
  Character c;
  c.nodes.resize(5);
  const char* const names[] = {"Root", "Hip", "Tip", "Body", "Tag"};
  for (size_t i = 0; i < 5; ++i) c.nodes[i].name = names[i];
  c.nodes[0].children = {1, 3};
  c.nodes[1].children = {2};
  c.nodes[2].children = {4};
  c.nodes[1].parent = c.nodes[3].parent = 0;
  c.nodes[2].parent = 1;
  c.nodes[4].parent = 2;
  c.nodes[1].local.translation = {0, 50, 0};
  c.nodes[2].local.translation = {0, 100, 0};
  c.nodes[3].mesh = c.nodes[3].skin = 0;
  c.nodes[4].mesh = 1;
  c.nodes[4].local = {{20, 30, 5}, Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 2) / 3)), {2, 1, 0.5}};

  // A tube along y, its upper half another primitive; a fan of it is the tag.
  auto tube = [](double low, double high, int rings, double radius) {
    Primitive p;
    const int n = 8;
    for (int r = 0; r < rings; ++r) {
      const double y = low + (high - low) * r / (rings - 1);
      for (int k = 0; k < n; ++k) {
        const double a = 2 * M_PI * k / n;
        p.positions.emplace_back(radius * std::cos(a), y, radius * std::sin(a));
        p.normals.emplace_back(std::cos(a), 0, std::sin(a));
        if (r + 1 == rings) continue;
        const int v = r * n + k, w = r * n + (k + 1) % n;
        p.triangles.push_back({v, v + n, w});
        p.triangles.push_back({w, v + n, w + n});
      }
    }
    return p;
  };
  auto skinned = [](Primitive p) {
    p.influences = 4;
    for (const Vec3& x : p.positions) {
      const double t = std::clamp((x[1] - 50) / 150, 0.0, 1.0);
      p.joints.insert(p.joints.end(), {0, 1, 0, 0});
      p.weights.insert(p.weights.end(), {1 - t, t, 0, 0});
    }
    MorphTarget own{"Bulge", Points(p.positions.size(), Vec3::Zero()), {}};
    for (size_t v = 0; v < p.positions.size(); v += 3) own.positions[v] = {3, 0, -1};
    p.targets.push_back(own);
    return p;
  };
  c.meshes.resize(2);
  c.meshes[0] = {"BodyMesh", {skinned(tube(50, 130, 30, 20)), skinned(tube(130, 200, 20, 18))}, {0.25}};
  c.meshes[0].primitives[0].material = "Skin";
  c.meshes[0].primitives[1].material = "Cloth";
  c.meshes[1] = {"TagMesh", {tube(0, 20, 3, 4)}, {}};
  c.meshes[1].primitives[0].material = "Skin";
  Affine hip = Affine::Identity(), tip = Affine::Identity();
  hip.translation() = Vec3(0, -50, 0);
  tip.translation() = Vec3(0, -150, 0);
  c.skins.push_back({"Bones", {1, 2}, {hip, tip}});

  Clip walk;
  walk.name = "walk";
  walk.end = 1;
  walk.sources = {0};
  Channel turn{2, ChannelPath::rotation, Interpolation::linear, frame_times(25), {}, 4};
  Channel move{1, ChannelPath::translation, Interpolation::linear, turn.times, {}, 3};
  Channel bulge{3, ChannelPath::weights, Interpolation::linear, turn.times, {}, 1};
  for (const double t : turn.times) {
    const Quat q(Eigen::AngleAxisd(0.8 * std::sin(2 * M_PI * t), Vec3(0.6, 0, 0.8)));
    turn.values.insert(turn.values.end(), {q.x(), q.y(), q.z(), q.w()});
    move.values.insert(move.values.end(), {20 * t, 50 + 10 * std::sin(9 * t), 0});
    bulge.values.push_back(0.5 + 0.5 * std::cos(5 * t));
  }
  walk.channels = {turn, move, bulge};
  c.clips.push_back(walk);
  c.shown.assign(c.nodes.size(), 1);
  return c;
}

// A part that moves the vertices for which `where` is true, by smooth shapes with changes of normals.
template <class Where>
LivePart live_part(const Drawn& drawn, const std::string& name, int node, int n_modes, const Where& where) {
  LivePart part;
  part.name = name;
  part.bone = "Tip";
  part.node = node;
  part.rest_gravity = {0.5, -9, 1};
  part.size = 0.4;
  part.cut_m = 0.5;
  part.force_limit = 200;
  part.angular_force_limit = 900;
  part.weight_limit = 3;
  part.force_scale = 0.75;
  part.dials = {1.5, 0.5, 0.25, 2, node % 2 == 0};
  for (int i = 0; i < n_modes; ++i) {
    LiveMode mode;
    mode.name = name + " " + std::to_string(i + 1);
    mode.frequency_hz = 2.5 + i;
    mode.decay = 1.25 + 0.1 * i;
    mode.mass = 0.3 / (i + 1);
    mode.share = 1.0 / (i + 2);
    mode.correction = i + 1 == n_modes;
    for (size_t k = 0; k < 6; ++k) {
      mode.transfer[k] = std::sin(1.0 + i + static_cast<double>(k));
      mode.centrifugal[k] = std::cos(2.0 + i * static_cast<double>(k));
    }
    for (int l = 0; i < 2 && l < n_modes; ++l) mode.coriolis.push_back({0.1 * i, 0.2 * l, -0.3});
    for (int v = 0; v < drawn.n_vertices(); ++v) {
      if (!where(v)) continue;
      const Vec3& x = drawn.vertices.rest[static_cast<size_t>(v)];
      const double phase = 3 * x[1] + i;
      mode.shape.vertices.push_back(v);
      mode.shape.positions.emplace_back(0.02 * std::sin(phase), 0.01 * std::cos(phase + x[0]),
                                        0.015 * std::sin(2 * phase));
      mode.shape.normals.emplace_back(0.1 * std::cos(phase), 0.2 * std::sin(phase), 0.05 * i);
      mode.reach = std::max(mode.reach, mode.shape.positions.back().norm());
    }
    part.modes.push_back(mode);
  }
  return part;
}

struct LiveCase {
  static constexpr double kUnit = 0.01;
  std::string path;
  Character character;
  Drawn drawn;
  LivePack pack;

  // Two parts: "belly" on both primitives of the body, "top" on the second and on the tag.
  explicit LiveCase(const std::string& file) : path(file) {
    write_gltf(path, live_character());
    character = read_gltf(path);
    drawn = lay_out(character, kUnit);
    pack.unit = kUnit;
    const Points& x = drawn.vertices.rest;
    const int tag = drawn.primitives[2].first_vertex;
    auto height = [&](int v) { return x[static_cast<size_t>(v)][1]; };
    pack.parts.push_back(
        live_part(drawn, "belly", 2, 3, [&](int v) { return v < tag && height(v) > 1.1 && height(v) < 1.5; }));
    pack.parts.push_back(live_part(drawn, "top", 1, 4, [&](int v) { return v >= tag || height(v) > 1.7; }));
  }
};

// Smooth weights that go below 0 and past 1.
inline MatX live_weights(const std::vector<double>& times, int n_modes, double phase) {
  MatX w(static_cast<Eigen::Index>(times.size()), n_modes);
  for (Eigen::Index f = 0; f < w.rows(); ++f) {
    for (Eigen::Index m = 0; m < n_modes; ++m) {
      const auto i = static_cast<double>(m);
      w(f, m) = (2.4 - 0.4 * i) * std::sin((7 + 3 * i) * times[static_cast<size_t>(f)] + phase + i);
    }
  }
  return w;
}

// Where the drawn vertices are [m] when parts have these weights and the file's own clip is at t.
inline Points live_positions(const LiveCase& c, const std::vector<VecX>& weights, double t) {
  SkinnedPoints points = c.drawn.vertices;
  for (size_t p = 0; p < c.pack.parts.size(); ++p) {
    for (size_t m = 0; m < c.pack.parts[p].modes.size(); ++m) {
      const LiveShape& shape = c.pack.parts[p].modes[m].shape;
      for (size_t i = 0; i < shape.vertices.size(); ++i) {
        points.rest[static_cast<size_t>(shape.vertices[i])] +=
            weights[p][static_cast<Eigen::Index>(m)] * shape.positions[i];
      }
    }
  }
  return posed(points, pose_at(c.character, c.drawn, c.character.clips[0], t));
}

}  // namespace supple
