// How thick the solid behind a surface is. Inside the tetmesh room only.
#pragma once
#include "supple/tetmesh/soup.h"

namespace supple {

struct ThicknessSamples {
  Points points;
  std::vector<double> thickness;  // along the inward normal to the other side [m]; the limit where none is nearer
};
// About `count` points spread evenly over the solid parts of the surface.
ThicknessSamples measure_thickness(const Soup& soup, int count, double limit);

}  // namespace supple
