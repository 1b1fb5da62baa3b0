// A character's own file again, with helper joints that play its soft motion: for engines that take bones and no morph
// targets, or less of them.
//
// Everything of the input stays as it is but the joints and weights of soft vertices; new nodes, joints and clips are
// appended. Weights that the file has as integers become floats of the same value where a mesh changes. The artist's
// clips do not mention the helpers, which therefore rest there, and at rest they change nothing.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/skin_decomposition.h"

namespace supple {

struct BonesClip {
  std::string name;           // of the clip it belongs to; the new one is NAME.soft
  std::vector<int> sources;   // animations of the file whose channels it repeats (by the same accessors)
  std::vector<double> times;  // of its frames [s], ascending
  int first_frame = 0;        // of the decomposition's frames
};

struct BonesOptions {
  double key_tolerance = 1e-4;  // keys are left out that move no vertex by more than this share of the character's size
};

struct BonesReport {
  int helpers = 0;
  size_t keys = 0, keys_before = 0;  // of helpers, over all clips
  double key_error = 0;              // [m] what leaving out keys moves a vertex by at a frame, at most
  size_t bytes = 0, bytes_added = 0;
  std::vector<std::string> clips, nodes;  // names of what was added
  std::vector<std::string> warnings;
};

// in: .glb or .gltf, the file that `drawn` was laid out from; out: .glb. vertices: for each vertex of the decomposition
// the one of `drawn` that it is. InputError for soft vertices without a skin, meshes that several nodes show, bones
// stretched unevenly, and lists that do not fit.
BonesReport write_bones_glb(const std::string& in, const std::string& out, const Drawn& drawn,
                            const std::vector<int>& vertices, const SkinDecomposition& skin,
                            const std::vector<BonesClip>& clips, const BonesOptions& options = {});

}  // namespace supple
