// What the swing of flesh is told as a share of.
#pragma once
#include <vector>

#include "supple/attach/flesh.h"

namespace supple {

// Per tet vertex [m]: the thickness of the body there; of what trails its way from where it is rooted as well, as a
// tail bends that is thin.
std::vector<double> reach_of(const TetMesh& mesh, const Flesh& flesh);

// A length that is held back beyond its knee: the same below, once continuously differentiable, never beyond
// kFarthestHeld knees. A knee of 0 holds nothing back.
inline constexpr double kFarthestHeld = 1.5;
double held_back(double length, double knee);

// Along the edges of trailing tets, from those of their vertices that bones drive; 0 elsewhere [m].
std::vector<double> distance_from_root(const TetMesh& mesh, const Flesh& flesh);

}  // namespace supple
