// Skin that must stay as drawn: what stands on the floor, what morph targets move, what touches a rigid thing.
// Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/attach/flesh.h"
#include "supple/attach/pieces.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

// The drawn vertices behind a skin, as points of their own.
SkinnedPoints skin_points(const Drawn& drawn, const std::vector<int>& source);

// 1 where skin stands: within 2.5 % of the height of a clip's floor (its lowest skin point, a tenth of the frames
// aside), neither rising nor falling. The floor may run under a character that walks on the spot, so that moving along
// it does not matter. What is there in a quarter of the clips or less has fallen or lain down and does not stand. A
// body that touches its lowest level only in passing (one that swims or flies) has no floor.
std::vector<char> planted_skin(const SkinnedPoints& skin, const std::vector<Pose>& poses,
                               const std::vector<ClipPoses>& clips, const Vec3& up, double height);

// 1 where morph targets whose weights change over the poses move skin by more than 0.1 % of the height.
std::vector<char> morphed_skin(const SkinnedPoints& skin, const std::vector<Pose>& poses, double height);

// 1 where skin is within `reach` of a rigid piece and carried by bones around the one that carries the piece. source:
// the drawn vertex behind each.
std::vector<char> skin_beside_rigid(const Drawn& drawn, const std::vector<Piece>& pieces, const Points& skin,
                                    const std::vector<int>& source, double reach);

}  // namespace supple
