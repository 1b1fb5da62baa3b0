#include "supple/anim/test_clip.h"

#include <memory>

#include "supple/anim/test_motion.h"
#include "supple/base/error.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

namespace {

constexpr double kFps = 24;

// What is above a node, of nodes that have a matrix and are not animated.
Affine above(const Character& c, int node) {
  Affine m = Affine::Identity();
  for (int k = c.nodes[static_cast<size_t>(node)].parent; k >= 0; k = c.nodes[static_cast<size_t>(k)].parent) {
    const Node& n = c.nodes[static_cast<size_t>(k)];
    m = n.matrix.value_or(n.local.matrix()) * m;
  }
  return m;
}

void find_topmost(const Character& c, int node, std::vector<int>& out) {
  const Node& n = c.nodes[static_cast<size_t>(node)];
  if (!n.matrix) return out.push_back(node);
  for (const int child : n.children) find_topmost(c, child, out);
}

}  // namespace

Clip make_test_clip(const Character& character, const Points& drawn, const std::string& name, const Vec3& up) {
  // Four points in general position tell the motion.
  Vec3 middle = Vec3::Zero();
  for (const Vec3& x : drawn) middle += x / static_cast<double>(drawn.size());
  const double size = longest_side(drawn);
  const Points four = {middle + size * Vec3(1, 1, 1), middle + size * Vec3(1, -1, -1), middle + size * Vec3(-1, 1, -1),
                       middle + size * Vec3(-1, -1, 1)};
  const std::unique_ptr<Track> track = make_test_motion(name, four, size, kFps, {.up = up});
  const int frames = test_motion_frames(name, kFps, {.up = up});
  std::vector<int> nodes;
  for (size_t k = 0; k < character.nodes.size(); ++k)
    if (character.nodes[k].parent < 0 && (character.shown.empty() || character.shown[k]))
      find_topmost(character, static_cast<int>(k), nodes);
  if (nodes.empty())
    throw InputError({.file = character.file}, "has no clip, and no node that a test motion could move",
                     "give it a clip, or export nodes with translation and rotation in place of a matrix");
  Clip clip;
  clip.name = name, clip.is_test = true, clip.end = (frames - 1) / kFps;
  for (const int node : nodes) {
    const Placement& local = character.nodes[static_cast<size_t>(node)].local;
    const Affine parent = above(character, node);
    Channel move{.node = node, .path = ChannelPath::translation}, turn{.node = node, .path = ChannelPath::rotation};
    turn.width = 4;
    for (int f = 0; f < frames; ++f) {
      const RigidMotion m = fit_rigid_motion(flatten(four), track->at(f / kFps));
      Affine motion = Affine::Identity();
      motion.linear() = m.R;
      motion.translation() = m.to - m.R * m.from;
      const Affine inside = parent.inverse() * motion * parent;
      const Vec3 at = inside * local.translation;
      const Quat q = (Quat(Mat3(inside.rotation())) * local.rotation).normalized();
      move.times.push_back(f / kFps), turn.times.push_back(f / kFps);
      move.values.insert(move.values.end(), {at.x(), at.y(), at.z()});
      turn.values.insert(turn.values.end(), {q.x(), q.y(), q.z(), q.w()});
    }
    clip.channels.push_back(std::move(move));
    clip.channels.push_back(std::move(turn));
  }
  return clip;
}

}  // namespace supple
