// Flesh that is let be soft in some places only: what is held there follows exactly, what is beside it stays as it was
// found on the whole body.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"

namespace supple {

// allowed: per vertex of skin how much of its softness it keeps, 0..1; 0 holds it exactly. The border runs where skin
// that is held meets skin that is not, in any cage: inside it follows the smoothest field through both. What hangs on
// the area stays free for as far as flesh feels what holds it, half a thickness, and only its skin is drawn as posed;
// over `border` [m] along the skin that is let be, what is drawn of the departure rises from nothing to all.
Flesh confined(const FleshInput& input, const Flesh& whole, const std::vector<double>& allowed, double border);

// How much of the departure of a vertex of skin is drawn.
double drawn_share(const Flesh& flesh, int skin);

// Mean length of the edges of a cage [m].
double usual_edge(const TetMesh& cage);

}  // namespace supple
