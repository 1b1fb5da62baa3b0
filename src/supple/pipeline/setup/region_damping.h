// Half-lives of parts that have dials of their own, while the flesh around keeps the damping it has without dials.
#pragma once
#include "supple/pipeline/setup/adjusted_body.h"
#include "supple/pipeline/setup/dial_requests.h"

namespace supple::pipeline {

// How a part swings slowest with all else held, about u (empty: the rest shape).
struct HeldSwing {
  double frequency_hz = 0;  // 0: nothing vibrates
  std::vector<int> kept;    // the vertices of the shape, in the whole
  VecX shape;
};
HeldSwing held_swing(const Model& model, const std::vector<int>& vertices, const std::string& linear_solver,
                     const VecX& u);
// Stiffness damping that such a swing feels where tets have that of the spec [s].
double felt_damping(const ModelSpec& spec, const std::vector<int>& vertices, const HeldSwing& swing, const VecX& u);

// What was chosen for each part, and the half-life it was chosen for [s].
struct RegionDamping {
  DampingChoice choice;
  double asked_s = 0;
};
// Fills the damping of body.parts and body.fields. plain: the body without dials; body.fields.chi is known.
// rule, plain_rule: how each is stepped.
std::vector<RegionDamping> damp_regions(const SceneConfig& config, const StepRule& rule, AdjustedBody& body,
                                        const StepRule& plain_rule, const AdjustedBody& plain, const Parts& parts,
                                        const DialRequests& asked, Notes& notes);

}  // namespace supple::pipeline
