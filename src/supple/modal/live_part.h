// One soft part of a live pack: its flesh analysed, its modes ranked by what excites them, and put in terms of weights
// of morph targets.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/mesh/vertex_blend.h"
#include "supple/modal/oscillators.h"

namespace supple {

struct LivePartSpec {
  std::string name, bone;
  int node = -1;
  BoneFrame frame;  // as the flesh is drawn
  SolidSpec solid;
  std::vector<double> shown;  // per vertex of the solid: how much of its motion is seen (parts that meet share it)
  std::vector<int> drawn;     // drawn vertices that vertices of the solid carry, ascending
  VertexBlend carried;        // one entry each
  double frequency_hz = 0;    // of the slowest mode; 0: as the material is
  double half_life_s = 0.2;
  std::optional<double> force_scale;  // of inertial forces; none: by `swing_m`
  double swing_m = 0;                 // how far the motions may throw it, so that no clip tears it off; 0: any
  Vec3 gravity = {0, -9.81, 0};       // world
  Vec3 rest_gravity = Vec3::Zero();   // bone axes
  std::vector<BoneMotion> motions;    // of its clips: what modes are ranked by, where they move it at all
  std::vector<BoneMotion> trials;     // what else it may meet: how far it goes is judged by both
  int most_modes = 12;
  double share = 0.99;
  bool corrections = true, coriolis = true;
};

struct LivePartReport {
  int n_tets = 0, n_nodes = 0, n_free = 0, n_candidates = 0, n_modes = 0, n_corrections = 0;
  std::vector<double> thrown_m;  // how far each motion would throw it with all of the inertial forces
  double frequency_scale = 1;    // by which the whole spectrum was multiplied
  double share = 0;              // of the response that the chosen modes make up, corrections aside
  double assemble_s = 0, modes_s = 0, rank_s = 0;
};

// Names and numbers of its modes; normals of the shapes are left to the caller, who has the triangles.
LivePart make_live_part(const LivePartSpec& spec, LivePartReport& report);

// Farthest that each motion throws a drawn vertex [m]. shapes: flat rows a vertex, a column a coordinate.
std::vector<double> thrown(const Oscillators& o, const std::vector<BoneMotion>& motions, const MatX& shapes);

// How much each coordinate moves the drawn vertices while the bone moves so: the mean over time of its square, times
// that of its shape over the vertices, both as root. departures: without what hangs.
VecX excited(const Oscillators& o, const std::vector<BoneMotion>& motions, const VecX& shape_rms, VecX* peak = nullptr);

}  // namespace supple
