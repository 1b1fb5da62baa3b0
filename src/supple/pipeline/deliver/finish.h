// Finishing: what is shown of the departure of flesh, without simulating again. In this order: axis scales in the local
// frame, smoothing over the surface, smoothing over time, mix, limit (docs/guide/finishing.md).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "supple/inertia/adjustment.h"
#include "supple/mesh/tri_mesh.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

// d with its components along the columns of R times those of `axis`.
inline Vec3 axis_scaled(const Mat3& R, const Vec3& axis, const Vec3& d) {
  return R * axis.cwiseProduct(Vec3(R.transpose() * d));
}

// Each value over time replaced by the mean around it, weighted by a Gaussian [frames]. period 0: at the ends what is
// there counts; else the first `period` frames repeat.
void smooth_over_time(std::vector<VecX>& frames, double deviation, int period);

// The vertices of a surface and their neighbours; those at the same place are one.
class SurfaceGraph {
 public:
  explicit SurfaceGraph(const TriMesh& mesh);
  // Passes that take every vertex halfway to the mean of its neighbours, near ones more; hard ones stay.
  void smooth(VecX& d, int passes, const std::vector<char>& hard) const;
  // 1 on the members, 0 beyond `width` [m] along the surface; flat at both ends.
  std::vector<double> falloff(const std::vector<char>& members, double width) const;
  double mean_edge() const { return mean_edge_; }

 private:
  struct Neighbour {
    int vertex;
    double length, weight;  // weights sum to 1
  };
  std::vector<int> same_;   // per vertex: the first at its place
  std::vector<int> start_;  // per vertex, into ring_
  std::vector<Neighbour> ring_;
  double mean_edge_ = 0;
};

// Where a region of the scene is on the surface.
struct RegionMembers {
  const RegionConfig* region = nullptr;
  std::vector<char> on;  // per vertex
};

struct FinishInput {
  TriMesh mesh;                        // at rest
  std::vector<char> hard;              // per vertex: never departs
  std::vector<RegionMembers> regions;  // where they overlap the last one counts
  std::vector<double> painted;         // multiplies mix; empty: 1
  FactorKeys keys;                     // multiplies mix, over frames of the run
  int period = 0;                      // of a loop [frames]
};

class Finish {
 public:
  // Of the skin of a character, or of the drawn surface of other scenes.
  explicit Finish(const Job& job);
  Finish(const OutputConfig& output, FinishInput input);

  bool idle() const { return idle_; }  // all keys at their defaults
  // departures: flat, one entry a frame, in place. local: rotations of the local frames at a frame, one a vertex.
  using LocalFrames = std::function<std::vector<Mat3>(int frame)>;
  void apply(std::vector<VecX>& departures, const LocalFrames& local) const;

  // Per vertex.
  const std::vector<double>& mix() const { return mix_; }       // without the keys
  const std::vector<double>& limits() const { return limit_; }  // [m], infinite where there is none
  const Points& axis() const { return axis_; }
  const std::vector<char>& hard() const { return in_.hard; }
  bool limits_any() const { return limits_any_; }

 private:
  void set_fields(const OutputConfig& output);
  void set_limits(const OutputConfig& output, double width);
  void show(int frame, VecX& d) const;

  bool idle_ = true, scales_axes_ = false, limits_any_ = false;
  int passes_ = 0;
  double deviation_ = 0;
  FinishInput in_;
  SurfaceGraph graph_;
  std::vector<std::vector<double>> inside_;  // falloff of each region
  std::vector<double> mix_, limit_;
  Points axis_;
};

// The scene keys that finishing is made of: "output.mix", "region.limit_m", ...
const std::vector<std::string>& finish_keys();

}  // namespace supple::pipeline
