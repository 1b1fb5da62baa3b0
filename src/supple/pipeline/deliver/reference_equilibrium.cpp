#include "supple/pipeline/deliver/reference_equilibrium.h"

#include <cmath>

#include "supple/inertia/static_track.h"

namespace supple::pipeline {

ReferenceEquilibrium::ReferenceEquilibrium(const Job& job) : job_(job) {
  if (!job.subject->departs_from_authored(job.config)) return;
  // Scalings may have been turned since they were loaded.
  const Scalings &now = job.body->scalings, &loaded = job.body->fields.whole;
  const VecX authored_mu = job.body->fields.authored_mu * std::pow(now.chi / loaded.chi, 2);
  const auto as_authored = [&] {
    if (!job.body->adjustment.gravity.empty() || !job.body->adjustment.stiffness.empty()) return false;
    const VecX mu = job.body->fields.mu * (now.mu == loaded.mu ? 1 : now.mu / loaded.mu);
    return ((mu - authored_mu).array().abs() <= 1e-9 * authored_mu.array()).all();
  };
  if (as_authored()) return;
  // The same flesh, with the gravity that it was made to hang under.
  ModelSpec spec = job.body->model->spec();
  spec.gravity = job.body->base.gravity;
  spec.gravity_scale = authored_mu;
  if (job.body->base.gravity_scale.size() > 0) spec.gravity_scale.array() *= job.body->base.gravity_scale.array();
  authored_ = std::make_unique<Model>(std::move(spec));
  track_ = std::make_unique<StaticTrack>(*authored_, job.shot.drive,
                                         StaticTrackOptions{.knot_spacing = 1 / job.shot.fps,
                                                            .tolerance = job.config.solver.tolerance,
                                                            .linear_solver = job.config.solver.linear,
                                                            .first_guess = job.shot.first_guess});
}

ReferenceEquilibrium::~ReferenceEquilibrium() = default;

VecX ReferenceEquilibrium::at(int frame, const VecX& p) {
  if (!track_) return p;
  return flatten(authored_->mesh().vertices) + track_->at((job_.shot.first_frame + frame) / job_.shot.fps);
}

}  // namespace supple::pipeline
