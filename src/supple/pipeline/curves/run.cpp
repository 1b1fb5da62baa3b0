#include "supple/pipeline/curves/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/anim/track_views.h"
#include "supple/base/error.h"
#include "supple/base/staged_work.h"
#include "supple/base/timer.h"
#include "supple/pipeline/curves/modes.h"
#include "supple/pipeline/curves/progress.h"
#include "supple/rigspace/rig_inertia.h"

namespace supple::pipeline::curves {

namespace {

constexpr double kClosed = 0.005;        // of the swing: a seam that no one sees
constexpr double kMomentLater = 5e-4;    // [s]
constexpr double kTrackMoment = 2.5e-3;  // [s] later: beyond the reach of differences of a track
constexpr int kFitsAtStart = 4;
constexpr int kLoopParts = 100;         // that the way to a closed loop is told in
constexpr double kSeamShare = 1.0 / 3;  // of a cycle, over which what is left of the seam fades

// Where a body hangs at every frame, and as a track.
struct Hanging {
  std::shared_ptr<const RigEquilibria> found;  // null: not asked for
  std::shared_ptr<const Track> track;
};

std::string stage_of_layer(const std::string& name) { return name == "all" ? "simulating" : name; }

class LayerRun {
 public:
  // pass: where it stands, and where how far it has come is kept. progress: that it is told to; may be null.
  LayerRun(const CurvesSetup& setup, CurvesLayer& layer, const Watch& watch, Pass& pass, CurvesProgress* progress)
      : setup_(setup),
        layer_(layer),
        watch_(watch),
        time_(setup.rig.time),
        pass_(pass),
        progress_(progress),
        material_(setup, layer) {
    out_.name = layer.name;
    out_.free = layer.base_free;
    for (int i : out_.free) out_.names.push_back(setup.rig.rig->parameters()[static_cast<size_t>(i)].name);
    out_.n_interior = 3 * layer.body->n_interior();
    out_.n_rigged = 3 * static_cast<int>(layer.tets.rigged.size());
    out_.n_parameters = static_cast<int>(layer.free.size());
    out_.tets = layer.tets.mesh;
    out_.substeps = layer.substeps;
    out_.numbers = layer.numbers;
    out_.fit = layer.fit;
    out_.asked_stiffness = layer.stiffness;
    out_.warnings = layer.warnings;
  }

  LayerResult go() {
    const bool is_static = setup_.config.curves.motion == "static";
    if (!pass_.states.empty())
      go_on();
    else
      make_ready(is_static);
    if (!pass_.done) {
      if (is_static)
        still();
      else if (time_.loop)
        loop();
      else
        through();
      pass_.done = true;
      tell_progress();
    }
    describe();
    deliver();
    return std::move(out_);
  }

 private:
  bool stop_asked() const { return watch_.cancelled(); }
  void tell(int frame) const {
    const int frames = std::max(1, time_.n_frames - 1);
    const std::string stage = stage_of_layer(layer_.name);
    if (!time_.loop) return watch_.progress(stage, frame, frames);
    const double rounds = pass_.cycle - 1 + static_cast<double>(frame) / frames;
    watch_.progress(fmt::format("{}, cycle {}", stage, pass_.cycle), done_after_rounds(rounds, kLoopParts), kLoopParts);
  }
  double epsilon() const { return layer_.numbers.scalings.epsilon; }
  bool scaled() const { return epsilon() != 1 && setup_.config.curves.motion != "static"; }

  void make_ready(bool is_static) {
    if (!is_static) fit_at_start();
    make_stepper();
  }

  // From where the pass stands.
  void go_on() {
    const PassMoment& at = pass_.at;
    out_.totals = at.totals;
    out_.fit = at.fit;
    hanging_.found = at.hanging, next_hanging_.found = at.next_hanging;
    if (const auto& last = at.next_hanging ? at.next_hanging : at.hanging) tell_equilibria(*last);
    if (pass_.done) return;
    state_ = at.state;
    material_.set_memory(at.change);
    layer_.body = with_stiffness(layer_, at.stiffness, layer_.rig);
    if (scaled()) {
      bodies_.push_back(with_stiffness(layer_, at.stiffness, layer_.rig));
      for (Hanging* h : {&hanging_, &next_hanging_})
        if (h->found) h->track = track_of(*h->found, *bodies_.back());
      drive(hanging_.track);  // while a material changes the next frame makes all of this anew
    } else {
      stepper_ = new_stepper(*layer_.body);
    }
    stepper_->restore_factor(at.factor);
  }

