#include "supple/pipeline/setup/adjusted_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "supple/pipeline/setup/dial_requests.h"
#include "supple/pipeline/setup/region_coupling.h"
#include "supple/pipeline/setup/region_damping.h"
#include "supple/sim/hinges.h"
#include "supple/sim/mean.h"

namespace supple::pipeline {

namespace {

constexpr double kLightPart = 0.01;  // of the free mass: too little to be worth a finer step or a warning

template <class Values>
bool uniform(const Values& x) {
  return std::all_of(x.begin(), x.end(), [&](double v) { return v == x[0]; });
}

bool is_light(const AdjustedBody& out, const PartNumbers& part) {
  double free_mass = 0;
  for (const PartNumbers& p : out.parts) free_mass += p.mass;
  return part.mass < kLightPart * free_mass;
}

StepRule step_rule(const SceneConfig& config, const AdjustedBody& out, int substeps) {
  return {.integrator = integrator_from_name(config.solver.integrator),
          .h = 1 / (out.fps * substeps),
          .stage_fraction = config.expert.stage_fraction};
}

// Steps a frame for parts chi times as fast as out.parts and out.frequency_hz say.
int steps_for(const AdjustedBody& out, double chi) {
  double fastest = 0;
  if (out.parts.size() > 1)
    for (const PartNumbers& p : out.parts)
      if (!is_light(out, p)) fastest = std::max(fastest, p.adjusted.frequency_hz);
  if (fastest == 0) fastest = out.frequency_hz;
  double key = out.adjustment.stiffness.empty() ? 1 : 0;
  for (const auto& k : out.adjustment.stiffness.keys) key = std::max(key, std::sqrt(k[1]));
  if (out.steps_per_s > 0)
    return std::max(static_cast<int>(std::ceil(chi * key * out.steps_per_s / out.fps - 1e-9)), out.least_substeps);
  // Flesh between the parts that swing is stiff, and goes along.
  if (out.swings_hz > 0) fastest = out.swings_hz;
  return std::max(substeps_for(chi * key * fastest, out.fps), out.least_substeps);
}

// The scalings of all tets and vertices but for damping; maps multiply what the parts have.
void fill_fields(AdjustedBody& out, const Parts& parts, const DialRequests& asked) {
  const TetMesh& mesh = out.base.mesh;
  ScalingFields& f = out.fields;
  const Scalings all = asked.raw.value_or(Scalings{});
  f.chi.assign(mesh.tets.size(), all.chi);
  f.mu = VecX::Constant(mesh.n_vertices(), all.mu);
  f.authored_mu = VecX::Constant(mesh.n_vertices(), all.chi * all.chi);
  f.epsilon = VecX::Constant(mesh.n_vertices(), all.epsilon);
  for (size_t v = 0; v < asked.raw_epsilon.size(); ++v) f.epsilon[static_cast<Eigen::Index>(v)] = asked.raw_epsilon[v];
  if (asked.raw || parts.list.empty()) return;

  std::vector<double> mu, authored_mu, epsilon;
  for (const PartDials& ask : asked.parts) {
    authored_mu.push_back(ask.chi * ask.chi);
    mu.push_back(ask.chi * ask.chi * ask.ratios.sag);
    epsilon.push_back(scalings_for(ask.ratios, asked.sustained).epsilon);
  }
  f.mu = smooth_on_vertices(mesh, parts, mu);
  f.authored_mu = smooth_on_vertices(mesh, parts, authored_mu);
  f.epsilon = smooth_on_vertices(mesh, parts, epsilon);
  for (int t = 0; t < mesh.n_tets(); ++t)
    f.chi[t] = asked.parts[std::max(parts.of_tet[t], 0)].chi * asked.map_on_tet(t).frequency;
  if (!asked.mapped()) return;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Scalings here = scalings_for(asked.map_on_vertex(v), asked.sustained);
    f.mu[v] *= here.mu;
    f.authored_mu[v] *= std::pow(asked.map_on_vertex(v).frequency, 2);
    f.epsilon[v] *= here.epsilon;
  }
}

// Means of the fields over each part and over all; ck comes with the damping.
void average_fields(AdjustedBody& out, const Parts& parts) {
  struct Means {
    Mean chi, mu, epsilon;
    Scalings all() const { return {.chi = chi.value(), .mu = mu.value(), .epsilon = epsilon.value()}; }
  };
  ScalingFields& f = out.fields;
  const TetMesh& mesh = out.base.mesh;
  const std::vector<double> volume = tet_volumes(mesh);
  const VecX& mass = out.model->mass()->per_vertex();
  Means whole;
  std::vector<Means> part(parts.list.size());
  f.parts.clear();
  for (int t = 0; t < mesh.n_tets(); ++t)
    if (const int p = parts.of_tet[t]; p >= 0)
      for (Means* m : {&whole, &part[p]}) m->chi.add(f.chi[t], volume[t] * out.base.per_tet[t].density);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (const int p = parts.of_vertex[v]; p >= 0)
      for (Means* m : {&whole, &part[p]}) m->mu.add(f.mu[v], mass[v]), m->epsilon.add(f.epsilon[v], mass[v]);
  f.whole = whole.all();
  for (const Means& m : part) f.parts.push_back(m.all());
}

// Lowest frequency of the body with its fields.
double scaled_frequency(const SceneConfig& config, const AdjustedBody& out, const Parts& parts) {
  const ScalingFields& f = out.fields;
  if (parts.list.empty() || parts.frequency_hz == 0) return parts.frequency_hz;
  if (uniform(f.chi)) return f.chi[0] * parts.frequency_hz;
  ModelSpec spec = out.base;
  scale_stiffness(spec, f.chi, f.whole.chi);
  return lowest_frequency(Model(std::move(spec)), config.solver.linear, nullptr, out.hanging);
}

// What the run will show against the half-life that was asked for.
void warn_of_half_life(const SceneConfig& config, const AdjustedBody& out, const PartNumbers& p, double frequency_hz,
                       const DampingChoice& choice, double asked_s, Notes& notes) {
  using Limit = DampingChoice::Limit;
  if (choice.limit == Limit::none || is_light(out, p)) return;
  std::string text = fmt::format("{}a half-life of {:.3g} s was asked for and {:.3g} s is reached: ",
                                 out.parts.size() > 1 ? p.name + ": " : "", asked_s, choice.reached_s);
  if (choice.limit == Limit::mass_damping) {
    text += "mass damping alone is stronger than that; lower material.mass_damping";
  } else if (choice.limit == Limit::critical) {
    text += fmt::format("nothing of {:.3g} Hz settles faster", frequency_hz);
  } else {
    text += fmt::format("{} damps by itself at this step", config.solver.integrator);
    int n = out.substeps;
    const auto alone = [&](int substeps) {
      return step_rule(config, out, substeps).half_life(frequency_hz, 0, out.base.mass_damping);
    };
    while (n < 10000 && alone(n) < asked_s) n = std::min(10000, n + std::max(1, n / 20));
    if (alone(n) >= asked_s) text += fmt::format("; timeline.substeps = {} would do", n);
    if (config.solver.integrator != "tr-bdf2") text += "; solver.integrator = \"tr-bdf2\" damps far less";
  }
  notes.warn(text);
}

// d_k of a part before the dials, and after them.
void damp_part(const SceneConfig& config, AdjustedBody& out, size_t part, const PartDials& ask,
               const std::optional<Scalings>& raw, Notes& notes) {
  PartNumbers& p = out.parts[part];
  const double d_m = out.base.mass_damping, f = p.baseline.frequency_hz, adjusted_hz = out.fields.part_hz[part];
  const double chi = raw ? raw->chi : ask.chi;
  const StepRule rule = step_rule(config, out, out.substeps);
  // A raw scene is the baseline on another clock: there it is stepped by chi h.
  StepRule base_rule = rule;
  if (raw) base_rule.h *= chi;
  DampingChoice choice;
  double asked_s = ask.base_half_life_s.value_or(0);
  if (!ask.given_damping) choice = damping_for(base_rule, asked_s, f, d_m);
  p.baseline_damping = ask.given_damping.value_or(choice.d_k);
  p.baseline.half_life_s = base_rule.half_life(f, p.baseline_damping, d_m);
  p.adjusted_damping = p.baseline_damping;
  const bool damped = p.baseline_damping > 0 || d_m > 0 || !ask.given_damping;
  if (raw) {
    p.adjusted_damping *= raw->ck;
  } else if (ask.half_life_s || (damped && (chi != 1 || ask.ratios.half_life != 1))) {
    asked_s = ask.half_life_s.value_or(ask.ratios.half_life * p.baseline.half_life_s);
    choice = damping_for(rule, asked_s, adjusted_hz, d_m);
    p.adjusted_damping = choice.d_k;
    p.asked.half_life = asked_s / p.baseline.half_life_s;
  } else if (ask.ratios.half_life != 1) {
    notes.warn(fmt::format(
        "{}half_life has nothing to act on: there is no damping; give material.half_life_s or controls.half_life_s",
        out.parts.size() > 1 ? p.name + ": " : ""));
  }
  warn_of_half_life(config, out, p, adjusted_hz, choice, asked_s, notes);
}

// What damping comes to beside the scene without dials.
void average_damping(AdjustedBody& out) {
  ScalingFields& f = out.fields;
  Mean ck;
  for (size_t i = 0; i < out.parts.size(); ++i) {
    const PartNumbers& p = out.parts[i];
    if (p.baseline_damping > 0) f.parts[i].ck = p.adjusted_damping / p.baseline_damping;
    ck.add(f.parts[i].ck, p.mass);
  }
  f.whole.ck = ck.value();
}

// The damping of every part and tet.
void fill_damping(const SceneConfig& config, AdjustedBody& out, const Body& body, const AdjustedBody* plain,
                  const Parts& parts, const DialRequests& asked, Notes& notes) {
  ScalingFields& f = out.fields;
  if (plain) {
    const std::vector<RegionDamping> chosen =
        damp_regions(config, step_rule(config, out, out.substeps), out, step_rule(config, *plain, plain->substeps),
                     *plain, parts, asked, notes);
    for (size_t i = 0; i < chosen.size(); ++i)
      warn_of_half_life(config, out, out.parts[i], f.part_hz[i], chosen[i].choice, chosen[i].asked_s, notes);
    return average_damping(out);
  }
  std::vector<Mean> map(out.parts.size());
  const std::vector<double> volume = tet_volumes(out.base.mesh);
  for (size_t i = 0; i < out.parts.size(); ++i) damp_part(config, out, i, asked.parts[i], asked.raw, notes);
  for (const PartNumbers& p : out.parts) f.part_felt.push_back(p.adjusted_damping);
  meet_half_lives(config, out, parts, asked);
  for (size_t t = 0; t < out.base.per_tet.size(); ++t) {
    double& base = out.base.per_tet[t].stiffness_damping;
    f.damping.push_back(base);
    if (out.parts.empty()) continue;
    const int p = std::max(parts.of_tet[t], 0);
    const double before = out.parts[p].baseline_damping, after = out.parts[p].adjusted_damping;
    if (!body.damping_given[t]) base = before * body.damping_map[t];
    f.damping[t] = after == before ? base : before > 0 ? base * (after / before) : after * body.damping_map[t];
    if (!asked.mapped()) continue;
    const double here = scalings_for(asked.map_on_tet(static_cast<int>(t)), asked.sustained).ck;
    f.damping[t] *= here;
    if (parts.of_tet[t] >= 0) map[p].add(here, volume[t]);
  }
  for (size_t i = 0; i < out.parts.size(); ++i) {
    PartNumbers& p = out.parts[i];
    p.adjusted_damping *= map[i].value(), f.part_felt[i] *= map[i].value();
    f.part_damping.push_back(p.adjusted_damping);
  }
  average_damping(out);
}

// Everything the model is made of: the base and the fields, and `times` on top of them.
void make_model(const SceneConfig& config, AdjustedBody& out, const Scalings& times) {
  ModelSpec spec = out.base;
  const ScalingFields& f = out.fields;
  std::vector<double> chi = f.chi;
  for (size_t t = 0; t < spec.per_tet.size(); ++t) {
    chi[t] *= times.chi;
    spec.per_tet[t].stiffness_damping = f.damping[t] * times.ck;
  }
  // The springs that hold the body go along, or its frequencies would not scale.
  scale_stiffness(spec, chi, f.whole.chi * times.chi);
  const VecX mu = f.mu * times.mu;
  VecX epsilon = f.epsilon * times.epsilon;
  if (out.inertia.size() > 0 && !config.expert.raw()) epsilon.array() *= out.inertia.array();
  if (uniform(mu)) {
    spec.gravity *= mu[0];
  } else if (spec.gravity_scale.size() > 0) {
    spec.gravity_scale.array() *= mu.array();
  } else {
    spec.gravity_scale = mu;
  }
  out.adjustment.epsilon = (epsilon.array() == 1).all() ? VecX() : epsilon;
  if (out.swing_rate.size() > 0) {
    out.adjustment.swing_rate = out.swing_rate * times.chi;
    out.adjustment.own_epsilon = out.inertia.size() > 0 ? out.inertia : VecX::Ones(epsilon.size());
  }
  out.model = std::make_shared<const Model>(std::move(spec));
}

// What the parts and the body do under the fields with `times` on top. Substeps come in between: the half-lives need
// them and they need the frequencies.
void set_frequencies(const SceneConfig& config, AdjustedBody& out, const Scalings& times) {
  for (size_t i = 0; i < out.parts.size(); ++i) {
    PartNumbers& p = out.parts[i];
    const Scalings& loaded = out.fields.parts[i];
    p.scalings = {loaded.chi * times.chi, loaded.mu * times.mu, loaded.ck * times.ck, loaded.epsilon * times.epsilon};
    p.adjusted.frequency_hz = out.fields.part_hz[i] * times.chi;
    p.adjusted.sag_m = p.baseline.sag_m * (p.scalings.mu / (p.scalings.chi * p.scalings.chi));
  }
  out.frequency_hz = out.adjusted.frequency_hz = out.fields.frequency_hz * times.chi;
  out.substeps = config.timeline.substeps.value_or(auto_substeps(out));
}

void set_half_lives(const SceneConfig& config, AdjustedBody& out, const Scalings& times) {
  const StepRule rule = step_rule(config, out, out.substeps);
  const double d_m = out.base.mass_damping;
  const auto slower = [](double f, double best) { return f > 0 && (best == 0 || f < best); };
  double slowest = 0, slowest_base = 0, sag = 0, sag_base = 0, felt = 0;
  for (size_t i = 0; i < out.parts.size(); ++i) {
    PartNumbers& p = out.parts[i];
    p.scalings.ck = out.fields.parts[i].ck * times.ck;
    p.adjusted_damping = out.fields.part_damping[i] * times.ck;
    p.adjusted.half_life_s = rule.half_life(p.adjusted.frequency_hz, out.fields.part_felt[i] * times.ck, d_m);
    if (slower(p.adjusted.frequency_hz, slowest))
      slowest = p.adjusted.frequency_hz, out.stiffness_damping = p.adjusted_damping,
      felt = out.fields.part_felt[i] * times.ck;
    if (slower(p.baseline.frequency_hz, slowest_base))
      slowest_base = p.baseline.frequency_hz, out.baseline.half_life_s = p.baseline.half_life_s;
    sag += p.mass * p.adjusted.sag_m * p.adjusted.sag_m;
    sag_base += p.mass * p.baseline.sag_m * p.baseline.sag_m;
  }
  out.adjusted.half_life_s = rule.half_life(out.frequency_hz, felt, d_m);
  out.adjusted.sag_m = out.parts.size() == 1 ? out.parts[0].adjusted.sag_m
                       : sag_base == 0       ? out.baseline.sag_m
                                             : out.baseline.sag_m * std::sqrt(sag / sag_base);
}

// A stiffness that rises under a swinging body does work on it.
void warn_of_ramps(const AdjustedBody& out, const FactorKeys& frequency, Notes& notes) {
  if (out.frequency_hz == 0) return;
  for (size_t i = 1; i < frequency.keys.size(); ++i) {
    const auto [t0, a] = frequency.keys[i - 1];
    const auto [t1, b] = frequency.keys[i];
    const double period = 1 / (out.frequency_hz * std::min(a, b));
    if (a == b || t1 - t0 >= period) continue;
    notes.warn(
        fmt::format("controls.frequency_keys change from {:g} to {:g} within {:.2g} s, faster than the flesh swings "
                    "({:.2g} s): this kicks it; spread the change over {} frames or more",
                    a, b, t1 - t0, period, static_cast<int>(std::ceil(period * out.fps))));
  }
}

}  // namespace

