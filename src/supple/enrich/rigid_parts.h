// Parts of a surface that stay rigid whatever carries them: teeth, buttons, the bits of a bridle.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

// In x, the vertices of each part are put where the rigid motion that fits them best carries their rest shape. A part
// moves as one, however many shells it has: the teeth of a jaw keep their places in it. A vertex belongs to one part
// (else InputError).
void keep_rigid(const std::vector<std::vector<int>>& parts, const Points& rest, Points& x);

// The vertices of each connected shell, ascending, shells in the order of their first vertex. Vertices without a
// triangle are left out.
std::vector<std::vector<int>> surface_components(int n_vertices, const std::vector<Tri>& triangles);

}  // namespace supple
