#include "supple/pipeline/curves/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "supple/attach/pattern.h"
#include "supple/base/error.h"
#include "supple/pipeline/curves/handles.h"
#include "supple/pipeline/job/job.h"
#include "supple/pipeline/setup/maps.h"
#include "supple/rigs/differenced_rig.h"
#include "supple/rigspace/rig_inertia.h"

namespace supple::pipeline::curves {

namespace {

constexpr int kMoments = 4;            // of the shot at which what moves is looked for
constexpr double kWhole = 0.7;         // of the tets: more than that is the body itself
constexpr double kLeastFactor = 1e-3;  // on the stiffness of a tet: without any it would fall apart
constexpr size_t kNamesInALine = 6;

void note_files(CurvesSetup& s) {
  Notes notes;
  const SceneConfig& c = s.config;
  if (!c.file.empty()) notes.input({c.file, c.file});
  std::vector<const FilePath*> files = {&c.surface.file, &c.tets.file, &c.curves.keys, &c.curves.modes_from};
  for (const DeformerConfig& d : c.deformers) {
    files.push_back(&d.file);
    for (const FilePath& f : d.shapes) files.push_back(&f);
  }
  for (const CurveHandleConfig& h : c.curve_handles) files.push_back(&h.track);
  for (const FilePath* file : files)
    if (!file->empty() && std::filesystem::is_regular_file(file->path)) notes.input(*file);
  s.inputs = std::move(notes.inputs);
}

// "a, b, c and 4 more"
std::string some_names(const std::vector<int>& which, const std::vector<RigParameter>& all) {
  std::string text;
  for (size_t k = 0; k < std::min(which.size(), kNamesInALine); ++k)
    text += (k == 0 ? "" : ", ") + all[static_cast<size_t>(which[k])].name;
  if (which.size() > kNamesInALine) text += fmt::format(" and {} more", which.size() - kNamesInALine);
  return text;
}

class LayerMaker {
 public:
  LayerMaker(const CurvesSetup& setup, size_t layer, const CurveSamples& found, const ParameterModes* modes)
      : setup_(setup), config_(setup.config), plan_(setup.plans[layer]) {
    out_.name = plan_.name;
    out_.base_free = setup.rig.free[layer];
    out_.base_keyed = keyed_with(setup.rig.rig, found);
    crop();
    if (!modes) {
      out_.rig = setup.rig.rig;
      out_.free = out_.base_free;
      out_.keyed = out_.base_keyed;
      return;
    }
    // Where what is keyed is held, it stays as it is but for what the modes add.
    const bool held = config_.curves.pose == "keyed";
    out_.reduced =
        std::make_shared<SubspaceRig>(setup.rig.rig, *modes, "mode", held ? out_.base_keyed : KeyedParameters());
    out_.rig = out_.reduced;
    out_.base_free.clear();
    for (const std::string& name : modes->parameters)
      for (int i = 0; i < setup.rig.rig->n_parameters(); ++i)
        if (setup.rig.rig->parameters()[static_cast<size_t>(i)].name == name) out_.base_free.push_back(i);
    const int n = out_.rig->n_parameters(), m = static_cast<int>(modes->U.cols());
    for (int i = n - m; i < n; ++i) out_.free.push_back(i);
    out_.keyed = [reduced = out_.reduced, base = out_.base_keyed](double t) { return reduced->reduce(base(t), t); };
  }

