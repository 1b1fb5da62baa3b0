#include "supple/inertia/periodic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/loop_track.h"
#include "supple/base/error.h"
#include "supple/base/staged_work.h"
#include "supple/inertia/state_mixing.h"

namespace supple {

namespace {

constexpr double kWorse = 2;           // a mixed start that closes so many times worse than the best is taken back
constexpr double kSmallestRms = 1e-5;  // of the size: below this nothing is to be seen
constexpr int kLongestFade = 12;
constexpr double kMostBytes = 1e9;  // for the steps of a period
constexpr const char* kSearchStage = "warming up";
constexpr int kSearchParts = 100;

class Search {
 public:
  Search(Simulation& sim, const PeriodicOptions& o, const Watch& watch)
      : sim_(sim), o_(o), watch_(watch), mass_(*sim.model().mass()), mixing_(sim.model()) {
    fade_frames_ = std::min(o.fade_frames > 0 ? o.fade_frames : std::min(o.frames / 4, kLongestFade), o.frames);
  }

  PeriodicResponse run() {
    PeriodicResponse out;
    sim_.start(true);
    State x = sim_.state();
    remember_ = sim_.spec().drive.shape && !sim_.model().contact() && bytes_of_period(x) <= kMostBytes;
    bool is_mixed = false;
    double best = INFINITY;
    while (out.periods < o_.max_periods) {
      Turn turn;
      try {
        turn = period(x);
      } catch (const SimulationFailure& failure) {
        if (out.periods == 0) throw;
        // A start of one's own can be beyond what the steps can take; an end that was reached cannot.
        n_turns_ = ++out.periods;
        if (!is_mixed) {
          out.trouble = failure.what();
          break;
        }
        turns_.clear();
        x = best_end_;
        is_mixed = false;
        continue;
      }
      n_turns_ = ++out.periods;
      const double error = norm(turn.end.u - turn.start.u, turn.end.v - turn.start.v) / rms_;
      if (!std::isfinite(error)) {
        out.trouble = "the response is not finite";
        break;
      }
      const bool worse = error > kWorse * best;
      if (error < best) {
        best = out.closing_error = error;
        best_end_ = turn.end;
        note_best(turn, out);
      }
      watch_.note(fmt::format("the loop, period {}: open by {:.2g} %", out.periods, 100 * error));
      if (error <= std::max(o_.tolerance, o_.good_enough)) {
        out.closed = true;
        if (error <= o_.tolerance) out.fade = {};
        break;
      }
      if (is_mixed && worse) {
        turns_.clear();
        x = best_end_;
        is_mixed = false;
        continue;
      }
      turns_.push_back(std::move(turn));
      if (static_cast<int>(turns_.size()) > o_.mixed) turns_.erase(turns_.begin());
      x = mixing_.next(turns_, carries_);
      is_mixed = turns_.size() > 1;
    }
    sim_.start_with(out.start);
    if (remember_) sim_.hand_out(std::move(best_steps_));
    return out;
  }

 private:
  double bytes_of_period(const State& x) const {
    const auto numbers = x.u.size() + x.v.size() + x.a.size() + x.strain.size() + x.strain_rate.size() + x.p.size() +
                         x.p_rate.size() + x.p_accel.size();
    return 8.0 * static_cast<double>(numbers) * o_.frames * sim_.spec().substeps;
  }

  void tell(double of_period) const {
    watch_.progress(fmt::format("{}, period {}", kSearchStage, n_turns_ + 1),
                    done_after_rounds(n_turns_ + of_period, kSearchParts), kSearchParts);
  }

