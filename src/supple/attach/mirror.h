// The plane that makes left of right, found by the shape of a skin alone. Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

struct Mirror {
  Vec3 normal = Vec3::Zero();  // unit, of a plane in any direction; zero: the body is not the same on two sides
  double offset = 0;           // of the plane along the normal [m]
  std::vector<int> image;      // per skin vertex: the one nearest to its mirror image; -1: no skin is there
  bool found() const { return normal != Vec3::Zero(); }
  Vec3 of(const Vec3& x) const { return x + 2 * (offset - normal.dot(x)) * normal; }
};

// Half of the skin at least has skin where its mirror image is. What has none (a sword, a pouch) has no say. Of several
// planes the one that most agree on, rather upright than lying, and rather one across which other bones carry the skin;
// up: unit; weights: of the skin, or none. The same bits for any number of threads.
Mirror find_mirror(const TriMesh& skin, const Vec3& up, const SkinWeights& weights = {});

}  // namespace supple
