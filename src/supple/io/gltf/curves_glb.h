// A glTF file with one clip more: new keys of some joints and morph targets, everything else of the artist's clip as it
// is, by the very same data.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/key_reduction.h"

namespace supple {

struct CurveChannel {
  int node = -1;
  ChannelPath path = ChannelPath::rotation;
  ReducedKeys keys;  // of weights: all targets of the mesh, those that are not simulated too
  int width = 4;
};

struct CurvesClip {
  std::string name;          // of the new clip; made unlike those that are there
  std::vector<int> sources;  // animations of the file whose other channels it repeats (Clip::sources)
  double shift = 0;          // [s] that times of `channels` are later in the file than here
  std::vector<CurveChannel> channels;
};

// Nothing of the input is changed: its clips and their bytes stay. .gltf with files beside comes out as one .glb.
// Where keys of ours begin after the sources do, or end before, their first and last values are held there. What is
// told in warnings: a name that is taken (the clip gets a number), weights that Blender's sliders cut off, and nodes
// whose matrix had to become translation, rotation and scale. InputError: animations and nodes that are not there,
// keys that do not fit. Returns what the clips are called in the file; "": nothing moves, and there is none.
std::vector<std::string> write_curves_glb(const std::string& input, const std::string& output,
                                          const std::vector<CurvesClip>& clips, std::vector<std::string>& warnings);
std::string write_curves_glb(const std::string& input, const std::string& output, const CurvesClip& clip,
                             std::vector<std::string>& warnings);

}  // namespace supple
