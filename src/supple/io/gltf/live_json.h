// A live pack as JSON: what engines read from a .glb (root extras.supple_live) or from the side file NAME.live.json.
// The shapes are not in it: they are morph targets of the .glb. The keys: docs/reference/live-pack.md.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/live_pack.h"

namespace supple {

inline constexpr int kLiveVersion = 1;

// Mode i of the part is morph target first + i of this mesh.
struct LiveTarget {
  int mesh = -1, first = 0;
};

struct LiveBlock {
  LivePack pack;                                 // without shapes when it was read
  std::vector<std::vector<LiveTarget>> targets;  // one list a part of the pack
  std::string generator;                         // who wrote it; written: this program when empty
};

// Refuses (InputError, placed in `file`) what no runtime can step: numbers that are not finite, frequencies and masses
// that are not positive, parts without modes, names that are there twice, lists that do not fit.
void require_live_block(const LiveBlock& block, const std::string& file);

// indent < 0: on one line.
std::string live_json(const LiveBlock& block, const std::string& file, int indent = -1);
// Keys that are unknown are passed over. InputError names the place: "parts[0].modes[2].transfer".
LiveBlock parse_live_json(const std::string& text, const std::string& file);

void write_live_json(const std::string& path, const LiveBlock& block);
// From a side file, or from the extras of a .glb or .gltf.
LiveBlock read_live(const std::string& path);

}  // namespace supple
