// Pieces that are the left and the right of a pair, by shape and place. Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/pieces.h"

namespace supple {

// For each piece the one that mirrors it, -1: none. The plane is upright to one of the axes, through the middle of what
// skins move (else of all): the one that pairs most of the area.
std::vector<int> mirrored_pieces(const Drawn& drawn, const std::vector<Piece>& pieces);

}  // namespace supple
