#include "supple/sim/force.h"

#include "supple/sim/stepper.h"

namespace supple {

void Force::start(State& state) { at(state.t); }

}  // namespace supple
