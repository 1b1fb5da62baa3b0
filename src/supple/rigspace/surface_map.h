// From what a rig moves to what tets have: every rigged vertex of the tets is a fixed linear map of drawn points.
//
// Rows sum to 1 and reproduce affine maps: where the drawn surface moves by one affine map around a vertex, the vertex
// moves by it too. A vertex that coincides with a drawn point goes with that alone, so that on a conforming mesh the
// map is the identity.
#pragma once
#include <vector>

#include "supple/base/types.h"

namespace supple {

struct SurfaceMap {
  int n_points = 0;              // of the rig
  std::vector<int> first = {0};  // row k: entries first[k] .. first[k + 1] - 1
  std::vector<int> point;
  std::vector<double> weight;

  int n_rows() const { return static_cast<int>(first.size()) - 1; }
  VecX apply(const VecX& s) const;      // flat 3 n_points -> flat 3 n_rows
  MatX apply(const MatX& s) const;      // column by column
  VecX transpose(const VecX& f) const;  // flat 3 n_rows -> flat 3 n_points
  // The points that any row uses, ascending; and the same map over these alone.
  std::vector<int> used() const;
  SurfaceMap over_used() const;
};

SurfaceMap identity_map(int n_points);

struct SurfaceMapFit {
  SurfaceMap map;
  int coincident = 0;         // rows that are a single point
  int flat = 0;               // rows whose points all lie in a plane: these reproduce affine maps of that plane only
  double largest_weight = 0;  // in absolute value, of the others
  double reproduction_m = 0;  // largest distance of a row at rest from its vertex [m]
};
// surface: drawn points at rest. targets: vertices of the tets that are to be rigged. edge: of the tets [m]; points
// within about that are used. parts: of each drawn point and of each target, so that a finger does not go with the leg
// that it rests on; both empty: all are one. InputError: a target with nothing around it (and where it is).
SurfaceMapFit fit_surface_map(const Points& surface, const Points& targets, double edge,
                              const std::vector<int>& surface_parts = {}, const std::vector<int>& target_parts = {});

}  // namespace supple
