// Everything of a character that is drawn, as one list of vertices in the world as it is bound, and its poses.
//
// Bound: a skinned mesh stands where its joints were when it was skinned, seen with the size and orientation that the
// joints have in the scene (one map a skin: what all "joint x inverse bind" of the rest pose have in common). The skin
// that carries most decides; other skins and unskinned meshes stand where the joints bound by then take them, which is
// where they are at rest when the rest pose is the bound pose. From there a pose is one affine map a bone.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/character.h"

namespace supple {

// What carries vertices: a joint of a skin, or the node of an unskinned mesh.
struct Bone {
  std::string name;
  int node = -1;
  int parent = -1;                         // the nearest bone among the node's ancestors
  Affine from_bound = Affine::Identity();  // bound world -> the node's own space
  Vec3 head = Vec3::Zero();                // its origin in the bound world
};

// Bones and weights of points; those of point i are entries first[i] .. first[i + 1] - 1. Weights sum to 1.
struct SkinWeights {
  std::vector<int> first = {0};
  std::vector<int> bone;
  std::vector<double> weight;
  int size() const { return static_cast<int>(first.size()) - 1; }
};

// A morph target as it moves points: those in `points`, by `offsets` in the bound world.
struct Morph {
  int node = -1, target = -1;  // the mesh's node, and which of its targets
  std::vector<int> points;
  Points offsets;
};

// Points that bones and morph targets move: the drawn vertices, or tet vertices that were given weights.
struct SkinnedPoints {
  Points rest;  // bound world, morph targets at 0
  SkinWeights skin;
  std::vector<Morph> morphs;
};

// One primitive of one mesh node.
struct DrawnPrimitive {
  int node = -1, mesh = -1, primitive = -1;
  std::string mesh_name, material;
  int first_vertex = 0, n_vertices = 0;  // in the drawn list: the file's own order
  int first_triangle = 0, n_triangles = 0;
  Affine to_world = Affine::Identity();  // the file's vertex positions -> bound world
};

struct Drawn {
  std::vector<DrawnPrimitive> primitives;
  std::vector<Bone> bones;
  SkinnedPoints vertices;
  Points normals;                   // at rest, bound world, unit; from the triangles where the file has none
  std::vector<Tri> triangles;       // facing outwards also where a mirrored node turns the file's inside out
  double scale = 1;                 // file units to metres
  std::vector<Affine> bound_nodes;  // world matrix of every node in the bound pose, file units
  std::vector<double> at_rest;      // weights of the morphs when nothing is animated, one a morph of `vertices`
  std::vector<std::string> warnings;
  int n_vertices() const { return static_cast<int>(vertices.rest.size()); }
};

// All nodes of the scene that show a mesh. scale: file units to metres, applied to everything.
Drawn lay_out(const Character& character, double scale = 1);

struct Pose {
  std::vector<Affine> bones;   // bound world -> world, one a bone of Drawn
  std::vector<double> morphs;  // weights, one a morph
};
Pose rest_pose(const Character& character, const Drawn& drawn);  // the nodes' own placements: not always the bound pose
Pose bound_pose(const Drawn& drawn);                             // every bone the identity
// t [s] in the clip's own time, held before its first and after its last key.
Pose pose_at(const Character& character, const Drawn& drawn, const Clip& clip, double t);
// Between two poses in joint space: node rotations by the shorter arc, from the bound pose (0) to the clip's at t (1).
Pose pose_towards(const Character& character, const Drawn& drawn, const Clip& clip, double t, double share);

Points posed(const SkinnedPoints& points, const Pose& pose);
// Some of them, in that order.
SkinWeights only(const SkinWeights& all, const std::vector<int>& vertices);
SkinnedPoints only(const SkinnedPoints& all, const std::vector<int>& vertices);
// The linear part of the blended map of each point (bound world -> world).
std::vector<Mat3> posed_frames(const SkinnedPoints& points, const Pose& pose);

// World matrix of every node, file units: at t, and at rest.
std::vector<Affine> node_matrices(const Character& character, const Clip& clip, double t);
std::vector<Affine> node_matrices(const Character& character);
// Their own placements at t; nodes with a matrix keep it.
std::vector<Placement> node_placements(const Character& character, const Clip& clip, double t);

// Frames a second that the keys of a clip are made for: 24, 25, 30, 48, 50, 60 or 120 where the times fit one, else
// 30. The smallest that fits; of clips with few keys 24, 30 or 60.
double frame_rate(const Clip& clip);

}  // namespace supple
