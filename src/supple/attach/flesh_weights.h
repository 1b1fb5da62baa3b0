// Skin weights and morph offsets of tet vertices. Inside the room only.
#pragma once
#include "supple/anim/drawn.h"
#include "supple/attach/extend.h"

namespace supple {

// skin: the drawn vertices behind the skin. Weights below 1e-3 are dropped and the rest sum to 1; tet vertices that the
// skin does not reach get those of the nearest skin vertex. Morphs are in the order of `skin`, extended by
// of_morphs where there is one.
SkinnedPoints extend_to_cage(const SkinnedPoints& skin, const Points& cage, const Extension& extension,
                             const Extension* of_morphs = nullptr);

}  // namespace supple
