// p(t): the equilibrium that follows the driven points, and what the flesh does beyond it.
#pragma once
#include <memory>

#include "supple/inertia/frames.h"
#include "supple/sim/static_solver.h"

namespace supple {

class StaticTrack {
 public:
  StaticTrack(const Model& model, Drive drive, const std::string& linear_solver, double tolerance);

  // p at time t; times must not decrease much from call to call (each solve starts from the last). While the driven
  // points have only been translated, p is the first solution translated, without a solve.
  const VecX& at(double t);

  int solves() const { return solves_; }
  int unconverged() const { return unconverged_; }  // times p is only the best found
  int newton_iterations() const { return newton_iterations_; }

  // What later solves start from: part of a checkpoint.
  struct History {
    VecX p, last;              // the last two solutions, empty where there is none
    VecX first, first_points;  // the first solution and the driven points it belongs to
  };
  const History& history() const { return history_; }
  void set_history(History h) { history_ = std::move(h); }

  // q_i = R_i^T (u_i - p_i), the dynamic displacement in the local frames of p.
  VecX local_displacement(const VecX& u, const VecX& p) const;

 private:
  const Model& model_;
  Drive drive_;
  StaticSolver solver_;
  VertexFrames frames_;
  History history_;
  int solves_ = 0, unconverged_ = 0, newton_iterations_ = 0;
};

// Eq. 5: A accumulates over steps of length h; A_rms = A / sqrt(time).
class Amplitude {
 public:
  explicit Amplitude(const Mass& mass) : mass_(mass) {}
  // Adds a step. rms: sqrt(<Mq, q> / m) of this instant [m]; peak: largest |q_i| [m].
  void add(const VecX& q, double h);
  double value() const;      // A [m sqrt(s)]
  double time_mean() const;  // A / sqrt(t) [m]
  double rms = 0, peak = 0, largest_peak = 0;
  double integral = 0, time = 0;  // what a checkpoint keeps

 private:
  const Mass& mass_;
};

}  // namespace supple
