// Motion capture as .bvh files: a skeleton by offsets, and channels frame by frame.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/character.h"

namespace supple {

enum class BvhChannel { x_position, y_position, z_position, x_rotation, y_rotation, z_rotation };

struct BvhJoint {
  std::string name;  // of an end: its parent's with "_end"
  int parent = -1;
  Vec3 offset = Vec3::Zero();  // from the parent, in the file's unit
  bool end = false;            // an End Site: a length and no channels
  std::vector<BvhChannel> channels;
  int first_channel = 0;  // in a frame
};

struct BvhMotion {
  std::string file;
  std::vector<BvhJoint> joints;  // parents first
  int n_channels = 0, n_frames = 0;
  double frame_time = 0;       // [s]
  std::vector<double> values;  // n_channels a frame; positions in the file's unit, angles in degrees

  double value(int frame, int channel) const { return values[static_cast<size_t>(frame) * n_channels + channel]; }
  // A joint against its parent. Rotations multiply in the order of the channels, the first outermost; positions, where
  // a joint has channels for them, are in place of the offset.
  Placement local(int joint, int frame) const;
};

// InputError with file and line: what is not BVH, NaN, channels that repeat, frames that are missing or left over.
BvhMotion read_bvh(const std::string& path);

// The skeleton with its motion as a character: a node a joint, a stick a bone so that there is something to see, all
// under one skin, and one clip. scale: of the file's lengths.
Character bvh_character(const BvhMotion& motion, double scale = 1);

// The skeleton under `root` (-1: all joints of the first skin) as .bvh, frame by frame: placements of all nodes of the
// character at each frame. Nodes between joints are joints of the file too. The channels hold whole local rotations,
// as BVH has none at rest; the root of the file takes what is above it, so that the skeleton stands as in the world.
// Joints that move against their parent have positions. BVH has no scales: those other than 1 are told in warnings,
// and joints stand in the right place nevertheless.
void write_bvh(const std::string& path, const Character& character, const std::vector<std::vector<Placement>>& frames,
               double frame_time, std::vector<std::string>& warnings, int root = -1);

}  // namespace supple
