// A model linearised about a state: stiffness and mass of what is free.
#pragma once
#include "supple/sim/model.h"

namespace supple {

struct LinearBody {
  BlockMatrix stiffness, mass;  // of one pattern, in the free unknowns of model.constraints().map()
};
// About the rest shape, or about the displacement u when given, with driven vertices and ties held and springs in
// place.
LinearBody linear_body(const Model& model, const VecX& u = VecX());

}  // namespace supple