int auto_substeps(const AdjustedBody& out) { return steps_for(out, 1); }

int substeps_for(double frequency_hz, double fps) {
  return std::clamp(static_cast<int>(std::ceil(kStepsPerPeriod * frequency_hz / fps - 1e-9)), 1, 50);
}

namespace {

constexpr size_t kHingesTold = 5;

// Of tets that somebody made and held; those that we make hold together.
void warn_of_hinges(const SceneConfig& config, const Model& model, const Parts& parts, Notes& notes) {
  if (config.tets.file.empty()) return;
  const std::vector<Hinge> hinges = find_hinges(model);
  for (size_t k = 0; k < std::min(hinges.size(), kHingesTold); ++k) {
    const auto free = std::find_if(hinges[k].vertices.begin(), hinges[k].vertices.end(),
                                   [&](int v) { return parts.of_vertex[static_cast<size_t>(v)] >= 0; });
    const int part = free == hinges[k].vertices.end() ? -1 : parts.of_vertex[static_cast<size_t>(*free)];
    notes.warn(text_of(hinges[k], part < 0 ? "body" : parts.list[static_cast<size_t>(part)].name));
  }
  if (hinges.size() > kHingesTold)
    notes.warn(fmt::format("{} more pieces are held so that they turn freely", hinges.size() - kHingesTold));
}

}  // namespace

