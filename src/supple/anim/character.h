// A character as its file tells it: nodes, meshes, skins and clips. Data only; drawn.h lays it out for posing.
#pragma once
#include <Eigen/Geometry>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

using Affine = Eigen::Transform<double, 3, Eigen::AffineCompact>;
using Quat = Eigen::Quaterniond;

struct Placement {  // translation * rotation * scale
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  Affine matrix() const { return Eigen::Translation3d(translation) * rotation * Eigen::Scaling(scale); }
};

struct Node {
  std::string name;
  int parent = -1;
  std::vector<int> children;
  Placement local;               // at rest
  std::optional<Affine> matrix;  // in place of `local` where the file has a matrix; such nodes are not animated
  int mesh = -1, skin = -1;
  std::vector<double> weights;  // of morph targets; empty: those of the mesh
};

struct MorphTarget {
  std::string name;
  Points positions, normals;  // changes, one a vertex; empty: none
};

// Vertices as the file has them, in its order and units.
struct Primitive {
  std::string material;
  bool triangles_only = true;  // false: points or lines, which are kept in the file and not simulated
  Points positions, normals;   // normals empty when the file has none
  std::vector<Tri> triangles;
  std::vector<Eigen::Vector2d> uvs;
  int influences = 0;           // joints a vertex: 0, 4 or 8 or ...
  std::vector<int> joints;      // of the skin, influences a vertex
  std::vector<double> weights;  // repaired: at least 0, summing to 1
  std::vector<MorphTarget> targets;
  std::map<std::string, std::vector<double>> maps;  // "_SOFT", "COLOR_0.r": painted scalars, one a vertex
};

struct CharacterMesh {
  std::string name;
  std::vector<Primitive> primitives;
  std::vector<double> weights;  // of morph targets at rest
};

struct Skin {
  std::string name;
  std::vector<int> joints;            // nodes
  std::vector<Affine> inverse_binds;  // one a joint
};

enum class Interpolation { linear, step, cubic };
enum class ChannelPath { translation, rotation, scale, weights };
struct Channel {
  int node = -1;
  ChannelPath path = ChannelPath::translation;
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;   // ascending [s]
  std::vector<double> values;  // width a key; cubic: in-tangent, value, out-tangent
  int width = 3;
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;
  double start = 0, end = 0;  // [s] first and last key
  std::vector<int> sources;   // animations of the file that it is made of: several when they were merged
  bool is_test = false;       // of no file: a test motion of the whole
};

struct Character {
  std::string file;
  std::vector<Node> nodes;
  std::vector<CharacterMesh> meshes;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<char> shown;            // per node: part of the file's scene
  std::vector<std::string> warnings;  // what was odd and how it was mended
};

}  // namespace supple
