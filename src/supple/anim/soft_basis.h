// A few morph targets that a mesh with its primitives needs to move as it should in all clips.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/anim/shape_rounds.h"

namespace supple {

struct WeightLift;

// Displacements of one mesh node over the frames of a clip, in the mesh's own space (before skin and node), on top of
// the file's own morph targets.
struct SoftMesh {
  int node = -1;
  std::vector<int> primitives;               // of the node's mesh, those that move
  std::vector<std::vector<VecX>> positions;  // [entry of primitives][frame], flat 3n in the file's vertex order
  std::vector<std::vector<VecX>> normals;    // the same, changes of unit normals; empty: none
  // [entry][frame], by vertex: how many times as long a displacement may be as delivered, by skin and node; empty:
  // once.
  std::vector<std::vector<Eigen::VectorXf>> stretch;
};

// One attribute of one primitive: the vertices that change, and their change in each target.
struct SoftField {
  int primitive = -1;
  bool normals = false;
  int first = 0;              // target of the basis that its first column is
  size_t n_vertices = 0;      // of the primitive
  std::vector<int> vertices;  // ascending
  Eigen::MatrixXf targets;    // 3 a vertex of `vertices` x targets
};
// Whether a list of the vertices that change is smaller than all of the primitive's.
bool is_sparse(const SoftField& field);

// The frames of one node in one clip, as columns of the mesh's motion.
struct SoftSpan {
  int clip = -1, node = -1;
  const SoftMesh* motion = nullptr;
  Eigen::Index first = 0, count = 0;
  double tolerance = 0;  // largest error of a vertex as delivered
};

// What one mesh gets: targets over all nodes that show it and all clips.
struct SoftBasis {
  int mesh = -1, n_old = 0;       // targets there were
  std::vector<SoftSpan> spans;    // rows of `weights`
  std::vector<int> primitives;    // that move in any span
  std::vector<SoftField> fields;  // none when nothing moves
  Eigen::MatrixXf weights;        // frames x targets, within 0 .. 1
  VecX reach;                     // of each target: the farthest that it moves a vertex
  int n_targets = 0;
  bool lifted = false;             // the first target is on in all frames
  std::vector<std::string> names;  // of the targets, none taken; empty: "soft 1" and so on
};

// What a primitive of the mesh has, whether it moves or not.
struct SoftPrimitive {
  size_t n_vertices = 0;
  bool normals = false;  // without them it is shaded flat
};

// All targets that the motion of a mesh needs, of which less is taken where there is no room.
//
// Every vertex has as many of the first targets as it needs, and so has its normal; a target is a list of those that
// still need it. Frames count by how far off they may be, so that a calm clip is held as well as a lively one.
class SoftShapes {
 public:
  // basis: mesh, n_old, spans, primitives are known.
  SoftShapes(SoftBasis basis, const std::vector<SoftPrimitive>& primitives, int max_targets, bool normals);

  // slack, at least 1: how many times as far off as its tolerance a vertex may be; normals the square of it, as they
  // are missed less.
  SoftBasis cut(double slack) const;
  size_t bytes(double slack) const;  // of its lists and weights, about

 private:
  struct Part {  // vertices of one primitive among the points
    int primitive = -1;
    size_t n_vertices = 0;
    std::vector<int> vertices;
    int first = 0;  // point
  };
  using Rounds = std::vector<int>;  // by point: after how many it is done
  struct Needed {
    Rounds moving, turning;
    int most = 0;
  };
  static Rounds rounds_of(const RoundedShapes& points, const std::function<float(Eigen::Index)>& allowed, int most);
  Needed needed(double slack) const;
  void add_fields(const std::vector<Part>& parts, const RoundedShapes& points, const Rounds& rounds,
                  const WeightLift& by, SoftBasis& to) const;

  SoftBasis basis_;
  VecX scale_;  // of each frame: what one unit of displacement counts as
  std::vector<Part> moving_, turning_;
  ShapeRounds found_;
  RoundedShapes normals_;  // left: as the unit vectors have it
};

}  // namespace supple
