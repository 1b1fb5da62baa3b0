// Where p(t) of adjusted inertia comes from: solved for as it is asked for, or given.
#pragma once
#include <memory>

#include "supple/anim/track.h"
#include "supple/inertia/static_track.h"

namespace supple {

class EquilibriumPath {
 public:
  virtual ~EquilibriumPath() = default;
  virtual VecX at(double t) = 0;  // displacements of all vertices
  virtual VecX derivative_at(double t, int derivative) = 0;
  virtual bool is_shape() const { return false; }  // that strains count from, given and cut as an animation has it
  // Nothing of it has turned up to time t.
  virtual bool only_translated(double) const { return false; }
  // p'' where a run begins; prescribed: accelerations of what is prescribed.
  virtual VecX first_acceleration(double t, const VecX& p, const VecX& prescribed) = 0;
  virtual double instant() const { return 0; }  // [s] over which it is differenced there; 0: not at all
};

// Of the vertices under the constraints of a model, from knot to knot. Both must outlive this.
class SolvedPath : public EquilibriumPath {
 public:
  SolvedPath(const Model& model, StaticTrack& track) : model_(model), track_(track) {}
  VecX at(double t) override { return track_.at(t); }
  VecX derivative_at(double t, int derivative) override { return track_.derivative_at(t, derivative); }
  bool is_shape() const override { return track_.is_shape(); }
  bool only_translated(double t) const override { return track_.only_translated(t); }
  VecX first_acceleration(double t, const VecX& p, const VecX& prescribed) override;
  double instant() const override { return track_.knot_spacing() / 16; }

 private:
  const Model& model_;
  StaticTrack& track_;
};

// Positions of all vertices as a track has them.
class GivenPath : public EquilibriumPath {
 public:
  GivenPath(std::shared_ptr<const Track> positions, VecX rest)
      : positions_(std::move(positions)), rest_(std::move(rest)) {}
  VecX at(double t) override { return positions_->at(t) - rest_; }
  VecX derivative_at(double t, int derivative) override { return positions_->at(t, derivative); }
  VecX first_acceleration(double t, const VecX&, const VecX&) override { return positions_->at(t, 2); }

 private:
  std::shared_ptr<const Track> positions_;
  VecX rest_;
};

}  // namespace supple
