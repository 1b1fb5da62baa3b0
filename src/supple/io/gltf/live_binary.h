// A live pack as NAME.live: what the C runtime reads. The layout is told in runtime/c/supple_live.h.
#pragma once
#include <string>

#include "supple/io/gltf/live_json.h"

namespace supple {

// Numbers in single precision. InputError, placed in `file`, for what require_live_block refuses and for numbers and
// names that the layout cannot hold.
std::string live_binary(const LiveBlock& block, const std::string& file);
void write_live_binary(const std::string& path, const LiveBlock& block);

}  // namespace supple
