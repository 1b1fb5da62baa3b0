// A character's own file again, with modes as morph targets: for a runtime that steps their weights (live), or with
// the weights of some clips as animations that any viewer plays (baked).
//
// Everything of the input stays, as in soft_glb.h. Targets are appended to the meshes that move, in the mesh's own
// space and units (before skin and node), under the skin that the file has.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/io/gltf/live_json.h"

namespace supple {

struct LiveGlbOptions {
  bool normals = true;  // changes of normals, where the shapes have them and the file has normals
};

struct LiveGlbReport {
  LiveBlock block;                    // as it is in the file: names that were taken are changed, targets filled in
  int targets = 0;                    // added, over all meshes
  size_t bytes = 0, bytes_added = 0;  // added: beside the input as one plain .glb
  std::vector<std::string> warnings;
};

// in: .glb or .gltf that `character` was read from (its buffers and pictures are embedded); out: .glb. `drawn` is the
// layout that the shapes of the pack are in. Every mode of a part is a target of every mesh that the part touches, in
// the order of the pack, part by part. Weights are 0 at rest and in the file's own clips.
// Written beside and renamed at the end. InputError when the file cannot be read or the pack does not fit it, when a
// mesh is shown by several nodes whose flesh would have to move differently, and when there is a live pack already.
LiveGlbReport write_live_glb(const std::string& in, const std::string& out, const Character& character,
                             const Drawn& drawn, const LivePack& pack, const LiveGlbOptions& options = {});

// Weights of all parts over the frames of a clip.
struct BakedClip {
  std::string name;           // of the clip it belongs to; the new one is NAME.live
  std::vector<int> sources;   // animations of the file whose channels it repeats (by the same accessors)
  std::vector<double> times;  // of the frames [s], ascending
  std::vector<MatX> weights;  // one a part of the pack: frames x modes
};

struct BakedGlbReport {
  int targets = 0;                    // added, over all meshes
  size_t bytes = 0, bytes_added = 0;  // as in LiveGlbReport
  std::vector<std::string> clips;     // names of the clips added
  std::vector<std::string> warnings;
};

// The weights as keys, one a frame, on all nodes that show the meshes. They stay within 0 .. 1, where Blender cuts them
// off: targets are scaled by the range of their weight, and a first target "PART 0" of each part, always on in these
// clips, holds the low end of all others.
BakedGlbReport write_baked_glb(const std::string& in, const std::string& out, const Character& character,
                               const Drawn& drawn, const LivePack& pack, const std::vector<BakedClip>& clips,
                               const LiveGlbOptions& options = {});

}  // namespace supple