  CurvesLayer make() {
    CurvesContact contact =
        curves_contact(config_, setup_.rig, finer_ ? *finer_ : setup_.tets, out_.tets, out_.warnings);
    spec_.model = curves_model(config_, out_.tets, out_.warnings);
    spec_.model.contact = std::move(contact.spec);
    out_.obstacles = std::move(contact.obstacles);
    spec_.rigged = out_.tets.rigged;
    spec_.map = out_.tets.map;
    spec_.interior = config_.curves.interior == "static" ? Interior::fixed : Interior::dynamic;
    calibrate();
    add_handles();
    fit();
    dials();
    out_.body = std::make_unique<RigBody>(spec_, out_.rig);
    out_.options.integrator = integrator_from_name(config_.solver.integrator);
    out_.options.stage_fraction = config_.expert.stage_fraction;
    out_.options.bend_limit = config_.curves.bend;
    out_.options.hold_keyed = config_.curves.pose == "keyed";
    out_.options.cuts = setup_.rig.time.cuts(setup_.rig.time.loop ? kMostCurveCycles : 1);
    // As drawn it hangs at sag 1.
    const Scalings& s = out_.numbers.scalings;
    if (out_.numbers.asked.sag != 1 || config_.expert.mu)
      out_.options.held_gravity = s.chi * s.chi * gravity_of(config_.world);
    out_.options.newton.tolerance = config_.solver.tolerance;
    out_.options.newton.max_iterations = config_.solver.max_newton;
    out_.options.linear_solver = config_.solver.linear;
    const bool exact = out_.rig->has_derivatives();
    out_.options.solver = config_.curves.solver == "newton" || (config_.curves.solver == "auto" && exact)
                              ? RigSolver::newton
                              : RigSolver::quasi_newton;
    return std::move(out_);
  }

 private:
  void crop() {
    const auto rig = with_derivatives(setup_.rig.rig);
    std::vector<std::pair<VecX, double>> moments = {{rig->rest(), 0}};
    const CurvesTimeline& time = setup_.rig.time;
    for (int k = 0; k < kMoments; ++k) {
      const int frame = k * (time.n_frames - 1) / (kMoments - 1);
      const double t = frame / time.fps;
      moments.emplace_back(out_.base_keyed(t), t);
    }
    const Location where = config_.locate(plan_.key);
    out_.tets = crop_tets(setup_.tets, *rig, out_.base_free, config_.curves.margin, moments, where);
    // What takes part is a part of the body: as many tets as the body was to have show it better.
    const bool built = config_.tets.file.empty() && !config_.tets.edge;
    if (built && out_.tets.mesh.n_tets() < kWhole * setup_.tets.mesh.n_tets()) {
      finer_ = finer_tets(config_, setup_.rig, setup_.tets, out_.tets.tet);
      out_.warnings.insert(out_.warnings.end(), finer_->warnings.begin(), finer_->warnings.end());
      out_.tets = crop_tets(*finer_, *rig, out_.base_free, config_.curves.margin, moments, where);
    }
    const IndependentParameters found = independent_parameters(out_.tets, *rig, out_.base_free, moments);
    const auto tell = [&](const std::vector<int>& which, const char* why) {
      if (!which.empty())
        out_.warnings.push_back(fmt::format("layer {}: {} {} as keyed: {}", plan_.name,
                                            some_names(which, rig->parameters()), which.size() == 1 ? "stays" : "stay",
                                            why));
    };
    tell(found.alike, "other free parameters move the same");
    tell(found.idle, found.idle.size() == 1 ? "it moves nothing of the tets" : "they move nothing of the tets");
    out_.base_free = own_free_ = found.own;
  }

  // As all else that is said of the material: about rest, whatever the clip, the weight and the modes are.
  double slowest() const {
    const RigBody body(spec_, setup_.rig.still);
    const RigSwings swings = rig_swings(body, own_free_);
    return swings.hz.size() > 0 ? swings.hz[0] : 0;
  }

  void scale_modulus(double factor) {
    for (MaterialParameters& m : spec_.model.per_tet) m.youngs_modulus *= factor;
  }

  // Young's modulus by the frequency that is wanted, where it is not given.
  void calibrate() {
    out_.numbers.youngs_modulus = config_.material.youngs_modulus.value_or(2e4);
    hz_ = slowest();
    if (config_.material.youngs_modulus || setup_.tets.mesh.tet_maps.count("youngs_modulus")) return;
    if (!(hz_ > 0)) {
      out_.warnings.push_back(
          fmt::format("layer {}: nothing resists what is free, so it has no frequency; Young's "
                      "modulus is {:g} Pa",
                      plan_.name, out_.numbers.youngs_modulus));
      return;
    }
    const double factor = std::pow(plan_.frequency_hz / hz_, 2);
    out_.numbers.youngs_modulus *= factor;
    scale_modulus(factor);
    hz_ = plan_.frequency_hz;
  }

