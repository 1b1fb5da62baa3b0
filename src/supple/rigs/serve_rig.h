// The other side of pipe_rig.h: a rig of ours answers whoever speaks the protocol (docs/reference/rig-protocol.md).
#pragma once
#include <vector>

#include "supple/base/types.h"
#include "supple/rigs/rig_map.h"

namespace supple {

// On file descriptors, until it is told bye, the input ends or nobody reads the answers any more.
void serve_rig(const RigMap& rig, const std::vector<Tri>& triangles, int input, int output);

}  // namespace supple
