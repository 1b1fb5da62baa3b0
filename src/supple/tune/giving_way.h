// How far flesh gives way under a steady pull, region by region: for choosing how much of the inertial forces each of
// them shall feel. About the rest shape, everything linear, with epsilon(v) = sum_r epsilon_r w_r(v):
//   K d = -M epsilon e,  e each axis in turn, 1 m/s^2
// One factorization serves all regions and axes.
#pragma once
#include <string>
#include <vector>

#include "supple/mesh/vertex_blend.h"
#include "supple/sim/model.h"

namespace supple {

struct SwayRegion {
  VecX weight;                // per vertex: what of this region's inertia it feels
  VertexBlend watched;        // points that tell how far it goes...
  std::vector<double> reach;  // ...and what `shares` are shares of, a point [m]
  int piece = 0;              // of flesh: regions of one hang together
};

class GivingWay {
 public:
  GivingWay(const Model& model, const std::vector<SwayRegion>& regions, const std::string& linear_solver = "auto");

  bool ok() const { return ok_; }  // false: nothing of it is free
  // For each region how far what gives way most goes (the 90th percentile of what is watched; the root mean square
  // over the axes), as a share of its reach.
  std::vector<double> shares(const std::vector<double>& inertia) const;
  // Likewise what each of its watched points goes; empty where nothing is free.
  std::vector<std::vector<double>> shares_of_points(const std::vector<double>& inertia) const;
  // The inertia of each region that makes it go so far, at most `most` of it. fixed: those that are given, NaN: none.
  // What its neighbours carry further than it is to go goes with them: no region has much more or less than is usual in
  // its piece.
  std::vector<double> inertia_for(const std::vector<double>& wanted, const std::vector<double>& most,
                                  const std::vector<double>& fixed) const;

 private:
  bool ok_ = false;
  std::vector<int> piece_;
  // [region watched][region pulled]: 3 x axis in rows for every watched point, beside its reach.
  std::vector<std::vector<MatX>> answer_;
};

}  // namespace supple