AdjustedBody adjust(const SceneConfig& config, const Body& body, double fps, int least_substeps, Notes& notes) {
  AdjustedBody out;
  out.base = body.spec;
  out.inertia = body.inertia, out.hanging = body.hanging, out.flesh = body.flesh;
  out.thickness = body.thickness, out.matched = body.matched;
  out.swing_rate = body.swing_rate, out.steps_per_s = body.steps_per_s;
  out.swings_hz = body.swings_hz, out.fps = fps, out.least_substeps = least_substeps;
  out.model = std::make_shared<const Model>(out.base);
  for (int v : out.model->loose_parts())
    notes.warn(fmt::format("{} has nothing that holds it and will fall", out.model->part_of(v)));

  // The body as it is, part by part.
  const DialMaps maps = read_dial_maps(config, out.base.mesh, notes);
  const RegionGroups own = groups_of_regions(config, out.base.mesh, RegionsWith::damping);
  const RegionGroups regions = cut_by_maps(groups_of_regions(config, out.base.mesh), out.base.mesh, maps);
  // Where dials alone set parts apart, the flesh is damped as the scene without dials has it.
  std::optional<AdjustedBody> plain;
  const Parts parts =
      analyse_parts(*out.model, regions.groups, config.solver.linear, config.solver.tolerance, out.hanging);
  if (!config.expert.raw() && regions.groups.group != own.groups.group && !parts.list.empty()) {
    Notes unheard;
    plain = adjust(without_dials(config), body, fps, least_substeps, unheard);
  }
  notes.warn(parts.warnings);
  warn_of_hinges(config, *out.model, parts, notes);
  const bool only_follows = body.may_only_follow && out.model->constraints().map().n_free() == 0;
  if (parts.frequency_hz == 0 && !only_follows) notes.warn("no natural frequency: " + parts.trouble);
  DialRequests asked = read_dial_requests(config, body, parts, regions, maps, notes);
  for (size_t i = 0; i < parts.list.size(); ++i) {
    const Part& p = parts.list[i];
    out.parts.push_back({.name = p.name, .vertices = p.vertices, .mass = p.mass, .asked = asked.parts[i].ratios});
    out.parts[i].baseline = {.frequency_hz = p.frequency_hz, .sag_m = p.sag_m};
  }
  out.baseline = {.frequency_hz = parts.frequency_hz, .sag_m = parts.sag_m};
  out.sagged = parts.sagged;

  // What the dials make of it.
  const DialFactors factors = read_dial_factors(config, fps, notes);
  set_keys(out.adjustment, factors, asked.sustained);
  if (config.expert.p_derivatives == "five-point") out.adjustment.differences = StaticDifferences::five_point;
  meet_frequencies(config, out, parts, asked, notes);
  fill_fields(out, parts, asked);
  average_fields(out, parts);
  out.fields.frequency_hz = scaled_frequency(config, out, parts);
  set_frequencies(config, out, {});
  fill_damping(config, out, body, plain ? &*plain : nullptr, parts, asked, notes);
  set_half_lives(config, out, {});
  out.scalings = out.fields.whole;
  warn_of_ramps(out, factors.frequency, notes);
  out.split = std::make_shared<const Parts>(parts);
  out.maps = maps;
  if (!config.tuned.empty()) return tuned(config, std::move(out), asked.tuned);
  make_model(config, out, {});
  return out;
}

