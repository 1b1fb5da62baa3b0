// How far flesh will swing about a moving drawn pose y(t), with everything linear: no Newton, one factorization a step,
// and as many choices of inertia at once as are asked for.
//   M d'' + C(y) d' + K(y) d = -epsilon M y''
// d is the departure from the drawn pose; K(y) is linear elasticity about the drawn shape (fem/drawn_shape.h); C is
// that times each tet's damping. y' and y'' are the integrator's own formulas, as they are in the run. Left out are the
// turning of the frame, contact and what is not linear.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/track.h"
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

class LinearForecast {
 public:
  // inertia: per vertex, one column a choice. watched: vertices. The model must outlive this.
  LinearForecast(const Model& model, const MatX& inertia, std::vector<int> watched,
                 const std::string& linear_solver = "auto");
  ~LinearForecast();

  // d of what is watched, frame by frame, flat, one column a choice; from d = 0, moving along. Empty: K is singular.
  std::vector<MatX> departures(const ForecastShot& shot);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace supple
