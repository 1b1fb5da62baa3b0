// A character's own file with the soft clip of a run added.
#pragma once
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/io/soft_glb.h"
#include "supple/scene/delivery.h"

namespace supple {

// The soft clip of a finished run, from positions of the tet vertices and of their equilibrium, one sample a frame.
SoftClip soft_clip(const Job& job, const PointCache& frames, const PointCache& statics);

}  // namespace supple