AdjustedBody tuned(const SceneConfig& config, AdjustedBody out, const std::vector<Scalings>& found) {
  const Parts& parts = *out.split;
  if (parts.list.empty()) {
    make_model(config, out, {});
    return out;
  }
  ScalingFields& f = out.fields;
  std::vector<double> square, mu, epsilon;
  for (const Scalings& s : found)
    square.push_back(s.chi * s.chi), mu.push_back(s.chi * s.chi * s.mu), epsilon.push_back(s.epsilon);
  for (size_t t = 0; t < f.chi.size(); ++t) {
    const Scalings& s = found[static_cast<size_t>(std::max(parts.of_tet[t], 0))];
    f.chi[t] *= s.chi, f.damping[t] *= s.ck;
  }
  const TetMesh& mesh = out.base.mesh;
  f.mu.array() *= smooth_on_vertices(mesh, parts, mu).array();
  f.authored_mu.array() *= smooth_on_vertices(mesh, parts, square).array();
  f.epsilon.array() *= smooth_on_vertices(mesh, parts, epsilon).array();
  const std::vector<Scalings> before = f.parts;
  average_fields(out, parts);
  for (size_t i = 0; i < out.parts.size(); ++i) {
    f.parts[i].ck = before[i].ck;
    out.parts[i].adjusted_damping *= found[i].ck, f.part_damping[i] *= found[i].ck;
    out.parts[i].scalings = f.parts[i];
  }
  average_damping(out);
  for (size_t i = 0; i < out.parts.size(); ++i) out.parts[i].scalings.ck = f.parts[i].ck;
  out.scalings = f.whole;
  make_model(config, out, {});
  return out;
}