  // A frame is whole.
  void came_to(const VecX& q) {
    pass_.states.push_back(q);
    if (!progress_) return;
    pass_.at = {.state = state_,
                .factor = stepper_->factor_mark(),
                .totals = out_.totals,
                .stiffness = layer_.body->spec().stiffness,
                .change = material_.memory(),
                .fit = out_.fit,
                .hanging = hanging_.found,
                .next_hanging = next_hanging_.found};
    tell_progress();
  }
  void tell_progress() const {
    if (progress_) progress_->came_to(pass_);
  }

  std::unique_ptr<RigStepper> new_stepper(const RigBody& body, Driver* driver = nullptr) const {
    return std::make_unique<RigStepper>(body, layer_.free, layer_.keyed, layer_.options, driver, layer_.targets,
                                        layer_.obstacles);
  }

  // The material that the pose asks for which the flesh begins in: it has it from the beginning.
  void fit_at_start() {
    if (!(setup_.config.curves.refit > 0) || layer_.stiffness.size() == 0) return;
    for (int k = 0; k < kFitsAtStart; ++k) {
      VecX p = layer_.keyed(0);
      try {
        p = new_stepper(*layer_.body)->equilibrium(0).q;
      } catch (const SimulationFailure&) {  // as keyed, then
      }
      std::optional<MaterialFit> fit = material_.better_at(p, 0);
      if (!fit) return;
      layer_.body = with_stiffness(layer_, fit->stiffness, layer_.rig);
      out_.fit = std::move(fit);
      ++out_.totals.refits;
    }
  }

  void make_stepper() {
    stepper_ = new_stepper(*layer_.body);
    if (!scaled()) return;
    // Scaled inertia is about the equilibrium of every moment.
    hanging_ = where_it_hangs(*stepper_);
    plain_ = std::move(stepper_);
    drive(hanging_.track);
  }

  Hanging where_it_hangs(RigStepper& stepper) {
    watch_.note(fmt::format("layer {}: where it hangs at every frame", layer_.name));
    auto found =
        std::make_shared<const RigEquilibria>(rig_equilibria(stepper, 0, time_.fps, time_.n_frames, watch_.cancelled));
    out_.totals.unconverged = found->unconverged;
    tell_equilibria(*found);
    return {found, in_time(found->track)};
  }
  void tell_equilibria(const RigEquilibria& found) {
    out_.equilibria = found.parameters;
    if (!layer_.reduced) return;
    for (size_t f = 0; f < found.parameters.size(); ++f)
      out_.equilibria[f] = layer_.reduced->expand(found.parameters[f], static_cast<double>(f) / time_.fps);
  }
  std::shared_ptr<const Track> in_time(std::shared_ptr<const Track> track) const {
    return time_.loop ? repeated(std::move(track), (time_.n_frames - 1) / time_.fps) : track;
  }
  std::shared_ptr<const Track> track_of(const RigEquilibria& found, const RigBody& body) const {
    return in_time(equilibria_track(found, body, 0, time_.fps, layer_.options.cuts));
  }

  void drive(std::shared_ptr<const Track> hanging) {
    Adjustment adjustment;
    adjustment.epsilon = VecX::Constant(layer_.body->n_vertices(), epsilon());
    inertia_ = std::make_unique<RigInertia>(*layer_.body, std::move(hanging), std::move(adjustment));
    stepper_ = new_stepper(*layer_.body, inertia_.get());
  }

  State begin() {
    const std::string& start = setup_.config.timeline.start;
    const bool moving = start == "moving" || start == "auto";
    std::optional<State> settled = settled_at(0, moving);
    if (settled) return std::move(*settled);
    pass_.as_keyed = true;
    return stepper_->start(0, moving);
  }

