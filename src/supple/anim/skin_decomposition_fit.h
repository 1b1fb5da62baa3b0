// The two halves of a skin decomposition, each for the other one given: weights, and motions of the helpers.
// Inside the room only.
#pragma once
#include <vector>

#include "supple/anim/skin_decomposition.h"

namespace supple {

// x -> R x + t, bound world, before the bone's own map.
struct HelperMotion {
  Mat3 R = Mat3::Identity();
  Vec3 t = Vec3::Zero();
};

// What a vertex has of the region's bones, and room for.
struct VertexPlaces {
  std::vector<double> of_bone;  // weight of each bone of the region
  int room = 0;                 // of the four places, those that other bones leave
};

// One region, its vertices counted from 0 and positions seen from its middle.
struct RegionData {
  std::vector<int> bones;
  Vec3 middle = Vec3::Zero();
  double radius = 0;                      // of the rest positions about the middle
  std::vector<Points> x;                  // [frame or just 0][vertex]
  std::vector<Points> d;                  // [frame][vertex] displacement asked for, world
  std::vector<std::vector<Mat3>> linear;  // [frame][bone of the region]
  std::vector<VertexPlaces> places;
  int n_frames() const { return static_cast<int>(d.size()); }
  int n_vertices() const { return static_cast<int>(places.size()); }
  const Points& at(int frame) const { return x[x.size() == 1 ? 0 : static_cast<size_t>(frame)]; }
};

struct RegionModel {
  std::vector<int> bone;                           // of each helper: which of the region's
  std::vector<std::vector<HelperMotion>> motions;  // [frame][helper]
  MatX weights;                                    // vertex x helper
  int n_helpers() const { return static_cast<int>(bone.size()); }
};

// By how far the helpers displace a vertex at a frame, world.
Vec3 modelled(const RegionData& data, const RegionModel& model, int frame, int vertex);

// Least squares weights of `vertices` over `frames`: at least 0, together at most what their bone had, and no more
// than the vertex has room for.
void fit_weights(const RegionData& data, const std::vector<int>& frames, const std::vector<int>& vertices,
                 RegionModel& model);

// Least squares motions at `frames` by `vertices`, all helpers at once (Gauss-Newton). afresh: from rest.
void fit_motions(const RegionData& data, const std::vector<int>& frames, const std::vector<int>& vertices, bool afresh,
                 int steps, RegionModel& model);

// The rigid motion of some vertices, each counted once: what a new helper starts from.
HelperMotion rigid_start(const RegionData& data, int frame, int bone, const std::vector<int>& vertices);

}  // namespace supple