AdjustedBody rescaled(const SceneConfig& config, AdjustedBody out, const Scalings& whole) {
  const Scalings& loaded = out.fields.whole;
  const auto over = [](double x, double y) { return x == y ? 1 : x / y; };
  // What is 0 everywhere has no shape to keep.
  if (loaded.mu == 0 && whole.mu != 0) out.fields.mu.setOnes(), out.fields.whole.mu = 1;
  if (loaded.epsilon == 0 && whole.epsilon != 0) out.fields.epsilon.setOnes(), out.fields.whole.epsilon = 1;
  for (Scalings& p : out.fields.parts) {
    if (p.mu == 0 && loaded.mu == 1) p.mu = 1;
    if (p.epsilon == 0 && loaded.epsilon == 1) p.epsilon = 1;
  }
  const Scalings times{over(whole.chi, loaded.chi), over(whole.mu, loaded.mu), over(whole.ck, loaded.ck),
                       over(whole.epsilon, loaded.epsilon)};
  out.scalings = whole;
  set_frequencies(config, out, times);
  set_half_lives(config, out, times);
  make_model(config, out, times);
  return out;
}

Scalings scalings_for(const SceneConfig& config, const AdjustedBody& out, const DialRatios& asked) {
  Scalings s = scalings_for(asked, config.controls.motion == "sustained");
  const PartNumbers* slow = nullptr;
  for (const PartNumbers& p : out.parts)
    if (p.baseline.frequency_hz > 0 && (!slow || p.baseline.frequency_hz < slow->baseline.frequency_hz)) slow = &p;
  if (!slow || slow->baseline_damping == 0) return s;
  const StepRule rule =
      step_rule(config, out, config.timeline.substeps.value_or(steps_for(out, s.chi / out.scalings.chi)));
  const double f = s.chi * out.baseline.frequency_hz;
  const DampingChoice choice = damping_for(rule, asked.half_life * out.baseline.half_life_s, f, out.base.mass_damping);
  s.ck = choice.d_k / slow->baseline_damping;
  // What swings feel of the damping is less where springs and other parts take some of their energy.
  const auto k = static_cast<size_t>(slow - out.parts.data());
  if (out.fields.part_felt[k] > 0) s.ck *= out.fields.part_damping[k] / out.fields.part_felt[k];
  return s;
}

SceneConfig without_dials(SceneConfig config) {
  config.controls = {};
  config.tuned.clear();
  config.material.look.clear();
  for (RegionConfig& r : config.regions) {
    r.look.clear();
    r.frequency.reset(), r.amplitude.reset(), r.sag.reset(), r.half_life.reset();
    r.frequency_hz.reset(), r.sag_m.reset(), r.half_life_s.reset();
  }
  ExpertConfig& e = config.expert;
  e.chi.reset(), e.mu.reset(), e.ck.reset();
  e.inertia_scale = {};
  return config;
}

}  // namespace supple::pipeline
