// p(t): the equilibrium that follows the driven points.
//
// It is solved for at knots, evenly spaced in time, and interpolated between them by the same local quintic that makes
// the driven points' motion smooth (anim/local_quintic.h), in the frame of the rigid motion that fits those points
// best. So where p depends linearly on the driven points, or only follows a rigid motion, nothing is lost however far
// apart the knots are, and elsewhere the error is that of a smooth function. Where driven points have only been
// translated, or moved rigidly without gravity, nothing is solved at all.
#pragma once
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "supple/inertia/adjustment.h"
#include "supple/inertia/knot_store.h"
#include "supple/mesh/rigid_fit.h"
#include "supple/sim/static_solver.h"

namespace supple {

struct StaticTrackOptions {
  double knot_spacing = 1.0 / 24;  // [s]
  double tolerance = 1e-6;
  std::string linear_solver = "auto";
  VecX first_guess;     // displacement from rest that the first solve starts from, as seen from the driven points
  int kept_knots = 12;  // how many are remembered: times asked for may fall back by that many, less six
  // Interpolate where the vertices are, and not where they are as seen from the rigid motion: five-point stencils are
  // of the former.
  bool in_world = false;
  int n_bystanders = 0;  // vertices beyond those of the model: p is 0 there
  // Factors of elastic forces and of gravity over time.
  FactorKeys stiffness, gravity;
  // Positions of all vertices that stand for the equilibrium; null: it is solved for.
  std::shared_ptr<const Track> given;
  bool given_is_shape = false;  // which strains count from: it moves as that track says, over cuts too
};

// A jump of p from one branch of equilibria to another, bridged smoothly.
struct BranchJump {
  double t = 0;         // [s]
  double distance = 0;  // largest distance jumped [m]
  int vertex = -1;      // where
};

class StaticTrack {
 public:
  StaticTrack(const Model& model, const Drive& drive, StaticTrackOptions options);

  // p at time t. Times must not fall back by more than a few knots; each new knot is solved for from those before it.
  const VecX& at(double t);
  // Rate (1) or acceleration (2) of the interpolant, in world coordinates only: at knots these are five-point stencils.
  VecX derivative_at(double t, int derivative);
  // Whether the driven points have only ever been translated, up to time t: p has not turned anywhere.
  bool only_translated(double t) const { return t < turned_since_; }

  bool is_shape() const { return options_.given_is_shape; }
  // Whether the drive is cut after t0, up to t1.
  bool is_cut(double t0, double t1) const;

  // Where knots are looked for before they are solved for, and kept. Before the first time asked for.
  void set_store(std::shared_ptr<KnotStore> store) { store_ = std::move(store); }

  // Of all knots up to now, whether they were solved for here or found in the store.
  int solves() const { return solves_; }
  int unconverged() const { return unconverged_; }  // knots at which p is only the best found
  int newton_iterations() const { return newton_iterations_; }
  const std::vector<BranchJump>& jumps() const { return jumps_; }
  double knot_spacing() const { return options_.knot_spacing; }

  // The knots that later ones start from, and what was found on the way: part of a checkpoint.
  struct Memory {
    std::vector<double> numbers;
    std::vector<VecX> vectors;
  };
  Memory memory() const;
  void set_memory(const Memory& memory);

 private:
  struct Load {
    double stiffness = 1, gravity = 1;
    bool operator==(const Load&) const = default;
  };
  struct Knot {
    VecX p;       // as solved
    VecX raw;     // the same as seen from the rigid motion
    VecX local;   // and with branch jumps bridged
    VecX sample;  // what is interpolated: `local`, or the same in the world
    VecX points;  // driven points
    Load load;
  };
  double time_of(long k) const { return static_cast<double>(k) * options_.knot_spacing; }
  RigidMotion motion(const VecX& points) const;
  VecX to_local(const VecX& p, const RigidMotion& m) const;
  VecX to_world(const VecX& local, const RigidMotion& m) const;
  Load load_at(double t) const { return {options_.stiffness.at(t), options_.gravity.at(t)}; }
  const Knot& knot(long k);
  bool find_knot(long k, uint64_t of, Knot& knot);  // in the store
  SolvedKnot solve_knot(long k, Knot& knot);
  VecX extrapolated(long k) const;  // `raw` of knot k from those before it, two at least
  void make_factor();               // as it is to be after the last knot
  void watch_branch(long k, Knot& knot);
  double bending_of_drive(long k, const Knot& knot) const;
  // p without a solve, where the first solution is only moved along.
  enum class Follows { no, translated, turned };
  VecX with_bystanders(VecX p) const;
  Follows follow_first(const VecX& points, const Load& load, VecX& p) const;
  VecX interpolate(double t, int derivative);

  const Model& model_;
  Drive drive_;
  StaticTrackOptions options_;
  StaticSolver solver_;
  VecX rest_points_;
  std::vector<double> cuts_;
  bool turns_;       // p turns with the driven points: every material but the linear one
  bool weightless_;  // no gravity
  std::map<long, Knot> knots_;
  Knot first_;  // the first solution, with the points it belongs to
  double turned_since_ = std::numeric_limits<double>::infinity();
  VecX bridge_;           // what a branch jump left: old minus new branch, in the local frame
  long bridge_knot_ = 0;  // the knot it began at
  double cached_t_ = 0;
  VecX cached_;
  int solves_ = 0, unconverged_ = 0, newton_iterations_ = 0;
  std::vector<BranchJump> jumps_;
  std::shared_ptr<KnotStore> store_;
  long ticket_ = -1;                          // of the store; -1: not in use
  std::shared_ptr<const FactorMark> factor_;  // after the last knot; null: none
  bool has_factor_ = true;                    // the solver has it
};

// The longest of a field's vectors, which lie one after the other.
double largest_move(const VecX& field);

// How far apart knots may be: the largest of frame / 1, 2, 4, ... steps a frame at which the interpolated p misses the
// solved one, in the middle of the intervals where the drive changes most, by little beside how much it bends there.
// Between times t0 and t1; never closer than the step.
// enough: what is known of so many knots a frame, and what is found.
double choose_knot_spacing(const Model& model, const Drive& drive, StaticTrackOptions options, double frame,
                           double step, double t0, double t1, std::map<int, bool>* enough = nullptr);

// q_i = R_i^T (u_i - p_i), the dynamic displacement in the local frames of p.
VecX local_displacement(const class VertexFrames& frames, const VecX& u, const VecX& p);
// And back: u_i = p_i + R_i q_i.
VecX world_displacement(const class VertexFrames& frames, const VecX& q, const VecX& p);

}  // namespace supple
