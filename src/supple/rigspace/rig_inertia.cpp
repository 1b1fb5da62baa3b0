#include "supple/rigspace/rig_inertia.h"

#include <fmt/format.h>

#include "supple/base/error.h"

namespace supple {

RigBodySpec scaled(RigBodySpec spec, const RigScales& scales) {
  for (MaterialParameters& m : spec.model.per_tet) {
    m.youngs_modulus *= scales.stiffness;
    m.stiffness_damping *= scales.damping;
  }
  spec.model.gravity *= scales.gravity;
  for (double& strength : spec.strengths) strength *= scales.stiffness;
  return spec;
}

namespace {

std::unique_ptr<EquilibriumPath> path_of(const RigBody& body, std::shared_ptr<const Track> equilibria,
                                         const Adjustment& adjustment) {
  if (adjustment.plain_inertia()) return nullptr;
  if (!equilibria)
    throw InputError({}, "inertia is to be scaled about an equilibrium that is not given",
                     "find it with rig_equilibria");
  const int n = body.n_vertices();
  if (equilibria->n_points() != n || (adjustment.epsilon.size() > 0 && adjustment.epsilon.size() != n))
    throw InputError({}, fmt::format("the body has {} vertices, its equilibria {} and its inertia scale {}", n,
                                     equilibria->n_points(), adjustment.epsilon.size()));
  return std::make_unique<GivenPath>(std::move(equilibria), flatten(body.model().mesh().vertices));
}

}  // namespace

RigInertia::RigInertia(const RigBody& body, std::shared_ptr<const Track> equilibria, Adjustment about)
    : RigInertiaParts{VertexFrames(*body.model().elements()), std::move(about)},
      AdjustedInertia(body.model(), body.mass(), frames, path_of(body, std::move(equilibria), adjustment), adjustment) {
}

}  // namespace supple
