// The pieces of a character and what becomes of each: flesh, a thing that rides on it, a rigid thing, or nothing.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"

namespace supple {

enum class Role { soft, rides, rigid, ignore };
std::string to_string(Role role);
Role role_from_name(const std::string& name);  // InputError with the names there are

// A connected piece of one material of one mesh node (by welded vertices).
struct Piece {
  std::string name;                  // NODE/material, with a number where there are several
  std::string node, mesh, material;  // names in the file
  int node_index = -1;
  std::vector<int> vertices;   // drawn vertices, ascending
  std::vector<int> triangles;  // of Drawn
  std::vector<int> joined;     // pieces that share welded vertices with it: one surface in several materials
  Role role = Role::soft;
  std::string why;            // in words: "moves rigidly: 0.02 % of its size"
  double size = 0;            // longest side at rest [m]
  double area = 0;            // at rest [m^2]
  double rigid_residual = 0;  // largest distance from its best rigid motion over the clip, as a share of its size
  bool skinned = false, sheet = false;  // sheet: open, without an inside
  // Of one that rides: as a whole (by node keys where it is a node's own) or vertex by vertex, as cloth; and the piece
  // that it sits on and moves with, -1: flesh.
  bool hard = true;
  int on = -1;
  std::vector<int> planted;  // of one that rides as cloth: vertices that stand on the floor and stay as drawn
};

// The first rule whose pattern (* and ?) matches the piece's name, node, mesh or material decides. Upper and lower case
// are the same.
struct PieceRule {
  std::string match;
  Role role = Role::soft;
};

// Frames of one clip in a list of poses.
struct ClipPoses {
  size_t first = 0, count = 0;
  double fps = 24;
};

// poses: frames of the clips, one after the other; clips: which are whose, empty: none is known to stand on a floor.
// warnings: rules that match nothing, ...
std::vector<Piece> find_pieces(const Character& character, const Drawn& drawn, const std::vector<Pose>& poses,
                               const std::vector<PieceRule>& rules, std::vector<std::string>& warnings,
                               const std::vector<ClipPoses>& clips = {}, const Vec3& up = Vec3::UnitY());

// One line a piece: name, role, vertices, size, share of the area, rigid residual, why.
std::string pieces_table(const std::vector<Piece>& pieces);

// Drawn vertices that are the same point of the surface (same place, bones and morph offsets): weld[i] is the number of
// the welded vertex of drawn vertex i, -1 where `wanted` is 0. Returns how many there are.
int weld(const Drawn& drawn, const std::vector<char>& wanted, std::vector<int>& weld);

}  // namespace supple
