// How thick a body is around each point, and how deep below its skin the point lies. Inside the room only.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "supple/mesh/bvh.h"
#include "supple/mesh/tet_mesh.h"

namespace supple {

// The largest ball inside the body that touches the skin at a sample. "Inside" is what the skin faces away from: walls
// of other parts that are met from their outside do not count, so that overlapping parts are one body.
struct InscribedBall {
  Vec3 centre = Vec3::Zero();
  double radius = 0;
  int triangle = -1;  // of the skin, where it touches
};

struct Thickness {
  std::vector<double> depth;  // [m] below the skin; 0 outside
  std::vector<double> half;   // radius of the largest inscribed ball around the point or, outside, of those nearest [m]
};

class BodyThickness {
 public:
  // About one ball per spacing^2 / 2 of skin. The boundary of the cage closes what the skin leaves open.
  BodyThickness(const TriMesh& skin, const TetMesh& cage, double spacing);
  const std::vector<InscribedBall>& balls() const { return balls_; }

  // slack: balls this near to covering a point cover it. belongs(point, ball): false where the ball is of a part that
  // only happens to be near (a hand beside the hip); a point that belongs to none takes any.
  Thickness measure(const Points& points, double slack, const std::function<bool(int, int)>& belongs = {}) const;

 private:
  // Triangles of the skin, then those of the cage's boundary.
  struct Walls {
    std::vector<std::array<Vec3, 3>> triangles;
    Points normals;  // outwards
    Bvh tree;
  };
  bool nearest_ahead(const Vec3& c, const Vec3& p, const Vec3& normal, double limit2, Vec3& q) const;
  double shrink(const Vec3& p, const Vec3& normal, double radius) const;
  double depth_at(const Vec3& x, bool surely_inside) const;

  Walls walls_;
  std::vector<InscribedBall> balls_;
  Bvh ball_tree_;
};

}  // namespace supple
