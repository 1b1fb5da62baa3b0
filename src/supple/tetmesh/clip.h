// Triangles against tets and segments. Inside the tetmesh room only.
#pragma once
#include "supple/base/types.h"

namespace supple {

struct TetPlanes {
  explicit TetPlanes(const std::array<Vec3, 4>& corners);  // positive volume
  std::array<Vec3, 4> corner;
  std::array<Vec3, 4> normal;  // of the face opposite each corner, unit, inwards
  std::array<double, 4> offset;
  double height(int face, const Vec3& p) const { return normal[face].dot(p) - offset[face]; }
};

// What of a triangle lies in a tet.
struct Clipped {
  bool any = false;
  double area = 0;
  Vec3 middle = Vec3::Zero();  // a point of it
  unsigned edges = 0;          // bits 0..2: edges of the triangle (corner c to c + 1) that reach into the tet
  unsigned faces = 0;          // bits 0..3: faces of the tet that it passes through
};
// slack [m]: how far outside still counts.
Clipped clip(const TetPlanes& tet, const std::array<Vec3, 3>& triangle, double slack);

// Where the segment p-q passes through a triangle: parameter 0..1 in t. Neighbouring triangles agree about segments
// through their common edge: exactly one of them is hit. ids: numbers that the corners have in every triangle.
bool passes_through(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle, const Tri& ids,
                    const Vec3& normal, double& t);

}  // namespace supple
