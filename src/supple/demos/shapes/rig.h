// Skeletons and skin for bodies of the examples: joints by hand, weights by the shape. Nothing is turned at rest.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/anim/character.h"
#include "supple/demos/shapes/skin_surface.h"

namespace supple::demos {

struct RigJoint {
  std::string name;
  int parent = -1;
  Vec3 place = Vec3::Zero(), tip = Vec3::Zero();  // its bone goes from here to there
  double radius = 0.1;                            // [m] of what it carries, which skin is measured by
  double soft = 1;                                // of its flesh: what _SOFT is painted with
};

class Rig {
 public:
  // parent: "" for the root. A pair is name_l as given and name_r on the other side; its parent may be a pair, by name.
  void add(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double radius,
           double soft);
  void add_pair(const std::string& name, const std::string& parent, const Vec3& place, const Vec3& tip, double radius,
                double soft);
  int find(const std::string& name) const;  // -1: none
  int operator[](const std::string& name) const;
  const std::vector<RigJoint>& joints() const { return joints_; }
  int size() const { return static_cast<int>(joints_.size()); }

  // Bones from rest to the world, for rotations against the parents and a shift of the root.
  std::vector<Affine> pose(const std::vector<Quat>& turns, const Vec3& root_shift = Vec3::Zero()) const;

 private:
  std::vector<RigJoint> joints_;
};

// A surface with one row of weights a vertex and one column a joint.
struct RiggedSkin {
  SkinSurface surface;
  MatX weights;
};

// Each vertex goes with the joints near it and with their neighbours in the skeleton, blended along the surface over
// `passes` rings of triangles. rigid(x, joint) in 0..1: how much a place goes with one joint alone, whatever is near.
// At most four joints a vertex.
MatX rig_weights(const Rig& rig, const TriMesh& mesh, int passes,
                 const std::function<double(const Vec3& x, int joint)>& rigid);

// A small rigid thing on a joint: an eye, a tusk.
struct Ornament {
  std::string material;
  int joint = 0;
  TriMesh mesh;  // with normals
};
TriMesh egg(const Vec3& centre, const Vec3& radii, const Mat3& turn = Mat3::Identity(), int rings = 10);

struct RiggedCharacter {
  Character character;
  int node = -1, mesh = -1;
  std::vector<std::vector<int>> source;  // of each vertex of each primitive: which of the surface, -1: an ornament's
};
// Joint j is node j. _SOFT is painted by the joints' softness, times `paint` of a place where that is given.
RiggedCharacter assemble(const std::string& name, const Rig& rig, const RiggedSkin& skin,
                         const std::vector<Ornament>& ornaments, const std::function<double(const Vec3&)>& paint = {});

}  // namespace supple::demos
