// Something that takes part in every stage of every step and is not of the model: adjusted inertia, factors over time.
#pragma once
#include "supple/energy/term.h"
#include "supple/solve/stage.h"

namespace supple {

struct State;

class Driver {
 public:
  virtual ~Driver() = default;
  // Its force; null when it has none.
  virtual const Term* term() const = 0;
  // Factors of the moment on the model's forces.
  struct Scales {
    double stiffness = 1, damping = 1, gravity = 1;
  };
  virtual bool scales_vary() const = 0;
  virtual Scales scales(double t) const = 0;

  // Fills its share of a state that begins a run: t, u and v are known, and a of what is prescribed. Afterwards its
  // term stands for that instant.
  virtual void start(State& state) = 0;
  // Makes the term ready for a stage that ends at time t of the drive, in a step that began with `n`. The stages of a
  // step come in order; a step may be begun again.
  virtual void stage(const State& n, const StageRule& rule, double t) = 0;
  // After the last stage: its share of the new state.
  virtual void finish(State& next) const = 0;
  // The drive has jumped, and the flesh and this driver's share of the state were taken along rigidly to time t.
  virtual void cut(State& state, double t) = 0;
};

}  // namespace supple
