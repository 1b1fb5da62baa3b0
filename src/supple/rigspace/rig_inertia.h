// The dials in rig space: factors on a rigged body, and inertia that is scaled about its equilibrium in rig space.
//
// The scaled force is that of inertia/adjusted_force.h, of all vertices, with p(t) the equilibrium under what is keyed
// [rig_response.h] and the mass that the body's inertia has. Carried to the parameters by the rig like any other force,
// epsilon = 0 leaves p(t) as the motion, to the tolerance of the solver at the times that p is known at.
#pragma once
#include <memory>

#include "supple/anim/track.h"
#include "supple/inertia/adjusted_inertia.h"
#include "supple/rigspace/rig_body.h"

namespace supple {

// Factors that hold for the whole shot [adjustable constrained dynamics, Eqs. 26-28].
struct RigScales {
  double stiffness = 1;  // chi^2: of elasticity and, so that they hold as firmly, of handles
  double gravity = 1;    // mu
  double damping = 1;    // c_k: of the stiffness damping d_k
};
RigBodySpec scaled(RigBodySpec spec, const RigScales& scales);

struct RigInertiaParts {
  VertexFrames frames;
  Adjustment adjustment;
};

class RigInertia final : private RigInertiaParts, public AdjustedInertia {
 public:
  // equilibria: positions of all vertices of the body's model; null where inertia is not scaled and there are only
  // factors over time. epsilon of the adjustment: one a vertex of the model. The body must outlive this.
  // InputError: inertia to be scaled without equilibria, sizes that do not fit.
  RigInertia(const RigBody& body, std::shared_ptr<const Track> equilibria, Adjustment adjustment);
};

}  // namespace supple
