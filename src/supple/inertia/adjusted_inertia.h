// Adjusted inertia as a driver of the stepper: keeps p with its differences in the state, turns it into frames, and
// sets the adjusted force before every stage. Also the factors that change over the shot.
//
// p' and p'' are the integrator's own formulas applied to p, stage by stage, so that epsilon = 0 gives u = p to solver
// tolerance and nothing looks ahead; or, as published, five-point stencils.
#pragma once
#include <optional>

#include "supple/inertia/adjusted_force.h"
#include "supple/inertia/adjustment.h"
#include "supple/inertia/equilibrium_path.h"
#include "supple/sim/driver.h"

namespace supple {

class AdjustedInertia : public Driver {
 public:
  // All must outlive this.
  AdjustedInertia(const Model& model, const VertexFrames& frames, StaticTrack& track, const Adjustment& adjustment);
  // About another path, with a mass that need not be the model's, of every vertex. path: null where inertia is not
  // scaled.
  AdjustedInertia(const Model& model, std::shared_ptr<const Mass> mass, const VertexFrames& frames,
                  std::unique_ptr<EquilibriumPath> path, const Adjustment& adjustment);

  const Term* term() const override { return plain_ ? nullptr : &force_; }
  bool scales_vary() const override { return adjustment_.keyed(); }
  Scales scales(double t) const override;
  void start(State& state) override;
  void stage(const State& n, const StageRule& rule, double t) override;
  void finish(State& next) const override;
  void cut(State& state, double t) override;

  int irregular_frames() const { return irregular_; }  // most vertices at once without a regular frame
  double largest_spin() const { return spin_; }        // of sqrt(epsilon) times the body's rate of turning [1/s]
  double static_seconds() const { return static_s_; }
  double force_seconds() const { return force_s_; }

 private:
  void set_moment(VecX p, VecX p_rate, VecX p_accel, double t, double h);

  const Model& model_;
  std::shared_ptr<const Mass> mass_;
  const VertexFrames& frames_;
  std::unique_ptr<EquilibriumPath> path_;
  const Adjustment& adjustment_;
  bool plain_;
  std::optional<bool> mirrored_;  // the body as it is drawn; unset: since the last cut nobody looked
  AdjustedForce force_;
  std::vector<char> needed_;   // vertices whose frames are
  VecX middle_, middle_rate_;  // p and p' after the first stage
  int irregular_ = 0;
  double spin_ = 0, static_s_ = 0, force_s_ = 0;
};

}  // namespace supple
