// Roles of what no skin moves. Inside the room only.
#pragma once
#include "supple/attach/piece_board.h"

namespace supple {

// Of a file where only nodes move, or nothing does: large closed things are bodies, unless they are the parts of a
// machine: made with sharp edges, and moving against each other.
void guess_plain_bodies(PieceBoard& board);

// What follows its node and nothing else, node by node: where a skeleton holds it, by its bone; else on flesh, on
// something that rides, or on nothing.
void guess_nodes(PieceBoard& board);

}  // namespace supple
