// Hand-made bodies for the tests of flesh: round limbs with bones on their axis, in cages cut from a box.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/attach/flesh.h"

namespace supple::test {

struct Body {
  Drawn drawn;
  std::vector<Piece> pieces;
  std::vector<Pose> poses;
  TetMesh cage;
  VertexBlend blend;
  TriMesh skin;
  double fps = 30;
  // The body must outlive the input.
  FleshInput input() const;
};

// Closed, from (0, 0, 0) to (0, height, 0), round ends included.
TriMesh capsule_skin(double radius, double height, int around = 24, int along = 40);
TriMesh box_skin(const Vec3& low, const Vec3& high);
void append(TriMesh& to, const TriMesh& from);

// The tets of a grid of cubes of side `edge` around the skin that `distance` (negative inside) lets in.
TetMesh cage_around(const TriMesh& skin, double edge, const std::function<double(const Vec3&)>& distance);
double capsule_distance(const Vec3& x, double radius, double height);

// Adds bones at the given heights on the axis, each the child of the one before, with weights that rise and fall
// linearly from one to the next; and one pose: as it is bound.
void give_bones(Body& body, const std::vector<double>& heights);
// Skin vertices become the drawn vertices, one piece, all soft.
void draw(Body& body);
// Capsules with a bone each that carries all of it, from its head on.
struct Limb {
  std::string name;
  int parent = -1;  // an earlier limb
  Vec3 from, to;
  double radius = 0.1;
};
Body body_of_limbs(const std::vector<Limb>& limbs, double edge);
Body capsule_body(double radius, double height, double edge, const std::vector<double>& bone_heights);

}  // namespace supple::test
