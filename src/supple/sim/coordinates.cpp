#include "supple/sim/coordinates.h"

namespace supple {

Coordinates::Coordinates(const Model& model) : model_(model) {
  elastic_ = model.make_elastic();
  gravity_ = std::make_unique<LoadTerm>(model.gravity_force());
  viscous_ = model.damped() && model.spec().damping == ElementDamping::viscous;
  // A strain that is linear in u has the rate that u has, and needs no history.
  strain_history_ = viscous_ && model.spec().material != MaterialModel::linear;
}

Coordinates::~Coordinates() = default;

void Coordinates::set_forces(double, const Driver::Scales* scales) {
  if (!scales) return;
  elastic_->set_scales(scales->stiffness, scales->damping);
  gravity_->set_scale(scales->gravity);
}

}  // namespace supple
