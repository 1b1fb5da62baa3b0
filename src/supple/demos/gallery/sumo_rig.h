// Skeleton and clip of the sumo wrestler.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/gallery/sumo_plan.h"
#include "supple/demos/shapes/rig.h"

namespace supple::demos::sumo {

Rig skeleton();
PoseFunction motion(const Rig& rig);  // refers to the rig

}  // namespace supple::demos::sumo
