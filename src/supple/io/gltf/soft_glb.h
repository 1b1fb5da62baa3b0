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
  double size = 0;  // longest side of what is drawn, in units of what is delivered; 0: that of its largest mesh
  double faded =
      0;  // the farthest that a vertex falls short of what was wanted where the skin cannot carry it, likewise
};

struct SoftGlbOptions {
  double accuracy = 0.01;    // largest error of a vertex beside how far its clip departs: the 99th percentile
  double max_growth = 9.5;   // times the input as one plain .glb; 0: any. It wins over accuracy
  double max_megabytes = 0;  // of the file, likewise; 0: any
  int max_targets = 240;     // ours, a mesh, at least 2; fewer when the error allows
  bool normals = true;
  bool replace = false;  // the soft clip takes the name, and the artist's is renamed NAME.rigid
};

struct SoftGlbReport {
  int targets = 0;  // most of any mesh
  // Of a vertex at a frame as delivered, decoded from what is written: in units of what is delivered, beside the size,
  // and beside how far its clip departs.
  double max_error = 0, max_error_share = 0, max_error_of_departure = 0;
  double faded_share = 0;             // of the size: the most that was wanted where the skin cannot carry it
  size_t bytes = 0, bytes_added = 0;  // added: beside the input as one plain .glb
  double growth = 0;                  // times that input
  bool limited = false;               // more targets would have been more accurate, but not within the limits
  std::vector<std::string> clips;     // names of the clips added
  std::vector<std::string> warnings;
};

// in: .glb or .gltf (its buffers and pictures are embedded); out: .glb. All clips share one basis of targets a mesh.
// The file's own weights move as before, between keys as well; ours are straight between frames and stay within 0 .. 1,
// where Blender cuts them off: a first target "soft 0", always on in soft clips, holds the low end of all others. Ours
// have keys at both ends of the clip whatever the frames, as Blender lines up the parts of a clip by their first keys;
// in between, frames that straight lines pass anyway are left out.
// Written beside and renamed at the end. InputError when the file cannot be read or the clips do not fit it.
SoftGlbReport write_soft_glb(const std::string& in, const std::string& out, const std::vector<SoftClip>& clips,
                             const SoftGlbOptions& options = {});

}  // namespace supple