  void add_handles() {
    const CurvesHandles handles = read_handles(config_, setup_.rig, out_.base_keyed);
    if (handles.empty()) return;
    // Beside what resists a vertex that is moved alone.
    const double scale = RigBody(spec_, out_.rig).model().stiffness_scale();
    spec_.handles = handles.points;
    for (double s : handles.strengths) spec_.strengths.push_back(s * scale);
    out_.targets = handles.targets;
  }

  void fit() {
    if (config_.curve_stiffness.empty()) return;
    // Stiffness is asked of parameters also where modes stand for them.
    const std::vector<int>& free = out_.base_free;
    out_.stiffness = VecX::Ones(static_cast<Eigen::Index>(free.size()));
    bool any = false;
    const auto& names = setup_.rig.rig->parameters();
    for (const CurveStiffnessConfig& s : config_.curve_stiffness)
      for (size_t a = 0; a < free.size(); ++a) {
        const std::string& name = names[static_cast<size_t>(free[a])].name;
        if (!matches(s.match, name) && !matches(s.match + ".*", name)) continue;
        out_.stiffness[static_cast<Eigen::Index>(a)] = s.scale;
        any = true;
      }
    if (!any) {
      out_.stiffness.resize(0);
      return;
    }
    const RigBody body(spec_, setup_.rig.still);
    out_.fit = fit_materials(body, free, out_.stiffness, {.ridge = config_.curves.ridge});
    spec_.stiffness = out_.fit->stiffness;
    for (double& mu : spec_.stiffness) mu = std::max(mu, kLeastFactor);
    hz_ = slowest();
  }

  StepRule rule(double hz) {
    out_.substeps = config_.timeline.substeps.value_or(substeps_for(hz, setup_.rig.time.fps));
    return {.integrator = integrator_from_name(config_.solver.integrator),
            .h = setup_.step_h(out_.substeps),
            .stage_fraction = config_.expert.stage_fraction};
  }

  double sag() const {
    if (gravity_of(config_.world) == Vec3::Zero()) return 0;
    return rig_sag(RigBody(spec_, out_.rig), out_.free, out_.keyed, 0);
  }

  // The dials of [controls] as factors [scene/dials.h].
  void dials() {
    const ControlsConfig& c = config_.controls;
    LayerNumbers& n = out_.numbers;
    const double d_m = config_.material.mass_damping.value_or(0);
    const std::optional<double> half_life = half_life_of(config_.material);
    const bool asks_sag = c.sag != 1 || c.sag_m;
    n.baseline.frequency_hz = hz_;
    n.baseline.sag_m = asks_sag ? sag() : std::numeric_limits<double>::quiet_NaN();
    const StepRule before = rule(hz_);
    const double d_k =
        half_life ? damping_for(before, *half_life, hz_, d_m).d_k : config_.material.stiffness_damping.value_or(0);
    n.baseline.half_life_s = before.half_life(hz_, d_k, d_m);
    n.asked = {.frequency = c.frequency_hz && hz_ > 0 ? *c.frequency_hz / hz_ : c.frequency,
               .amplitude = c.amplitude,
               .sag = c.sag,
               .half_life = c.half_life};
    if (c.sag_m) {
      if (!(n.baseline.sag_m > 0))
        throw InputError(config_.locate("controls.sag_m"), "the body does not sag, so its sag cannot be set",
                         "use the ratio sag");
      n.asked.sag = *c.sag_m / n.baseline.sag_m;
    }
    if (c.half_life_s && std::isfinite(n.baseline.half_life_s))
      n.asked.half_life = *c.half_life_s / n.baseline.half_life_s;
    n.scalings = scalings_for(n.asked, c.motion == "sustained");
    const ExpertConfig& e = config_.expert;
    if (e.raw())
      n.scalings = {e.chi.value_or(1), e.mu.value_or(1), e.ck.value_or(1), e.inertia_scale.number.value_or(1)};
    const double chi = n.scalings.chi, hz = chi * hz_;
    spec_ = scaled(std::move(spec_), {.stiffness = chi * chi, .gravity = n.scalings.mu, .damping = 1});
    const StepRule after = rule(hz);
    n.stiffness_damping = e.raw() ? d_k * n.scalings.ck : d_k;
    if (!e.raw() && (half_life || n.asked.half_life != 1 || chi != 1)) {
      const double target = c.half_life_s.value_or(n.asked.half_life * n.baseline.half_life_s);
      const DampingChoice choice = std::isfinite(target) ? damping_for(after, target, hz, d_m) : DampingChoice{};
      n.stiffness_damping = choice.d_k;
      n.damping_limit = choice.limit;
    }
    for (MaterialParameters& m : spec_.model.per_tet) m.stiffness_damping = n.stiffness_damping;
    n.adjusted.frequency_hz = hz;
    n.adjusted.half_life_s = after.half_life(hz, n.stiffness_damping, d_m);
    n.adjusted.sag_m = asks_sag ? sag() : std::numeric_limits<double>::quiet_NaN();
  }