  // In equilibrium; none where none is found.
  std::optional<State> settled_at(double t, bool moving) {
    std::optional<State> settled;
    try {
      settled = stepper_->equilibrium(t);
    } catch (const SimulationFailure&) {
      return {};
    }
    if (!moving) {
      // Whatever the keys do next.
      settled->a.setZero();
      if (inertia_) settled->p_accel.setZero();
      return settled;
    }
    // What is keyed stands still before the first frame: how fast it is shows a moment later.
    State state = stepper_->start(t + kMomentLater, true);
    // Without what a body out of balance adds to accelerations: it is to begin in balance.
    RigStepper& plain = inertia_ ? *plain_ : *stepper_;
    if (inertia_) state.a = plain.start(t + kMomentLater, true).a;
    state.a += plain.equilibrium(t).a - plain.start(t + kMomentLater, false).a;
    if (inertia_) {
      // The share of inertia that is taken away is that of the equilibria.
      state.p_accel = hanging_.track->at(t + kTrackMoment, 2);
      state.a = epsilon() * state.a + (1 - epsilon()) * state.p_accel;
    }
    state.t = t;
    state.q = settled->q;
    state.u = settled->u;
    state.strain = settled->strain;
    state.p = settled->p;
    return state;
  }

  void frame(double t_end) {
    const Timer timer;
    if (material_.under_way()) change_material(t_end);
    for (int k = 0; k < layer_.substeps; ++k) {
      if (stop_asked()) throw Cancelled();
      const double t = k + 1 == layer_.substeps ? t_end : state_.t + setup_.step_h(layer_.substeps);
      const StepReport r = stepper_->step(state_, t - state_.t);
      out_.totals.steps += r.substeps;
      out_.totals.iterations += r.newton_iterations;
      out_.totals.factorizations += r.factorizations;
      out_.totals.retries += r.retries;
      out_.totals.inverted_max = std::max(out_.totals.inverted_max, stepper_->count_inverted(state_));
      out_.totals.contacts_max = std::max(out_.totals.contacts_max, r.contact.pairs);
      // Where no equilibrium is found it goes on as it was.
      if (r.cuts > 0 && setup_.config.timeline.cuts == "settle")
        if (std::optional<State> anew = settled_at(state_.t, true)) state_ = std::move(*anew);
    }
    out_.totals.step_s += timer.seconds();
    ++out_.totals.frames;
    if (std::optional<MaterialFit> fit = material_.better_at(state_.q, state_.t)) turn_to(std::move(*fit), t_end);
  }

  // A material for where the body is now.
  void turn_to(MaterialFit fit, double t) {
    material_.begin(fit.stiffness, t);
    out_.fit = std::move(fit);
    ++out_.totals.refits;
    if (!scaled()) return;
    std::unique_ptr<RigBody> body = with_stiffness(layer_, out_.fit->stiffness, layer_.rig);
    next_hanging_ = hanging_;
    try {
      next_hanging_ = where_it_hangs(*new_stepper(*body));
    } catch (const SimulationFailure&) {  // about the equilibria at hand, then
    }
    bodies_.push_back(std::move(body));
  }

  // The body as it is by t.
  void change_material(double t) {
    const double share = material_.share(t);
    std::unique_ptr<RigBody> body = with_stiffness(layer_, material_.field(share), layer_.rig);
    stepper_.reset();
    inertia_.reset();
    plain_.reset();
    if (scaled() && bodies_.size() == 1) bodies_.push_back(std::move(layer_.body));  // that of the first equilibria
    layer_.body = std::move(body);
    if (!scaled())
      stepper_ = new_stepper(*layer_.body);
    else if (share < 1)
      drive(make_function_track(layer_.body->n_vertices(),
                                [from = hanging_.track, to = next_hanging_.track, material = material_.ramp()](
                                    double when, int derivative) -> VecX {
                                  if (derivative > 0) return {};
                                  const double s = material.share(when);
                                  return (1 - s) * from->at(when) + s * to->at(when);
                                }));
    else
      drive((hanging_ = std::exchange(next_hanging_, {})).track);
    if (share >= 1) material_.end();
  }

  void begin_pass() {
    if (!pass_.states.empty()) return;
    state_ = begin();
    came_to(state_.q);
  }

