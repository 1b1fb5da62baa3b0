#include <algorithm>

#include "supple/anim/drawn.h"
#include "supple/anim/node_tree.h"
#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"

namespace supple {
namespace {

Pose pose_of(const Drawn& drawn, const std::vector<Affine>& world) {
  Pose pose;
  pose.bones.reserve(drawn.bones.size());
  for (const Bone& bone : drawn.bones) {
    Affine map = world[bone.node] * bone.from_bound;
    map.matrix() *= drawn.scale;
    pose.bones.push_back(map);
  }
  pose.morphs = drawn.at_rest;
  return pose;
}

void set_morphs(const Drawn& drawn, const NodeState& state, Pose& pose) {
  for (size_t m = 0; m < drawn.vertices.morphs.size(); ++m) {
    const Morph& morph = drawn.vertices.morphs[m];
    const std::vector<double>& weights = state.weights[morph.node];
    if (static_cast<size_t>(morph.target) < weights.size()) pose.morphs[m] = weights[morph.target];
  }
}

// Turns by the shorter arc, stretches and places along lines. Exact at both ends.
Affine between(const Affine& a, const Affine& b, double share) {
  const Polar3 pa = polar3(a.linear()), pb = polar3(b.linear());
  Affine map;
  map.linear() = Quat(pa.R).slerp(share, Quat(pb.R)).toRotationMatrix() * ((1 - share) * pa.S + share * pb.S);
  map.translation() = (1 - share) * a.translation() + share * b.translation();
  return map;
}

}  // namespace

Pose rest_pose(const Character& character, const Drawn& drawn) { return pose_of(drawn, node_matrices(character)); }

Pose bound_pose(const Drawn& drawn) {
  return {std::vector<Affine>(drawn.bones.size(), Affine::Identity()), drawn.at_rest};
}

Pose pose_at(const Character& character, const Drawn& drawn, const Clip& clip, double t) {
  const NodeState state = sample_clip(character, clip, t);
  Pose pose = pose_of(drawn, chain_nodes(character, parents_first(character), state.locals));
  set_morphs(drawn, state, pose);
  return pose;
}

Pose pose_towards(const Character& character, const Drawn& drawn, const Clip& clip, double t, double share) {
  if (share <= 0) return bound_pose(drawn);
  if (share >= 1) return pose_at(character, drawn, clip, t);
  NodeState state = sample_clip(character, clip, t);
  const std::vector<int> order = parents_first(character);
  for (int i : order) {
    const int parent = character.nodes[i].parent;
    Affine local = drawn.bound_nodes[i];
    if (parent >= 0) {
      // Under a node that vanishes nothing is seen, and its placement is not known.
      if (!invertible(drawn.bound_nodes[parent])) continue;
      local = drawn.bound_nodes[parent].inverse() * local;
    }
    state.locals[i] = between(local, state.locals[i], share);
  }
  Pose pose = pose_of(drawn, chain_nodes(character, order, state.locals));
  // A node may be bound in two ways by two skins; what the second is off by fades in with the clip.
  for (size_t b = 0; b < drawn.bones.size(); ++b) {
    const Bone& bone = drawn.bones[b];
    Affine off = drawn.bound_nodes[bone.node] * bone.from_bound;
    off.matrix() *= drawn.scale;
    if (off.matrix().isApprox(Affine::Identity().matrix(), 1e-9) || !invertible(off)) continue;
    pose.bones[b] = pose.bones[b] * between(off.inverse(), Affine::Identity(), share);
  }
  set_morphs(drawn, state, pose);
  for (size_t m = 0; m < pose.morphs.size(); ++m) {
    pose.morphs[m] = (1 - share) * drawn.at_rest[m] + share * pose.morphs[m];
  }
  return pose;
}

SkinWeights only(const SkinWeights& all, const std::vector<int>& vertices) {
  SkinWeights some;
  for (int v : vertices) {
    for (int k = all.first[v]; k < all.first[v + 1]; ++k)
      some.bone.push_back(all.bone[k]), some.weight.push_back(all.weight[k]);
    some.first.push_back(static_cast<int>(some.bone.size()));
  }
  return some;
}

SkinnedPoints only(const SkinnedPoints& all, const std::vector<int>& vertices) {
  SkinnedPoints some;
  std::vector<int> place(all.rest.size(), -1);
  for (int v : vertices) {
    place[v] = static_cast<int>(some.rest.size());
    some.rest.push_back(all.rest[v]);
  }
  some.skin = only(all.skin, vertices);
  for (const Morph& m : all.morphs) {
    Morph mine{.node = m.node, .target = m.target, .points = {}, .offsets = {}};
    for (size_t i = 0; i < m.points.size(); ++i)
      if (place[m.points[i]] >= 0) mine.points.push_back(place[m.points[i]]), mine.offsets.push_back(m.offsets[i]);
    some.morphs.push_back(std::move(mine));
  }
  return some;
}

Points posed(const SkinnedPoints& points, const Pose& pose) {
  Points at = points.rest;
  for (size_t m = 0; m < points.morphs.size(); ++m) {
    const Morph& morph = points.morphs[m];
    if (pose.morphs[m] == 0) continue;
    for (size_t k = 0; k < morph.points.size(); ++k) at[morph.points[k]] += pose.morphs[m] * morph.offsets[k];
  }
  const SkinWeights& skin = points.skin;
  parallel_for(at.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (int k = skin.first[i]; k < skin.first[i + 1]; ++k)
        sum += skin.weight[k] * (pose.bones[skin.bone[k]] * at[i]);
      at[i] = sum;
    }
  });
  return at;
}

std::vector<Mat3> posed_frames(const SkinnedPoints& points, const Pose& pose) {
  const SkinWeights& skin = points.skin;
  std::vector<Mat3> frames(points.rest.size(), Mat3::Zero());
  parallel_for(frames.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      for (int k = skin.first[i]; k < skin.first[i + 1]; ++k) {
        frames[i] += skin.weight[k] * pose.bones[skin.bone[k]].linear();
      }
    }
  });
  return frames;
}

}  // namespace supple
