// How far flesh will swing about a moving drawn pose y(t), with everything linear: no Newton, one factorization a step,
// and as many choices of inertia at once as are asked for.
//   M d'' + C(y) d' + K(y) d = -epsilon M y'' + (1 - c) M b_r
// d is the departure from the drawn pose; K(y) is linear elasticity about the drawn shape (fem/drawn_shape.h); C is
// that times each tet's damping. y' and y'' are the integrator's own formulas, as they are in the run, and b_r is what
// the turning of the drawn shape adds, by the run's own rule (inertia/adjusted_force.h). Left out are contact and what
// is not linear.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "supple/anim/track.h"
#include "supple/mesh/vertex_blend.h"
#include "supple/sim/model.h"
#include "supple/solve/stage.h"

namespace supple {

struct ForecastShot {
  const Track& drawn;  // of all vertices [m]
  double start = 0;    // [s]
  int frames = 0;      // after the first
  double fps = 24;
  int substeps = 3;
  Integrator integrator = Integrator::tr_bdf2;
};

// What c goes by: the inertia of all of the flesh, and 2 pi its slowest frequency [1/s], per vertex.
struct ForecastTurning {
  VecX epsilon, swing_rate;
};

class LinearForecast {
 public:
  // inertia: per vertex, one column a choice. watched: points. turning: none, no b_r. The model must outlive this.
  LinearForecast(const Model& model, const MatX& inertia, VertexBlend watched,
                 const std::optional<ForecastTurning>& turning = {}, const std::string& linear_solver = "auto");
  ~LinearForecast();

  // d of what is watched, frame by frame, flat, one column a choice; from d = 0, moving along. Empty: K is singular.
  std::vector<MatX> departures(const ForecastShot& shot);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace supple
