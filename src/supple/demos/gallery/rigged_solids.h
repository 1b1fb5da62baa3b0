// A ball and a bar of tets whose boundary is drawn, for deformers that move that boundary.
#pragma once
#include <vector>

#include "supple/demos/shapes/conforming_tets.h"

namespace supple::demos {

// Radius 0.5 m, standing on the origin: 860 vertices on the surface and 1810 inside [rig-space physics, Table 1].
ConformingBody make_rigged_sphere();

// 1.5 m along x, 0.3 m across, around the origin: 58 vertices on the surface and 163 inside [Table 1].
ConformingBody make_rigged_bar();

// Four shapes of the bar that overlap [rig-space physics, Figure 3], bent down to first order by 1 rad/m: its left end,
// its left half with that end, its right half, and its right end. Its middle stays. One place a vertex of the surface.
std::vector<Points> rigged_bar_shapes(const Points& rest);

// A box around the bar, of eight vertices: 0 to 3 left, 4 to 7 right.
TriMesh rigged_bar_cage();

}  // namespace supple::demos