  void through() {
    begin_pass();
    for (int f = static_cast<int>(pass_.states.size()); f < time_.n_frames; ++f) {
      frame(f / time_.fps);
      came_to(state_.q);
      tell(f);
    }
  }

  void still() {
    VecX guess = pass_.states.empty() ? VecX() : pass_.states.back();
    for (int f = static_cast<int>(pass_.states.size()); f < time_.n_frames; ++f) {
      if (stop_asked()) throw Cancelled();
      const Timer timer;
      try {
        guess = stepper_->equilibrium(f / time_.fps, guess).q;
      } catch (const SimulationFailure&) {
        if (f == 0) throw;
        ++out_.totals.unconverged;
      }
      out_.totals.step_s += timer.seconds();
      ++out_.totals.frames;
      came_to(guess);
      tell(f);
    }
  }

  // Rms over the free parameters, in their units.
  double measure(const VecX& d) const {
    double sum = 0;
    for (int a : layer_.free) sum += std::pow(d[a] / layer_.rig->parameters()[static_cast<size_t>(a)].unit, 2);
    return std::sqrt(sum);
  }

  // Cycle after cycle until one is like the one before.
  void loop() {
    const int period = time_.n_frames - 1;
    std::vector<VecX>& states = pass_.states;
    begin_pass();
    for (;; ++pass_.cycle) {
      for (int f = static_cast<int>(states.size()); f <= period; ++f) {
        frame(((pass_.cycle - 1) * period + f) / time_.fps);
        came_to(state_.q);
        tell(f);
      }
      double swing = 0;
      for (int f = 1; f <= period; ++f)
        swing = std::max(swing, measure(states[static_cast<size_t>(f)] - layer_.keyed(f / time_.fps)));
      const double open = measure(states.back() - states.front());
      pass_.closing_error = swing > 0 ? open / swing : 0;
      watch_.note(
          fmt::format("layer {}: cycle {} is open by {:.2g} %", layer_.name, pass_.cycle, 100 * pass_.closing_error));
      if (pass_.closing_error < kClosed || pass_.cycle == kMostCurveCycles) break;
      states = {states.back()};
    }
    // What is left of the seam fades over the end of the cycle.
    const VecX gap = states.front() - states.back();
    const double width = std::max(1.0, kSeamShare * period);
    for (int f = 0; f <= period; ++f) {
      const double s = std::clamp(1 - (period - f) / width, 0.0, 1.0), ease = s * s * s * (10 + s * (6 * s - 15));
      for (int a : layer_.free) states[static_cast<size_t>(f)][a] += ease * gap[a];
    }
    states.back() = states.front();
  }

  // What became of it, beside its curves.
  void describe() {
    if (pass_.as_keyed)
      out_.warnings.push_back(fmt::format(
          "layer {}: no equilibrium was found at the first frame, so it begins as keyed and falls or swings "
          "from there. Nothing that is keyed holds it, or its material is too soft for its weight",
          layer_.name));
    if (!time_.loop || setup_.config.curves.motion == "static") return;
    out_.cycles = pass_.cycle;
    out_.closing_error = pass_.closing_error;
    if (out_.closing_error >= kClosed)
      out_.warnings.push_back(
          fmt::format("layer {}: the loop is open by {:.2g} % of its swing after {} cycles: it fades "
                      "into its beginning",
                      layer_.name, 100 * out_.closing_error, out_.cycles));
  }

  // Parameters of the scene's rig, and how far they take the surface from what is keyed.
  void deliver() {
    const auto n = static_cast<Eigen::Index>(pass_.states.size());
    out_.curves.resize(n, static_cast<Eigen::Index>(out_.free.size()));
    if (layer_.reduced) out_.mode_curves.resize(n, static_cast<Eigen::Index>(layer_.free.size()));
    for (Eigen::Index f = 0; f < n; ++f) {
      VecX state = pass_.states[static_cast<size_t>(f)];
      if (layer_.reduced) {
        for (size_t a = 0; a < layer_.free.size(); ++a)
          out_.mode_curves(f, static_cast<Eigen::Index>(a)) = state[layer_.free[a]];
        scale_modes(static_cast<double>(f) / time_.fps, state);
        state = layer_.reduced->expand(state, static_cast<double>(f) / time_.fps);
      }
      for (size_t a = 0; a < out_.free.size(); ++a) out_.curves(f, static_cast<Eigen::Index>(a)) = state[out_.free[a]];
    }
  }