  const CurvesSetup& setup_;
  const SceneConfig& config_;
  const LayerPlan& plan_;
  CurvesLayer out_;
  RigBodySpec spec_;
  double hz_ = 0;
  std::vector<int> own_free_;  // of the scene's rig, also where modes stand for them
  std::optional<CurvesTets> finer_;
};

}  // namespace

std::shared_ptr<const CurvesSetup> set_up_curves(const SceneConfig& config) {
  auto s = std::make_shared<CurvesSetup>();
  s->config = config;
  s->rig = make_curves_rig(config);
  s->plans = layer_plans(config);
  s->tets = make_curves_tets(config, s->rig);
  const CurvesTimeline& time = s->rig.time;
  s->keys = CurveSamples(time.fps, time.n_frames, time.loop, time.jumps);
  const auto& all = s->rig.rig->parameters();
  for (size_t c = 0; c < s->rig.keys.names.size(); ++c)
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].name == s->rig.keys.names[c])
        s->keys.set(static_cast<int>(i), bridged(resampled(s->rig.keys, static_cast<int>(c), time.first, time.n_frames),
                                                 1 / time.fps, time.found));
  s->warnings = s->rig.warnings;
  s->warnings.insert(s->warnings.end(), s->tets.warnings.begin(), s->tets.warnings.end());
  for (size_t k = 0; k < config.curve_stiffness.size(); ++k) {
    const std::string& match = config.curve_stiffness[k].match;
    const std::vector<int> free = s->rig.all_free();
    const auto hit = [&](int i) {
      const std::string& name = all[static_cast<size_t>(i)].name;
      return matches(match, name) || matches(match + ".*", name);
    };
    if (std::none_of(free.begin(), free.end(), hit))
      throw InputError(config.locate(fmt::format("curves.stiffness.{}.match", k)),
                       fmt::format("\"{}\" matches nothing that is free", match),
                       "Name free parameters; supple curves --list prints all that there are.");
  }
  const FilePath& modes = config.curves.modes_from;
  if (!modes.empty() && !std::filesystem::exists(modes.path))
    throw InputError(config.locate("curves.modes_from"), fmt::format("there is no file {}", modes.path),
                     "Give curves.csv or curves.json of a run.");
  note_files(*s);
  return s;
}

CurvesLayer make_layer(const CurvesSetup& setup, size_t layer, const CurveSamples& found, const ParameterModes* modes) {
  return LayerMaker(setup, layer, found, modes).make();
}

std::unique_ptr<RigBody> with_stiffness(const CurvesLayer& layer, std::vector<double> stiffness,
                                        const std::shared_ptr<const RigMap>& rig) {
  RigBodySpec spec = layer.body->spec();
  for (double& mu : stiffness) mu = std::max(mu, kLeastFactor);
  spec.stiffness = std::move(stiffness);
  return std::make_unique<RigBody>(std::move(spec), rig);
}

}  // namespace supple::pipeline::curves