  // One period from x. Notes RMS of q and of its rate, and q of the last frames.
  Turn period(const State& x) {
    sim_.start_with(x);
    last_q_.clear(), steps_.clear();
    const VecX at_start = sim_.q();
    VecX before = at_start;
    double q2 = 0, rate2 = 0;
    const long steps = static_cast<long>(o_.frames) * sim_.spec().substeps;
    std::vector<VecX> beside = {at_start};  // q at the seam: of the first two steps, and of the last two
    for (long k = 1; k <= steps; ++k) {
      if (watch_.cancelled()) throw Cancelled();
      if (k % sim_.spec().substeps == 0) tell(static_cast<double>(k) / static_cast<double>(steps));
      if (k - 1 == steps - static_cast<long>(fade_frames_) * sim_.spec().substeps) last_q_.push_back(before);
      const StepReport report = sim_.step();
      if (remember_) steps_.push_back(sim_.taken(report));
      VecX q = sim_.q();
      const VecX change = (q - before) / sim_.step_length();
      q2 += q.dot(mass_.multiply(q)), rate2 += change.dot(mass_.multiply(change));
      if (!last_q_.empty() && (steps - k) % sim_.spec().substeps == 0) last_q_.push_back(q);
      if (k <= 2 || k >= steps - 2) beside.push_back(q);
      before.swap(q);
    }
    const double m = mass_.total() * static_cast<double>(steps);
    rms_ = std::max(std::sqrt(q2 / m), kSmallestRms * sim_.model().size());
    // 1/w: how far a velocity carries.
    carries_ = rate2 > 0 ? std::sqrt(q2 / rate2) : 0;
    seam_q_ = std::move(beside);
    Turn turn{.start = x, .end = carried(sim_.state(), sim_.model().mesh().vertices, inverse(o_.carry))};
    turn.end.t = x.t;
    return turn;
  }

  // What is recorded if no period closes better. One that is remembered is recorded itself, and what its end misses its
  // start by, in place and in pace, is laid over its last frames; else the next one is, which begins where it ended.
  void note_best(const Turn& turn, PeriodicResponse& out) {
    out.start = remember_ ? turn.start : turn.end;
    out.fade = {o_.frames, last_q_};
    if (!remember_) return;
    best_steps_ = steps_;
    const std::vector<VecX>& q = seam_q_;
    if (q.size() < 6) return;
    const size_t n = q.size();
    const double two = 2 * sim_.step_length();
    const VecX place = q[0] - q[n - 1];
    const VecX pace = (4 * q[1] - 3 * q[0] - q[2] - 3 * q[n - 1] + 4 * q[n - 2] - q[n - 3]) / two;
    const int frames = static_cast<int>(out.fade.q.size()) - 1;
    for (int k = 0; k <= frames; ++k)
      out.fade.q[static_cast<size_t>(k)] += place + (k - frames) * sim_.spec().frame * pace;
  }

  double norm(const VecX& du, const VecX& dv) const {
    return std::sqrt((du.dot(mass_.multiply(du)) + carries_ * carries_ * dv.dot(mass_.multiply(dv))) / mass_.total());
  }

  Simulation& sim_;
  const PeriodicOptions& o_;
  const Watch& watch_;
  const Mass& mass_;
  StateMixing mixing_;
  int fade_frames_;
  bool remember_ = false;  // the steps of a period
  int n_turns_ = 0;        // periods so far
  std::vector<Turn> turns_;
  State best_end_;
  std::vector<Simulation::Taken> steps_, best_steps_;
  std::vector<VecX> last_q_, seam_q_;
  double rms_ = 0, carries_ = 0;
};

}  // namespace

State carried(const State& state, const Points& rest, const RigidMotion& m) {
  State s = state;
  const VecX at_rest = flatten(rest);
  s.u = carried(m, VecX(at_rest + state.u)) - at_rest;
  s.v = turned(m, state.v), s.a = turned(m, state.a);
  if (state.p.size() > 0) {
    s.p = carried(m, VecX(at_rest + state.p)) - at_rest;
    s.p_rate = turned(m, state.p_rate), s.p_accel = turned(m, state.p_accel);
  }
  return s;
}

PeriodicResponse find_periodic(Simulation& simulation, const PeriodicOptions& options, const Watch& watch) {
  simulation.keep_knots();
  return Search(simulation, options, watch).run();
}

VecX SeamFade::shown(Simulation& simulation, int frame) const {
  const int steps = static_cast<int>(q.size()) - 1, k = frame - (seam - steps);
  if (empty() || k <= 0 || k > steps) return simulation.state().u;
  const double s = static_cast<double>(k) / steps, w = s * s * s * (10 + s * (6 * s - 15));
  return simulation.displacement_of((1 - w) * simulation.q() + w * q[static_cast<size_t>(k)]);
}

}  // namespace supple
