// A jellyfish about 0.38 m tall, y up, its axis through the origin: tets for the motion and a finer surface to draw, to
// be carried by them (mesh/embedding.h). A thick bell with a scalloped rim, eight tentacles below the rim, four frilled
// arms in the middle, and a rigid core inside the top of the bell [adjustable paper, Figures 6 and 9].
#pragma once
#include "supple/anim/track.h"
#include "supple/tetmesh/signed_distance_mesh.h"

namespace supple::demos {

struct JellyfishOptions {
  double edge = 0.042;  // [m] of the tet lattice, at most kJellyfishMaxEdge: about 2500 tets
};
// Beyond, neighbouring tentacles grow together.
constexpr double kJellyfishMaxEdge = 0.042;

struct Jellyfish {
  TetMesh tets;           // with the regions bell, tentacles and arms
  TriMesh surface;        // closed pieces, oriented outwards, with normals and colours
  std::vector<int> core;  // tet vertices of an upright capsule inside the bell, to be driven
  LatticeReport report;
};

// Throws InputError: an edge out of range.
Jellyfish make_jellyfish(const JellyfishOptions& options = {});

// The body behind the tets (negative inside) and the box around it. Thin parts are as thick as a lattice of this edge
// needs, so that the body holds all that is drawn.
SignedDistance jellyfish_distance(double edge);
Box jellyfish_bounds(double edge);
// The drawn surface alone.
TriMesh make_jellyfish_surface();

// The core turns about the upright axis: still until `start`, then a ramp of `ramp` seconds to a constant rate.
struct Spin {
  double rate = 4.8;              // [rad/s]
  double start = 0.25, ramp = 2;  // [s]
};
constexpr double kJellyfishFps = 24;
constexpr int kJellyfishFrames = 313;
// The angle [rad] at time t [s], or with derivative 1 and 2 its rate and the change of that. Three times continuously
// differentiable.
double spin_angle(double t, const Spin& spin = {}, int derivative = 0);
// One key a frame, of the rotation about y alone.
std::vector<RigidKey> spin_keys(const Spin& spin = {}, int frames = kJellyfishFrames, double fps = kJellyfishFps);

}  // namespace supple::demos
