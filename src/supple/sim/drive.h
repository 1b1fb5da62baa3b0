// Where the driven things of a body go.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "supple/anim/track.h"
#include "supple/constraint/springs.h"
#include "supple/sim/model.h"

namespace supple {

// Where the driven things of a model go. Null where the model has none.
struct Drive {
  std::shared_ptr<const Track> vertices;   // spec().driven
  std::shared_ptr<const Track> ties;       // spec().ties
  std::shared_ptr<const Track> springs;    // spec().springs
  std::shared_ptr<const Track> obstacles;  // spec().contact.obstacle_rest; null: they stay
  // Where an animation has all vertices of the body; null: there is none. Physics does not hear of it, but flesh that
  // is folded through itself is pulled back to it.
  std::shared_ptr<const Track> animation;
  // Where an animation draws all vertices of the body, and that is the shape that strains count from: what is drawn is
  // then an equilibrium, and flesh departs from it (fem/drawn_shape.h). Null: the shape of rest.
  std::shared_ptr<const Track> shape;
  // With it: the weight that the shape stands under as it is drawn, flat [N]; empty: that of the body.
  VecX carried;
  // Factors of the moment on the strengths of the springs, one each; null: 1.
  std::function<std::vector<double>(double t)> spring_factors;
  // Factors always as another drive has them at time t.
  void hold_factors(const Drive& other, double t) {
    if (other.spring_factors) spring_factors = [now = other.spring_factors(t)](double) { return now; };
  }
};

// Where all points of a drive are at time t, or their rates: vertices, ties and springs, one after the other, flat.
VecX driven_points(const Drive& drive, double t, int derivative = 0);
// Positions prescribed at time t as displacements u_d; tie_residual may be null.
VecX prescribed(const Model& model, const Drive& drive, double t, double* tie_residual = nullptr);
// The rate (derivative 1) or acceleration (2) of the above.
VecX prescribed_rate(const Model& model, const Drive& drive, double t, int derivative);

// Where the springs pull at time t, and how strongly. still: the targets stand there (statics).
void put_springs(const Drive& drive, double t, SpringTerm& springs, bool still = false);

}  // namespace supple
