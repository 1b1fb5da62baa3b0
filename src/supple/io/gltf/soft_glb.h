// A character's own file again, with soft clips: morph targets under the kept skin, and their weights over time.
//
// Everything of the input stays: nodes, meshes, targets, clips, extensions and extras keep index, name and value; ours
// are appended. Compressed geometry is written plain. What has to follow: weights of meshes with more targets get
// zeros, and a target that leaves out an attribute that ours change gets zeros for it, as viewers expect.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/soft_basis.h"

namespace supple {

// A node that rides on the flesh: its own placement over the frames (relative to its parent node).
struct SoftNode {
  int node = -1;
  Points translations;
  std::vector<Eigen::Vector4d> rotations;  // x y z w
};

struct SoftClip {
  std::string name;           // of the clip it belongs to; the new one is NAME.soft
  std::vector<int> sources;   // animations of the file whose channels it repeats (by the same accessors)
  std::vector<double> times;  // of the frames [s], ascending
  std::vector<SoftMesh> meshes;
  std::vector<SoftNode> nodes;
};

struct SoftGlbOptions {
  double tolerance = 1e-4;  // largest error of a vertex as a share of the size of the mesh (longest side)
  int max_targets = 64;     // ours, a mesh, at least 2; fewer when the error allows
  double budget_mb = 20;    // of what is added, up to 15000 vertices, in proportion beyond; past it, normals go first
  bool normals = true;
  bool replace = false;  // the soft clip takes the name, and the artist's is renamed NAME.rigid
};

struct SoftGlbReport {
  int targets = 0;                    // most of any mesh
  double max_error = 0;               // of a vertex at a frame, in the mesh's own units, rounding of the file included
  double max_error_share = 0;         // the same beside the mesh's size
  size_t bytes = 0, bytes_added = 0;  // added: beside the input as one plain .glb
  std::vector<std::string> clips;     // names of the clips added
  std::vector<std::string> warnings;
};

// in: .glb or .gltf (its buffers and pictures are embedded); out: .glb. All clips share one basis of targets a mesh.
// The file's own weights move as before, between keys as well; ours are straight between frames and stay within 0 .. 1,
// where Blender cuts them off: a first target "soft 0", always on in soft clips, holds the low end of all others. Ours
// have keys at both ends of the clip whatever the frames, as Blender lines up the parts of a clip by their first keys.
// Written beside and renamed at the end. InputError when the file cannot be read or the clips do not fit it.
SoftGlbReport write_soft_glb(const std::string& in, const std::string& out, const std::vector<SoftClip>& clips,
                             const SoftGlbOptions& options = {});

}  // namespace supple