  // Modes more or less, about what is keyed.
  void scale_modes(double t, VecX& state) const {
    const std::vector<double>& scale = setup_.config.curves.mode_scale;
    if (scale.empty()) return;
    const VecX about = layer_.options.hold_keyed ? layer_.keyed(t) : layer_.rig->rest();
    for (size_t a = 0; a < std::min(scale.size(), layer_.free.size()); ++a) {
      double& r = state[layer_.free[a]];
      r = about[layer_.free[a]] + scale[a] * (r - about[layer_.free[a]]);
    }
  }

  const CurvesSetup& setup_;
  CurvesLayer& layer_;
  const Watch& watch_;
  const CurvesTimeline& time_;
  Pass& pass_;  // its frames are whole ones; parameters there are those of the layer's rig
  CurvesProgress* progress_;
  LayerResult out_;
  State state_;
  MaterialOverTime material_;
  std::vector<std::unique_ptr<RigBody>> bodies_;  // that equilibria are of, beside that of the layer
  Hanging hanging_, next_hanging_;                // of scaled inertia; what they become while a material changes
  std::unique_ptr<RigInertia> inertia_;
  std::unique_ptr<RigStepper> plain_, stepper_;  // without the driver, where there is one; at work
};

// rms over frames and points of what the layer moves.
double departure(const CurvesSetup& setup, const LayerResult& layer, const CurveSamples& before,
                 const CurveSamples& after) {
  const KeyedParameters was = keyed_with(setup.rig.rig, before), is = keyed_with(setup.rig.rig, after);
  double sum = 0, count = 0;
  for (Eigen::Index f = 0; f < layer.curves.rows(); ++f) {
    const double t = static_cast<double>(f) / setup.rig.time.fps;
    const VecX d = setup.rig.rig->evaluate(is(t), t) - setup.rig.rig->evaluate(was(t), t);
    for (Eigen::Index i = 0; i < d.size(); i += 3)
      if (const double l = d.segment<3>(i).squaredNorm(); l > 0) sum += l, count += 1;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace

LayerResult run_layer(const CurvesSetup& setup, CurvesLayer& layer, const Watch& watch, CurvesProgress* progress) {
  Pass alone;
  return LayerRun(setup, layer, watch, progress ? progress->next() : alone, progress).go();
}

CurvesResult run_curves(const CurvesSetup& setup, const Watch& watch, CurvesProgress* progress) {
  const Timer timer;
  std::vector<PlannedStage> ahead;
  for (const auto& plan : setup.plans)
    for (int pass = plan.modes > 0 && setup.config.curves.modes_from.empty() ? 2 : 1; pass > 0; --pass)
      ahead.push_back({stage_of_layer(plan.name), 10});
  ahead.push_back({"writing", 2});
  watch.plan(ahead);
  CurvesResult out;
  out.samples = setup.keys;
  for (size_t k = 0; k < setup.plans.size(); ++k) {
    std::optional<ParameterModes> modes;
    std::vector<std::string> warnings;
    if (setup.plans[k].modes > 0) modes = find_modes(setup, k, out.samples, watch, warnings, progress);
    CurvesLayer layer = make_layer(setup, k, out.samples, modes ? &*modes : nullptr);
    LayerResult result = run_layer(setup, layer, watch, progress);
    result.modes = std::move(modes);
    result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
    CurveSamples after = out.samples;
    for (size_t a = 0; a < result.free.size(); ++a)
      after.set(result.free[a], result.curves.col(static_cast<Eigen::Index>(a)));
    result.departure_rms_m = departure(setup, result, out.samples, after);
    out.samples = std::move(after);
    out.layers.push_back(std::move(result));
  }
  out.total_s = progress ? progress->seconds() : timer.seconds();
  return out;
}

}  // namespace supple::pipeline::curves
