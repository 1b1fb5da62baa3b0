#include "supple/scene/curves_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/base/error.h"
#include "supple/base/timer.h"
#include "supple/rigspace/rig_inertia.h"

namespace supple {

namespace {

constexpr double kClosed = 0.005;  // of the swing: a seam that no one sees
constexpr int kMostCycles = 10;
constexpr double kMomentLater = 5e-4;   // [s]
constexpr double kSeamShare = 1.0 / 3;  // of a cycle, over which what is left of the seam fades

// A track that repeats.
class Repeated : public Track {
 public:
  Repeated(std::shared_ptr<const Track> base, double period) : base_(std::move(base)), period_(period) {}
  int n_points() const override { return base_->n_points(); }
  double duration() const override { return base_->duration(); }
  VecX at(double t, int derivative) const override {
    return base_->at(t - period_ * std::floor(t / period_ + 1e-12), derivative);
  }

 private:
  std::shared_ptr<const Track> base_;
  double period_;
};

class LayerRun {
 public:
  LayerRun(const CurvesSetup& setup, CurvesLayer& layer, const CurvesHooks& hooks)
      : setup_(setup), layer_(layer), hooks_(hooks), time_(setup.rig.time) {
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
    make_stepper();
    if (setup_.config.curves.motion == "static")
      still();
    else if (time_.loop)
      loop();
    else
      through();
    deliver();
    return std::move(out_);
  }

 private:
  bool stop_asked() const { return hooks_.cancelled && hooks_.cancelled(); }
  void tell(int frame) const {
    if (hooks_.progress) hooks_.progress(layer_.name, frame, std::max(1, time_.n_frames - 1));
  }

  void make_stepper() {
    stepper_ = std::make_unique<RigStepper>(*layer_.body, layer_.free, layer_.keyed, layer_.options, nullptr,
                                            layer_.targets, layer_.obstacles);
    const double epsilon = layer_.numbers.scalings.epsilon;
    if (epsilon == 1 || setup_.config.curves.motion == "static") return;
    // Scaled inertia is about the equilibrium of every moment.
    if (hooks_.note) hooks_.note(fmt::format("layer {}: where it hangs at every frame", layer_.name));
    RigEquilibria found = rig_equilibria(*stepper_, 0, time_.fps, time_.n_frames, hooks_.cancelled);
    out_.totals.unconverged = found.unconverged;
    if (layer_.reduced)
      for (VecX& p : found.parameters) p = layer_.reduced->expand(p);
    out_.equilibria = std::move(found.parameters);
    std::shared_ptr<const Track> track = found.track;
    if (time_.loop) track = std::make_shared<Repeated>(track, (time_.n_frames - 1) / time_.fps);
    Adjustment adjustment;
    adjustment.epsilon = VecX::Constant(layer_.body->n_vertices(), epsilon);
    inertia_ = std::make_unique<RigInertia>(*layer_.body, track, std::move(adjustment));
    stepper_ = std::make_unique<RigStepper>(*layer_.body, layer_.free, layer_.keyed, layer_.options, inertia_.get(),
                                            layer_.targets, layer_.obstacles);
  }

  RigState begin() {
    const std::string& start = setup_.config.timeline.start;
    const bool moving = start == "moving" || start == "auto";
    std::optional<RigState> settled;
    try {
      settled = stepper_->equilibrium(0);
    } catch (const SimulationFailure&) {
      return stepper_->start(0, moving);  // nothing holds it: it falls from where it is keyed
    }
    if (!moving) return *settled;
    // What is keyed stands still before the first frame: how fast it is shows a moment later.
    RigState state = stepper_->start(kMomentLater, true);
    // Without what an interior out of balance adds to accelerations.
    if (!inertia_) state.body.a += settled->body.a - stepper_->start(kMomentLater, false).body.a;
    state.body.t = 0;
    state.p = settled->p;
    state.body.u = settled->body.u;
    state.body.strain = settled->body.strain;
    state.body.p = settled->body.p;
    return state;
  }

