// Guesses of what a piece is, for those that no rule names. Inside the room only.
#pragma once
#include <vector>

#include "supple/attach/piece_measure.h"

namespace supple {

// Sets role, why, sheet and hard of the pieces with decided[i] == 0; the others are taken as they are.
void guess_roles(const Drawn& drawn, const std::vector<PieceFigures>& figures, const std::vector<char>& decided,
                 std::vector<Piece>& pieces);

}  // namespace supple
