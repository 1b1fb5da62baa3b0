#include "supple/scene/adjust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/scene/asked.h"
#include "supple/scene/enrich_body.h"
#include "supple/scene/enrich_setup.h"
#include "supple/scene/job.h"
#include "supple/scene/load_body.h"
#include "supple/scene/meet_regions.h"
#include "supple/sim/mean.h"

namespace supple {

namespace {

constexpr double kLightPart = 0.01;  // of the free mass: too little to be worth a finer step or a warning

template <class Values>
bool uniform(const Values& x) {
  return std::all_of(x.begin(), x.end(), [&](double v) { return v == x[0]; });
}

bool is_light(const Job& job, const PartNumbers& part) {
  double free_mass = 0;
  for (const PartNumbers& p : job.parts) free_mass += p.mass;
  return part.mass < kLightPart * free_mass;
}

StepRule step_rule(const Job& job, int substeps) {
  return {.integrator = integrator_from_name(job.config.solver.integrator),
          .h = 1 / (job.fps * substeps),
          .stage_fraction = job.config.expert.stage_fraction};
}

// Steps a frame for parts chi times as fast as job.parts and job.frequency_hz say.
int steps_for(const Job& job, double chi) {
  double fastest = 0;
  if (job.parts.size() > 1)
    for (const PartNumbers& p : job.parts)
      if (!is_light(job, p)) fastest = std::max(fastest, p.adjusted.frequency_hz);
  if (fastest == 0) fastest = job.frequency_hz;
  double key = job.adjustment.stiffness.empty() ? 1 : 0;
  for (const auto& k : job.adjustment.stiffness.keys) key = std::max(key, std::sqrt(k[1]));
  // Flesh between the parts that swing is stiff, and goes along.
  if (job.enrich && job.swings_hz > 0) fastest = job.swings_hz;
  const int by_frequency = substeps_for(chi * key * fastest, job.fps);
  if (!job.enrich) return by_frequency;
  const auto& range = job.config.timeline.range;
  const int last = range ? (*range)[1] : static_cast<int>(job.enrich->fit.frames.size()) - 1;
  return std::max(by_frequency, enrich_substeps(*job.enrich, range ? (*range)[0] : 0, last));
}

// The scalings of all tets and vertices but for damping; maps multiply what the parts have.
void fill_fields(Job& job, const Parts& parts, const Asked& asked) {
  const TetMesh& mesh = job.base.mesh;
  ScalingFields& f = job.fields;
  const Scalings all = asked.raw.value_or(Scalings{});
  f.chi.assign(mesh.tets.size(), all.chi);
  f.mu = VecX::Constant(mesh.n_vertices(), all.mu);
  f.authored_mu = VecX::Constant(mesh.n_vertices(), all.chi * all.chi);
  f.epsilon = VecX::Constant(mesh.n_vertices(), all.epsilon);
  for (size_t v = 0; v < asked.raw_epsilon.size(); ++v) f.epsilon[static_cast<Eigen::Index>(v)] = asked.raw_epsilon[v];
  if (asked.raw || parts.list.empty()) return;

  std::vector<double> mu, authored_mu, epsilon;
  for (const PartAsked& ask : asked.parts) {
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
void average_fields(Job& job, const Parts& parts) {
  struct Means {
    Mean chi, mu, epsilon;
    Scalings all() const { return {.chi = chi.value(), .mu = mu.value(), .epsilon = epsilon.value()}; }
  };
  ScalingFields& f = job.fields;
  const TetMesh& mesh = job.base.mesh;
  const std::vector<double> volume = tet_volumes(mesh);
  const VecX& mass = job.model->mass()->per_vertex();
  Means whole;
  std::vector<Means> part(parts.list.size());
  for (int t = 0; t < mesh.n_tets(); ++t)
    if (const int p = parts.of_tet[t]; p >= 0)
      for (Means* m : {&whole, &part[p]}) m->chi.add(f.chi[t], volume[t] * job.base.per_tet[t].density);
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (const int p = parts.of_vertex[v]; p >= 0)
      for (Means* m : {&whole, &part[p]}) m->mu.add(f.mu[v], mass[v]), m->epsilon.add(f.epsilon[v], mass[v]);
  f.whole = whole.all();
  for (const Means& m : part) f.parts.push_back(m.all());
}

// Lowest frequency of the body with its fields.
double scaled_frequency(const Job& job, const Parts& parts) {
  const ScalingFields& f = job.fields;
  if (parts.list.empty() || parts.frequency_hz == 0) return parts.frequency_hz;
  if (uniform(f.chi)) return f.chi[0] * parts.frequency_hz;
  ModelSpec spec = job.base;
  scale_stiffness(spec, f.chi, f.whole.chi);
  return lowest_frequency(Model(std::move(spec)), job.config.solver.linear, nullptr, job.hanging);
}

// What the run will show against the half-life that was asked for.
void warn_of_half_life(Job& job, const PartNumbers& p, double frequency_hz, const DampingChoice& choice,
                       double asked_s) {
  using Limit = DampingChoice::Limit;
  if (choice.limit == Limit::none || is_light(job, p)) return;
  std::string text = fmt::format("{}a half-life of {:.3g} s was asked for and {:.3g} s is reached: ",
                                 job.parts.size() > 1 ? p.name + ": " : "", asked_s, choice.reached_s);
  if (choice.limit == Limit::mass_damping) {
    text += "mass damping alone is stronger than that; lower material.mass_damping";
  } else if (choice.limit == Limit::critical) {
    text += fmt::format("nothing of {:.3g} Hz settles faster", frequency_hz);
  } else {
    text += fmt::format("{} damps by itself at this step", job.config.solver.integrator);
    int n = job.substeps;
    const auto alone = [&](int substeps) {
      return step_rule(job, substeps).half_life(frequency_hz, 0, job.base.mass_damping);
    };
    while (n < 10000 && alone(n) < asked_s) n = std::min(10000, n + std::max(1, n / 20));
    if (alone(n) >= asked_s) text += fmt::format("; timeline.substeps = {} would do", n);
    if (job.config.solver.integrator != "tr-bdf2") text += "; solver.integrator = \"tr-bdf2\" damps far less";
  }
  job.warnings.push_back(text);
}

// d_k of a part before the dials, and after them.
void damp_part(Job& job, size_t part, const PartAsked& ask, const std::optional<Scalings>& raw) {
  PartNumbers& p = job.parts[part];
  const double d_m = job.base.mass_damping, f = p.baseline.frequency_hz, adjusted_hz = job.fields.part_hz[part];
  const double chi = raw ? raw->chi : ask.chi;
  const StepRule rule = step_rule(job, job.substeps);
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
    job.warnings.push_back(fmt::format(
        "{}half_life has nothing to act on: there is no damping; give material.half_life_s or controls.half_life_s",
        job.parts.size() > 1 ? p.name + ": " : ""));
  }
  warn_of_half_life(job, p, adjusted_hz, choice, asked_s);
}

// The damping of every part and tet.
void fill_damping(Job& job, const Body& body, const Parts& parts, const Asked& asked) {
  ScalingFields& f = job.fields;
  std::vector<Mean> map(job.parts.size());
  const std::vector<double> volume = tet_volumes(job.base.mesh);
  for (size_t i = 0; i < job.parts.size(); ++i) damp_part(job, i, asked.parts[i], asked.raw);
  for (const PartNumbers& p : job.parts) f.part_felt.push_back(p.adjusted_damping);
  meet_half_lives(job, parts, asked);
  for (size_t t = 0; t < job.base.per_tet.size(); ++t) {
    double& base = job.base.per_tet[t].stiffness_damping;
    f.damping.push_back(base);
    if (job.parts.empty()) continue;
    const int p = std::max(parts.of_tet[t], 0);
    const double before = job.parts[p].baseline_damping, after = job.parts[p].adjusted_damping;
    if (!body.damping_given[t]) base = before * body.damping_map[t];
    f.damping[t] = after == before ? base : before > 0 ? base * (after / before) : after * body.damping_map[t];
    if (!asked.mapped()) continue;
    const double here = scalings_for(asked.map_on_tet(static_cast<int>(t)), asked.sustained).ck;
    f.damping[t] *= here;
    if (parts.of_tet[t] >= 0) map[p].add(here, volume[t]);
  }
  Mean ck;
  for (size_t i = 0; i < job.parts.size(); ++i) {
    PartNumbers& p = job.parts[i];
    p.adjusted_damping *= map[i].value(), f.part_felt[i] *= map[i].value();
    f.part_damping.push_back(p.adjusted_damping);
    if (p.baseline_damping > 0) f.parts[i].ck = p.adjusted_damping / p.baseline_damping;
    ck.add(f.parts[i].ck, p.mass);
  }
  f.whole.ck = ck.value();
}

// Everything the model is made of: the base and the fields, and `times` on top of them.
void make_model(Job& job, const Scalings& times) {
  ModelSpec spec = job.base;
  const ScalingFields& f = job.fields;
  std::vector<double> chi = f.chi;
  for (size_t t = 0; t < spec.per_tet.size(); ++t) {
    chi[t] *= times.chi;
    spec.per_tet[t].stiffness_damping = f.damping[t] * times.ck;
  }
  // The springs that hold the body go along, or its frequencies would not scale.
  scale_stiffness(spec, chi, f.whole.chi * times.chi);
  const VecX mu = f.mu * times.mu;
  VecX epsilon = f.epsilon * times.epsilon;
  if (job.inertia.size() > 0 && !job.config.expert.raw()) epsilon.array() *= job.inertia.array();
  if (uniform(mu)) {
    spec.gravity *= mu[0];
  } else if (spec.gravity_scale.size() > 0) {
    spec.gravity_scale.array() *= mu.array();
  } else {
    spec.gravity_scale = mu;
  }
  job.adjustment.epsilon = (epsilon.array() == 1).all() ? VecX() : epsilon;
  job.model = std::make_unique<Model>(std::move(spec));
}

// What the parts and the body do under the fields with `times` on top. Substeps come in between: the half-lives need
// them and they need the frequencies.
void set_frequencies(Job& job, const Scalings& times) {
  for (size_t i = 0; i < job.parts.size(); ++i) {
    PartNumbers& p = job.parts[i];
    const Scalings& loaded = job.fields.parts[i];
    p.scalings = {loaded.chi * times.chi, loaded.mu * times.mu, loaded.ck * times.ck, loaded.epsilon * times.epsilon};
    p.adjusted.frequency_hz = job.fields.part_hz[i] * times.chi;
    p.adjusted.sag_m = p.baseline.sag_m * (p.scalings.mu / (p.scalings.chi * p.scalings.chi));
  }
  job.frequency_hz = job.adjusted.frequency_hz = job.fields.frequency_hz * times.chi;
  job.substeps = job.config.timeline.substeps.value_or(auto_substeps(job));
}

void set_half_lives(Job& job, const Scalings& times) {
  const StepRule rule = step_rule(job, job.substeps);
  const double d_m = job.base.mass_damping;
  const auto slower = [](double f, double best) { return f > 0 && (best == 0 || f < best); };
  double slowest = 0, slowest_base = 0, sag = 0, sag_base = 0, felt = 0;
  for (size_t i = 0; i < job.parts.size(); ++i) {
    PartNumbers& p = job.parts[i];
    p.scalings.ck = job.fields.parts[i].ck * times.ck;
    p.adjusted_damping = job.fields.part_damping[i] * times.ck;
    p.adjusted.half_life_s = rule.half_life(p.adjusted.frequency_hz, job.fields.part_felt[i] * times.ck, d_m);
    if (slower(p.adjusted.frequency_hz, slowest))
      slowest = p.adjusted.frequency_hz, job.stiffness_damping = p.adjusted_damping,
      felt = job.fields.part_felt[i] * times.ck;
    if (slower(p.baseline.frequency_hz, slowest_base))
      slowest_base = p.baseline.frequency_hz, job.baseline.half_life_s = p.baseline.half_life_s;
    sag += p.mass * p.adjusted.sag_m * p.adjusted.sag_m;
    sag_base += p.mass * p.baseline.sag_m * p.baseline.sag_m;
  }
  job.adjusted.half_life_s = rule.half_life(job.frequency_hz, felt, d_m);
  job.adjusted.sag_m = job.parts.size() == 1 ? job.parts[0].adjusted.sag_m
                       : sag_base == 0       ? job.baseline.sag_m
                                             : job.baseline.sag_m * std::sqrt(sag / sag_base);
}

// A stiffness that rises under a swinging body does work on it.
void warn_of_ramps(Job& job, const FactorKeys& frequency) {
  if (job.frequency_hz == 0) return;
  for (size_t i = 1; i < frequency.keys.size(); ++i) {
    const auto [t0, a] = frequency.keys[i - 1];
    const auto [t1, b] = frequency.keys[i];
    const double period = 1 / (job.frequency_hz * std::min(a, b));
    if (a == b || t1 - t0 >= period) continue;
    job.warnings.push_back(
        fmt::format("controls.frequency_keys change from {:g} to {:g} within {:.2g} s, faster than the flesh swings "
                    "({:.2g} s): this kicks it; spread the change over {} frames or more",
                    a, b, t1 - t0, period, static_cast<int>(std::ceil(period * job.fps))));
  }
}

}  // namespace

int auto_substeps(const Job& job) { return steps_for(job, 1); }

void adjust_body(Job& job, const Body& body) {
  job.base = body.spec;
  job.model = std::make_unique<Model>(job.base);
  for (int v : job.model->loose_parts())
    job.warnings.push_back(fmt::format("{} has nothing that holds it and will fall", job.model->part_of(v)));

  // The body as it is, part by part.
  const RegionGroups regions = groups_of_regions(job.config, job.base.mesh);
  const Parts parts =
      analyse_parts(*job.model, regions.groups, job.config.solver.linear, job.config.solver.tolerance, job.hanging);
  job.warnings.insert(job.warnings.end(), parts.warnings.begin(), parts.warnings.end());
  const bool only_follows = job.enrich && job.model->constraints().map().n_free() == 0;  // as it was asked to
  if (parts.frequency_hz == 0 && !only_follows) job.warnings.push_back("no natural frequency: " + parts.trouble);
  Asked asked = read_asked(job, job.base.mesh, parts, regions);
  for (size_t i = 0; i < parts.list.size(); ++i) {
    const Part& p = parts.list[i];
    job.parts.push_back({.name = p.name, .vertices = p.vertices, .mass = p.mass, .asked = asked.parts[i].ratios});
    job.parts[i].baseline = {.frequency_hz = p.frequency_hz, .sag_m = p.sag_m};
  }
  job.baseline = {.frequency_hz = parts.frequency_hz, .sag_m = parts.sag_m};
  job.sagged = parts.sagged;

  // What the dials make of it.
  const DialFactors factors = read_dial_factors(job);
  set_keys(job.adjustment, factors, asked.sustained);
  if (job.config.expert.p_derivatives == "five-point") job.adjustment.differences = StaticDifferences::five_point;
  meet_frequencies(job, parts, asked);
  fill_fields(job, parts, asked);
  average_fields(job, parts);
  job.fields.frequency_hz = scaled_frequency(job, parts);
  set_frequencies(job, {});
  fill_damping(job, body, parts, asked);
  set_half_lives(job, {});
  job.scalings = job.fields.whole;
  warn_of_ramps(job, factors.frequency);
  make_model(job, {});
}

void apply_scalings(Job& job, const Scalings& whole) {
  const Scalings& loaded = job.fields.whole;
  const auto over = [](double x, double y) { return x == y ? 1 : x / y; };
  // What is 0 everywhere has no shape to keep.
  if (loaded.mu == 0 && whole.mu != 0) job.fields.mu.setOnes(), job.fields.whole.mu = 1;
  if (loaded.epsilon == 0 && whole.epsilon != 0) job.fields.epsilon.setOnes(), job.fields.whole.epsilon = 1;
  for (Scalings& p : job.fields.parts) {
    if (p.mu == 0 && loaded.mu == 1) p.mu = 1;
    if (p.epsilon == 0 && loaded.epsilon == 1) p.epsilon = 1;
  }
  const Scalings times{over(whole.chi, loaded.chi), over(whole.mu, loaded.mu), over(whole.ck, loaded.ck),
                       over(whole.epsilon, loaded.epsilon)};
  job.scalings = whole;
  set_frequencies(job, times);
  set_half_lives(job, times);
  make_model(job, times);
}

Scalings scalings_for(const Job& job, const DialRatios& asked) {
  Scalings s = scalings_for(asked, job.config.controls.motion == "sustained");
  const PartNumbers* slow = nullptr;
  for (const PartNumbers& p : job.parts)
    if (p.baseline.frequency_hz > 0 && (!slow || p.baseline.frequency_hz < slow->baseline.frequency_hz)) slow = &p;
  if (!slow || slow->baseline_damping == 0) return s;
  const StepRule rule = step_rule(job, job.config.timeline.substeps.value_or(steps_for(job, s.chi / job.scalings.chi)));
  const double f = s.chi * job.baseline.frequency_hz;
  const DampingChoice choice = damping_for(rule, asked.half_life * job.baseline.half_life_s, f, job.base.mass_damping);
  s.ck = choice.d_k / slow->baseline_damping;
  // What swings feel of the damping is less where springs and other parts take some of their energy.
  const auto k = static_cast<size_t>(slow - job.parts.data());
  if (job.fields.part_felt[k] > 0) s.ck *= job.fields.part_damping[k] / job.fields.part_felt[k];
  return s;
}

SceneConfig without_dials(SceneConfig config) {
  config.controls = {};
  for (RegionConfig& r : config.regions) {
    r.frequency.reset(), r.amplitude.reset(), r.sag.reset(), r.half_life.reset();
    r.frequency_hz.reset(), r.sag_m.reset(), r.half_life_s.reset();
  }
  ExpertConfig& e = config.expert;
  e.chi.reset(), e.mu.reset(), e.ck.reset();
  e.inertia_scale = {};
  return config;
}

}  // namespace supple
