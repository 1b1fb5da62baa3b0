// Eq. 5 of adjustable constrained dynamics: how much the flesh moves beyond its equilibrium.
#pragma once
#include "supple/fem/mass.h"

namespace supple {

// A accumulates over steps of length h; it is not divided by the duration. A / sqrt(time) is a mean displacement.
class Amplitude {
 public:
  explicit Amplitude(const Mass& mass) : mass_(mass) {}
  // Adds a step. rms: sqrt(<Mq, q> / m) of this instant [m]; peak: largest |q_i| [m].
  void add(const VecX& q, double h);
  // The instant alone: of a step that does not count.
  void look(const VecX& q);
  double value() const;      // A [m sqrt(s)]
  double time_mean() const;  // A / sqrt(t) [m]
  double rms = 0, peak = 0, largest_peak = 0;
  double integral = 0, time = 0;  // what a checkpoint keeps

 private:
  const Mass& mass_;
};

}  // namespace supple
