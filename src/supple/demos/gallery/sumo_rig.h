// Skeleton and clip of the sumo wrestler. Inside the gallery only.
#pragma once
#include "supple/anim/key_clip.h"
#include "supple/demos/gallery/rig.h"
#include "supple/demos/gallery/sumo_plan.h"

namespace supple::demos::sumo {

Rig skeleton();
PoseFunction motion(const Rig& rig);  // refers to the rig

}  // namespace supple::demos::sumo