  void frame(RigState& state, double t_end) {
    const Timer timer;
    for (int k = 0; k < layer_.substeps; ++k) {
      if (stop_asked()) throw Cancelled();
      const double t = k + 1 == layer_.substeps ? t_end : state.body.t + setup_.step_h(layer_.substeps);
      const RigStepReport r = stepper_->step(state, t - state.body.t);
      out_.totals.steps += r.substeps;
      out_.totals.iterations += r.iterations;
      out_.totals.factorizations += r.factorizations;
      out_.totals.retries += r.retries;
      out_.totals.inverted_max = std::max(out_.totals.inverted_max, r.inverted);
      out_.totals.contacts_max = std::max(out_.totals.contacts_max, r.contact.pairs);
    }
    out_.totals.step_s += timer.seconds();
    ++out_.totals.frames;
    refit(state);
  }

  // The material of the moment, where the one at hand misses what is asked for by too much.
  void refit(const RigState& state) {
    const double limit = setup_.config.curves.refit;
    if (!(limit > 0) || layer_.stiffness.size() == 0) return;
    const VecX p = layer_.reduced ? layer_.reduced->expand(state.p) : state.p;
    if (!base_body_) base_body_ = with_stiffness(layer_, std::vector<double>(), setup_.rig.rig);
    const double misfit = material_misfit(*base_body_, layer_.base_free, layer_.stiffness,
                                          layer_.body->spec().stiffness, p, state.body.t);
    if (!(misfit > limit)) return;
    const MaterialFit fit = fit_materials(*base_body_, layer_.base_free, layer_.stiffness,
                                          {.ridge = setup_.config.curves.ridge}, p, state.body.t);
    // A fit that does no better is no reason to begin anew.
    if (!(fit.misfit < misfit)) return;
    stepper_.reset();
    inertia_.reset();
    layer_.body = with_stiffness(layer_, fit.stiffness, layer_.rig);
    ++out_.totals.refits;
    make_stepper();
  }

  void through() {
    RigState state = begin();
    states_.push_back(state.p);
    for (int f = 1; f < time_.n_frames; ++f) {
      frame(state, f / time_.fps);
      states_.push_back(state.p);
      tell(f);
    }
  }

