// What is inside something else, and the way out.
//
// Surfaces that pass through each other (a pose in which they do, bones that lead them there) are no case for a
// barrier: it would hold every point on the side where it is. So the points concerned are let go: the ends of edges
// that pass through triangles, the corners of those triangles, and all points inside a surface that they are not inside
// of at rest. While they are, no barrier and no step filter sees them, and those inside are to be led to the nearest
// place where the surface around them faces the way they go. Once out, a point is as any other.
#pragma once
#include <vector>

#include "supple/contact/broad_phase.h"

namespace supple {

// A point inside, and the place on a triangle through which it is to leave.
struct Push {
  int point = 0;
  Tri corners{};
  Vec3 weights = Vec3::Zero();  // of the corners
  Vec3 normal = Vec3::Zero();   // the way the point is to go
  double depth = 0;             // [m] how far
};

struct Tangles {
  std::vector<char> released;  // per point; empty: nothing is tangled
  std::vector<Push> pushes;
};

class TangleFinder {
 public:
  // reach: how far off its surface a point is looked at to find out whether it is inside something [m].
  TangleFinder(const ContactShape& shape, double reach) : shape_(shape), reach_(reach) {}
  // before: what was tangled a step ago, per point; only around it and around crossings can anything be inside. Empty:
  // nothing is known.
  Tangles find(BroadPhase& broad, const Points& x, const std::vector<char>& before);

 private:
  bool neighbours(int point, const Tri& t) const;
  // At points that are asked for, just off the surface.
  std::vector<double> winding(const Points& x, const std::vector<char>& asked) const;
  void add_ring(std::vector<char>& points) const;

  const ContactShape& shape_;
  double reach_;
  std::vector<double> rest_winding_;  // made when first needed
};

}  // namespace supple
