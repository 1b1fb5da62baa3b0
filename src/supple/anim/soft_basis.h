// A few morph targets that a mesh with its primitives needs to move as it should in all clips.
#pragma once
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Displacements of one mesh node over the frames of a clip, in the mesh's own space (before skin and node), on top of
// the file's own morph targets.
struct SoftMesh {
  int node = -1;
  std::vector<int> primitives;               // of the node's mesh, those that move
  std::vector<std::vector<VecX>> positions;  // [entry of primitives][frame], flat 3n in the file's vertex order
  std::vector<std::vector<VecX>> normals;    // the same, changes of unit normals; empty: none
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

// The frames of one node in one clip, as columns of the mesh's motion.
struct SoftSpan {
  int clip = -1, node = -1;
  const SoftMesh* motion = nullptr;
  Eigen::Index first = 0, count = 0;
};

// What one mesh gets: targets over all nodes that show it and all clips.
struct SoftBasis {
  int mesh = -1, n_old = 0;          // targets there were
  double size = 0;                   // longest side
  std::vector<SoftSpan> spans;       // rows of `weights`
  std::vector<int> primitives;       // that move in any span
  std::vector<SoftField> fields;     // none when nothing moves
  Eigen::MatrixXf weights;           // frames x targets
  std::vector<double> importance;    // of each target, descending: its share of the motion beside the size of the mesh
  int n_targets = 0, n_normals = 0;  // normals: of the first targets only
  bool lifted = false;               // the first target is on in all frames, and no weight is below 0
  std::vector<std::string> names;    // of the targets, none taken; empty: "soft 1" and so on

  // Whether weights of the targets kept go below 0, so that lift_weights adds one.
  bool needs_lift() const;
};

// What a primitive of the mesh has, whether it moves or not.
struct SoftPrimitive {
  size_t n_vertices = 0;
  bool normals = false;  // without them it is shaded flat
};
// Fields, weights and importance of a basis whose spans and size are known. tolerance: largest error of a vertex as a
// share of the size.
void fit_soft_basis(SoftBasis& basis, const std::vector<SoftPrimitive>& primitives, double tolerance, int max_targets,
                    bool normals);

// Weights from below 0 into 0 .. 1 by one more target: the others then start from their low end. Importance is as
// before.
void lift_weights(SoftBasis& basis);

}  // namespace supple
