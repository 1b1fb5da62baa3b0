// A body taken through its shot: stepper, static track, adjusted inertia and amplitude together, step by step. Runs,
// trials of a search and searches for a loop are all made of this.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "supple/inertia/adjusted_inertia.h"
#include "supple/inertia/amplitude.h"
#include "supple/sim/checkpoint.h"

namespace supple {

struct SimulationSpec {
  Drive drive;
  Adjustment adjustment;
  StepperOptions stepper;
  double frame = 1.0 / 24;        // [s] length of a frame
  int substeps = 1;               // steps a frame
  double t_start = 0, t_end = 0;  // [s]
  VecX first_guess;               // for p at the start, as seen from the driven points; empty: the rest shape
  // Positions of all vertices of the body that departures count from, in place of its equilibrium: nothing is solved
  // but where it starts. Only with plain inertia.
  std::shared_ptr<const Track> followed;
  bool solve_every_step = false;       // p is solved for at every step, not at knots as far apart as accuracy allows
  std::shared_ptr<KnotLibrary> knots;  // solved ones, of this and other simulations; null: none are kept
  // Where the first points in contact are drawn, which is not where the equilibrium carries them: contact is between
  // surfaces as delivered, as drawn plus u - p. Null: as carried.
  std::shared_ptr<const Track> drawn_contact;
  VecX bystander_velocity;  // of other bodies' vertices at the start [m/s], flat; empty: they stand still
  // Where the drive is cut the flesh begins anew, settled and moving as its equilibrium does; else it goes on as it
  // was.
  bool settles_at_cuts = false;
};

class Simulation {
 public:
  // The model must outlive this.
  Simulation(const Model& model, SimulationSpec spec);
  ~Simulation();

  // Begins at t_start (or earlier) in equilibrium: at rest, or moving as the equilibrium moves. About a drawn shape
  // with another weight than it was drawn under: settled there.
  void start(bool moving, double earlier_s = 0);
  // Begins with a state of one's own; p's share of it is filled in.
  void start_at(double t, const VecX& u, const VecX& v);
  // Begins with a whole state, such as one that was simulated. p is solved for anew, and amplitude counted anew.
  void start_with(State state);
  // One step. Amplitude is counted from t_start on, but for steps over a cut. On an exception nothing has changed but
  // the track's memory.
  StepReport step();
  // Steps that were taken from t_start on, to be had again: `step` hands them out for as long as there are some.
  struct Taken {
    State state;  // after it
    StepReport report;
    KeptFactor::Mark factor;
  };
  Taken taken(const StepReport& report) const { return {state_, report, stepper_->factor_mark()}; }
  void hand_out(std::vector<Taken> steps) { ahead_ = std::move(steps); }

  double step_length() const { return h_; }
  long steps_done() const { return steps_; }   // from t_start; negative before it
  long steps_taken() const { return taken_; }  // solved since it was made: failed attempts, halves and periods too
  const State& state() const { return state_; }
  const VecX& p() { return track_->at(state_.t); }                                     // 0 for other bodies
  const VecX& q();                                                                     // of the model's own vertices
  VecX displacement_of(const VecX& q) { return world_displacement(frames_, q, p()); }  // u that has this q
  Amplitude& amplitude() { return amplitude_; }
  Stepper& stepper() { return *stepper_; }
  const StaticTrack& track() const { return *track_; }
  // Knots of p are remembered from the first one on: for simulations that are started more than once. Before the first.
  void keep_knots();
  const std::shared_ptr<KnotStore>& knots() const { return knots_; }
  const std::string& knots_key() const { return knots_key_; }  // what they depend on; empty: no library was given
  const AdjustedInertia* adjusted() const { return driver_.get(); }
  const Model& model() const { return model_; }
  const SimulationSpec& spec() const { return spec_; }

  // To go back by up to a frame: p at knots already solved for does not depend on when it is asked for.
  struct Mark {
    State state;
    long steps;
    double integral, time, largest_peak;
    KeptFactor::Mark factor;
  };
  Mark mark() const;
  void rewind(const Mark& mark);

  // Everything that later steps depend on, and back.
  void save(Checkpoint& c) const;
  void load(const Checkpoint& c);

  double static_seconds() const;
  double force_seconds() const { return driver_ ? driver_->force_seconds() : 0; }
  double dynamic_seconds() const;  // stepping without the two above

 private:
  // The step that led here if it is one that was handed out, else null.
  const Taken* handed_out() const {
    return steps_ > 0 && steps_ <= static_cast<long>(ahead_.size()) ? &ahead_[static_cast<size_t>(steps_) - 1]
                                                                    : nullptr;
  }
  KeptFactor::Mark factor_mark() const { return handed_out() ? handed_out()->factor : stepper_->factor_mark(); }
  VecX prescribed_contact(const std::shared_ptr<const Track>& obstacles, double t);
  void p_motion(double t, VecX& p, VecX& rate);
  VecX settled_at(double t, VecX p);
  void begin_anew(State& state);
  bool bears_its_weight(double t) const;
  std::string static_key(const StaticTrackOptions& options) const;

  const Model& model_;
  SimulationSpec spec_;
  double h_;
  Model statics_;  // the body as its equilibria see it
  VertexFrames frames_;
  std::string knots_key_;
  std::shared_ptr<KnotStore> knots_;
  std::unique_ptr<StaticTrack> track_;
  StaticTrack::Memory blank_;  // of the track when nothing was solved for
  std::unique_ptr<AdjustedInertia> driver_;
  std::unique_ptr<Stepper> stepper_;
  Amplitude amplitude_;
  State state_;
  VecX q_;  // of the state; empty: not asked for yet
  long steps_ = 0, taken_ = 0;
  std::vector<Taken> ahead_;  // from t_start on
  double static_s_ = 0, step_s_ = 0;
};

}  // namespace supple
