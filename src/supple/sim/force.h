// A force of one's own on a body that is stepped: derive from this, say what the force is (energy/term.h), and hand it
// to the stepper as its driver.
#pragma once
#include "supple/sim/driver.h"

namespace supple {

class Force : public Term, public Driver {
 public:
  // It is asked for at time t next; for forces that change with time.
  virtual void at(double /*t*/) {}

  std::string name() const override { return "force"; }
  void couple(PatternBuilder& /*pattern*/) const override {}  // each vertex by itself
  bool has_energy() const override { return false; }

  const Term* term() const final { return this; }
  bool scales_vary() const override { return false; }
  Scales scales(double /*t*/) const override { return {}; }
  void start(State& state) override;
  void stage(const State& /*n*/, const StageRule& /*rule*/, double t) override { at(t); }
  void finish(State& /*next*/) const override {}
  void cut(State& /*state*/, double t) override { at(t); }
};

}  // namespace supple
