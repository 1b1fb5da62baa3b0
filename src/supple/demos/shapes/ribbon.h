// Parts of plants: a centre line with a flat or round cross-section along it, as a signed distance and as a drawn
// surface.
#pragma once
#include <functional>

#include "supple/mesh/tri_mesh.h"

namespace supple::demos {

struct Ribbon {
  Points centre;                               // at least two, in order
  Points side, normal;                         // unit, across the centre line and each other
  std::vector<double> half_width, half_depth;  // [m] along side and normal

  void add(const Vec3& c, const Vec3& s, const Vec3& n, double width, double depth);
};

// Fills side and normal of a centre line so that normals lie as near `hint` as they can.
Ribbon make_ribbon(const Points& centre, const Vec3& hint, const std::function<double(double)>& half_width,
                   const std::function<double(double)>& half_depth);

// About the distance to the ribbon as a plate with round edges: its outline grown by `reach` in its own surface, then
// `round` thick to both sides. half_depth is not used.
double plate_distance(const Ribbon& ribbon, double reach, double round, const Vec3& p);
// About the distance to a round tube of radius half_width + grow.
double tube_distance(const Ribbon& ribbon, double grow, const Vec3& p);

// The colour and the lift along the normal at s along (0..1) and u across (-1..1).
struct RibbonLook {
  std::function<Vec3(double s, double u)> color;
  std::function<double(double s, double u)> lift;  // [m], may be empty
};
// Appends a closed surface with elliptic cross-sections of `around` corners and a pole at each end, outwards.
void append_ribbon(TriMesh& mesh, const Ribbon& ribbon, int around, const RibbonLook& look);

// Appends rings of equal corner count with a pole at each end; ring corners counter-clockwise seen from the last pole.
void append_rings(TriMesh& mesh, const std::vector<Points>& rings, const std::vector<Points>& colors,
                  const Vec3& first_pole, const Vec3& first_color, const Vec3& last_pole, const Vec3& last_color);

}  // namespace supple::demos
