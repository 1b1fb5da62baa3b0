// Points spread evenly over a skin, however coarse or fine its triangles are. Inside the room only.
#pragma once
#include <vector>

#include "supple/mesh/tri_mesh.h"

namespace supple {

struct SkinSample {
  int triangle = -1;
  Vec3 bary = Vec3::Zero();  // weights of the triangle's corners
  double area = 0;           // of skin it stands for [m^2]
};

// About one sample per spacing^2 / 2: in triangles longer than `spacing` at several places, of smaller ones only some.
// Triangles without area give none. The order is that of the triangles.
std::vector<SkinSample> sample_skin(const TriMesh& skin, double spacing);

Vec3 position(const TriMesh& skin, const SkinSample& s);

// Unit normals of the triangles, turned to point out of each connected part: the sign of the part's volume decides, as
// files have parts that are inside out. Zero where a triangle has no area.
Points outward_normals(const TriMesh& skin);

}  // namespace supple
