// The deformers that a surface can be rigged with, skeletons aside (skeleton_deformer.h). All bind to the points at
// rest; all but the transform and twisting wires are linear in their parameters.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/character.h"
#include "supple/rigs/deformer.h"

namespace supple {

// Which axes of a control point are parameters.
struct Axes {
  bool x = true, y = true, z = true;
};

// Moves, turns (exponential) and scales everything about a pivot: "name.translation.x", "name.rotation.x",
// "name.scale.x" or, uniform, "name.scale".
struct TransformSpec {
  std::string name = "body";
  Vec3 pivot = Vec3::Zero();
  bool translation = true, rotation = true, scale = false, uniform_scale = false;
};
std::shared_ptr<const Deformer> make_transform(const TransformSpec& spec, const Points& rest);

// One parameter a shape, its weight: "name.shape". offsets: one a point each.
struct BlendShape {
  std::string name;
  Points offsets;
};
std::shared_ptr<const Deformer> make_blend(const std::string& name, const std::vector<BlendShape>& shapes,
                                           const Points& rest);

// A box of control points [Sederberg and Parry 1986]: "name.i.j.k.x", along the axes of space. bernstein: over the
// whole box; bspline: cubic and local. Points outside the box stay. With `fade`, those inside follow less towards its
// faces, so that nothing tears.
struct LatticeSpec {
  std::string name = "lattice";
  Affine box = Affine::Identity();  // the unit cube -> where the lattice is
  std::array<int, 3> points = {2, 2, 2};
  bool bspline = false, fade = false;
  Axes axes;
};
std::shared_ptr<const Deformer> make_lattice(const LatticeSpec& spec, const Points& rest);
// Where its control points are at rest, i slowest and k fastest: B-splines have them closer towards the faces.
Points lattice_points(const LatticeSpec& spec);

// A closed cage of triangles around points, by mean-value coordinates: "name.7.x" of its vertex 7. moved: the vertices
// that are parameters; empty: all. InputError: a cage that is not closed, or points that it does not hold (how many).
struct CageSpec {
  std::string name = "cage";
  Points vertices;
  std::vector<Tri> triangles;
  std::vector<int> moved;
  Axes axes;
};
std::shared_ptr<const Deformer> make_cage(const CageSpec& spec, const Points& rest);

// A curve through control points that drags what is near [Singh and Fiume 1998]: "name.3.x", and with `twist`
// "name.3.twist" about its direction at rest. Points within `radius` follow, less towards it.
struct WireSpec {
  std::string name = "wire";
  Points points;
  std::vector<int> moved;  // empty: all
  double radius = 0.1;     // [m]
  bool twist = false;
  Axes axes;
};
std::shared_ptr<const Deformer> make_wire(const WireSpec& spec, const Points& rest);

}  // namespace supple
