// How far flesh will swing under a clip, region by region: a small linear model of the body, for choosing how much of
// the inertial forces each region shall feel without simulating.
//
// In frames that bones carry along, with g = R^T x'' what they throw a vertex with and z its offset,
//   M z'' + C z' + K z = -M epsilon g.
// z is looked for among the static answers to an even pull on each region along each axis, X = K^-1 M w_r e, and the
// answers to those, K^-1 M X (load-dependent Ritz vectors, Wilson, Yuan and Dickens 1982): what these loads excite, the
// slow swings of the body and the regions' own giving way, without an eigen-solve. Left out are the terms of the
// turning frame that act on z, and what is not linear.
#pragma once
#include "supple/sim/model.h"
#include "supple/tune/carried_motion.h"

namespace supple {

struct SwingRegion {
  VecX weight;               // per vertex: what of this region's inertia it feels
  std::vector<int> watched;  // vertices its swing is judged by
  // Its damping: in proportion to stiffness, with that half-life at that frequency.
  double frequency_hz = 0, half_life_s = 0;
};

class SwingModel {
 public:
  // carried: those `vertices` frame by frame, all that are free; repeats: over and over, and the second time counts.
  // thickness: per vertex [m].
  SwingModel(const Model& model, const VecX& hanging, const std::vector<SwingRegion>& regions,
             const std::vector<int>& vertices, const CarriedPoints& carried, const std::vector<double>& thickness,
             bool repeats, const std::string& linear_solver = "auto");

  bool ok() const { return !frequency_.empty(); }                           // false: nothing of it vibrates
  const std::vector<double>& frequencies_hz() const { return frequency_; }  // of the small model, ascending
  // For each region the 99th percentile of |z| / thickness over what is watched and the frames.
  std::vector<double> swings(const std::vector<double>& inertia) const;
  // The inertia of each region that makes it swing by `wanted`, at most `most` of it. fixed: those that are given.
  std::vector<double> inertia_for(const std::vector<double>& wanted, const std::vector<double>& most,
                                  const std::vector<double>& fixed) const;

 private:
  MatX ritz_basis(const Model& model, const VecX& hanging, const std::vector<SwingRegion>& regions,
                  const std::string& linear_solver);

  double fps_ = 24;
  bool repeats_ = false;
  std::vector<double> frequency_, half_life_;  // per mode
  std::vector<MatX> force_;                    // per region: modes x frames
  std::vector<MatX> shown_;                    // per region: 3 watched x modes, beside the thickness
};

}  // namespace supple