  void still() {
    VecX guess;
    for (int f = 0; f < time_.n_frames; ++f) {
      if (stop_asked()) throw Cancelled();
      const Timer timer;
      try {
        guess = stepper_->equilibrium(f / time_.fps, guess).p;
      } catch (const SimulationFailure&) {
        if (f == 0) throw;
        ++out_.totals.unconverged;
      }
      out_.totals.step_s += timer.seconds();
      ++out_.totals.frames;
      states_.push_back(guess);
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
    RigState state = begin();
    for (out_.cycles = 1;; ++out_.cycles) {
      states_ = {state.p};
      double swing = 0;
      for (int f = 1; f <= period; ++f) {
        frame(state, ((out_.cycles - 1) * period + f) / time_.fps);
        states_.push_back(state.p);
        swing = std::max(swing, measure(state.p - layer_.keyed(f / time_.fps)));
        tell(f);
      }
      const double open = measure(states_.back() - states_.front());
      out_.closing_error = swing > 0 ? open / swing : 0;
      if (hooks_.note)
        hooks_.note(
            fmt::format("layer {}: cycle {} is open by {:.2g} %", layer_.name, out_.cycles, 100 * out_.closing_error));
      if (out_.closing_error < kClosed || out_.cycles == kMostCycles) break;
    }
    if (out_.closing_error >= kClosed)
      out_.warnings.push_back(
          fmt::format("layer {}: the loop is open by {:.2g} % of its swing after {} cycles: it fades "
                      "into its beginning",
                      layer_.name, 100 * out_.closing_error, out_.cycles));
    // What is left of the seam fades over the end of the cycle.
    const VecX gap = states_.front() - states_.back();
    const double width = std::max(1.0, kSeamShare * period);
    for (int f = 0; f <= period; ++f) {
      const double s = std::clamp(1 - (period - f) / width, 0.0, 1.0), ease = s * s * s * (10 + s * (6 * s - 15));
      for (int a : layer_.free) states_[static_cast<size_t>(f)][a] += ease * gap[a];
    }
    states_.back() = states_.front();
  }

  // Parameters of the scene's rig, and how far they take the surface from what is keyed.
  void deliver() {
    const auto n = static_cast<Eigen::Index>(states_.size());
    out_.curves.resize(n, static_cast<Eigen::Index>(out_.free.size()));
    if (layer_.reduced) out_.mode_curves.resize(n, static_cast<Eigen::Index>(layer_.free.size()));
    for (Eigen::Index f = 0; f < n; ++f) {
      VecX state = states_[static_cast<size_t>(f)];
      if (layer_.reduced) {
        for (size_t a = 0; a < layer_.free.size(); ++a)
          out_.mode_curves(f, static_cast<Eigen::Index>(a)) = state[layer_.free[a]];
        scale_modes(static_cast<double>(f) / time_.fps, state);
        state = layer_.reduced->expand(state);
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
  const CurvesHooks& hooks_;
  const CurvesTimeline& time_;
  LayerResult out_;
  std::unique_ptr<RigInertia> inertia_;
  std::unique_ptr<RigStepper> stepper_;
  std::unique_ptr<RigBody> base_body_;  // under the scene's rig, for the material
  std::vector<VecX> states_;            // parameters of the layer's rig at every frame
};

// Columns of a table for some parameters of a rig, as differences from rest; those that it has not stay at rest.
MatX samples_of(const CurveTable& table, const std::vector<int>& free, const std::vector<RigParameter>& all,
                int& found) {
  MatX samples = MatX::Zero(table.values.rows(), static_cast<Eigen::Index>(free.size()));
  found = 0;
  for (size_t a = 0; a < free.size(); ++a) {
    const RigParameter& p = all[static_cast<size_t>(free[a])];
    const auto at = std::find(table.names.begin(), table.names.end(), p.name);
    if (at == table.names.end()) continue;
    ++found;
    samples.col(static_cast<Eigen::Index>(a)) = table.values.col(at - table.names.begin()).array() - p.rest;
  }
  return samples;
}

ParameterModes find_modes(const CurvesSetup& setup, size_t k, const CurveSamples& found, const CurvesHooks& hooks) {
  const SceneConfig& config = setup.config;
  std::vector<int> free = setup.rig.free[k];
  const std::vector<RigParameter>& all = setup.rig.rig->parameters();
  MatX samples;
  if (!config.curves.modes_from.empty()) {
    int columns = 0;
    samples = samples_of(read_curves(config.curves.modes_from.path), free, all, columns);
    if (columns == 0)
      throw InputError(config.locate("curves.modes_from"),
                       fmt::format("{} has curves of nothing that is free", config.curves.modes_from.text),
                       "Give curves of the same rig and parameters.");
  } else {
    if (hooks.note) hooks.note(fmt::format("layer {}: a first pass for its modes", setup.plans[k].name));
    CurvesLayer layer = make_layer(setup, k, found);
    const LayerResult first = run_layer(setup, layer, hooks);
    free = first.free;
    samples = first.curves;
    for (size_t a = 0; a < free.size(); ++a)
      samples.col(static_cast<Eigen::Index>(a)).array() -= all[static_cast<size_t>(free[a])].rest;
  }
  std::vector<std::string> names;
  VecX units(static_cast<Eigen::Index>(free.size()));
  for (size_t a = 0; a < free.size(); ++a) {
    names.push_back(all[static_cast<size_t>(free[a])].name);
    units[static_cast<Eigen::Index>(a)] = all[static_cast<size_t>(free[a])].unit;
  }
  return learn_modes(names, samples, units, setup.plans[k].modes);
}

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

LayerResult run_layer(const CurvesSetup& setup, CurvesLayer& layer, const CurvesHooks& hooks) {
  return LayerRun(setup, layer, hooks).go();
}

CurvesResult run_curves(const CurvesSetup& setup, const CurvesHooks& hooks) {
  const Timer timer;
  CurvesResult out;
  out.samples = setup.keys;
  for (size_t k = 0; k < setup.plans.size(); ++k) {
    std::optional<ParameterModes> modes;
    if (setup.plans[k].modes > 0) modes = find_modes(setup, k, out.samples, hooks);
    CurvesLayer layer = make_layer(setup, k, out.samples, modes ? &*modes : nullptr);
    LayerResult result = run_layer(setup, layer, hooks);
    result.modes = std::move(modes);
    CurveSamples after = out.samples;
    for (size_t a = 0; a < result.free.size(); ++a)
      after.set(result.free[a], result.curves.col(static_cast<Eigen::Index>(a)));
    result.departure_rms_m = departure(setup, result, out.samples, after);
    out.samples = std::move(after);
    out.layers.push_back(std::move(result));
  }
  out.total_s = timer.seconds();
  return out;
}

}  // namespace supple
