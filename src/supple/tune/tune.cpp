#include "supple/tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/base/error.h"
#include "supple/tune/amplitude_search.h"
#include "supple/tune/ring_search.h"

namespace supple {

namespace {

void require(double ratio, const char* name, bool zero_allowed) {
  if (std::isfinite(ratio) && (ratio > 0 || (zero_allowed && ratio == 0))) return;
  throw InputError({.place = name}, fmt::format("a ratio of {} cannot be met", ratio),
                   zero_allowed ? "give a number from zero up" : "give a number above zero");
}

bool near(double got, double asked, double tolerance) {
  return std::abs(got - asked) <= tolerance * (asked > 0 ? asked : 1);
}

// The measurements of one tuning, logged as they are made.
class Bench {
 public:
  Bench(Experiment& experiment, const TuneOptions& options, TuneResult& result)
      : experiment_(experiment), options_(options), result_(result) {}

  double sag(double load) {
    Trial t{.kind = Trial::Kind::sag, .scalings = {.mu = load}};
    const double sag = experiment_.sag(load);
    if (std::isfinite(sag))
      t.measured.sag_m = sag;
    else
      t.note = "no equilibrium";
    log(std::move(t));
    return sag;
  }

  Ring ring(const Scalings& s, double release) {
    Trial t{.kind = Trial::Kind::ring, .scalings = s};
    Ring r;
    try {
      r = experiment_.ring(s, release);
    } catch (const SimulationFailure& failure) {
      r.trouble = failure.what();
    }
    r.found = r.found && std::isfinite(r.frequency_hz) && r.frequency_hz > 0 && r.half_life_s > 0;
    if (r.found) {
      t.measured.frequency_hz = r.frequency_hz;
      t.measured.half_life_s = r.half_life_s;
    } else if (r.trouble.empty()) {
      r.trouble = "no oscillation found";
    }
    t.note = r.trouble;
    log(std::move(t));
    return r;
  }

  Motion run(const Scalings& s) {
    Trial t{.kind = Trial::Kind::run, .scalings = s};
    Motion m;
    ++result_.full_runs;
    try {
      m = experiment_.run(s);
    } catch (const SimulationFailure& failure) {
      m.trouble = failure.what();
    }
    m.ok = m.ok && std::isfinite(m.amplitude);
    if (m.ok) put(m, t.measured);
    t.note = m.trouble;
    log(std::move(t));
    return m;
  }

  static void put(const Motion& m, Measured& to) {
    to.amplitude = m.amplitude;
    to.rms_m = m.rms_m;
    to.peak_m = m.peak_m;
  }

 private:
  void log(Trial t) {
    result_.trials.push_back(std::move(t));
    if (options_.on_trial) options_.on_trial(result_.trials.back());
  }

  Experiment& experiment_;
  const TuneOptions& options_;
  TuneResult& result_;
};

// The load mu / chi^2 that gives the asked sag.
double tune_sag(Bench& bench, const TuneOptions& o, TuneResult& r) {
  const double ratio = r.asked.sag, now = bench.sag(1);
  if (!(now > 0) || !std::isfinite(now)) {
    r.sag.applicable = false;
    r.sag.note = now == 0 ? "no gravity acts on it" : "no equilibrium under gravity to start from";
    return 1;
  }
  r.baseline.sag_m = r.tuned.sag_m = now;
  r.sag.met = true;
  if (ratio == 1) return 1;
  const ScaleFunction value = [&](double load) {
    const double sag = bench.sag(load);
    return ScaleTrial{.value = sag, .ok = std::isfinite(sag), .trouble = "no equilibrium"};
  };
  ScaleSearchOptions so{.tolerance = 0.1 * o.sag_tolerance, .max_evaluations = 16, .unit = now};
  // From the present load the start is the linear guess; knowing where it comes from gives the first slope.
  so.known = {{.scale = 1, .value = now}};
  const ScaleSearchResult found = search_scale(ratio * now, ratio > 0 ? ratio : 1, value, so);
  r.tuned.sag_m = found.value;
  r.got.sag = found.value / now;
  r.sag.met = near(r.got.sag, ratio, o.sag_tolerance);
  if (!r.sag.met) r.sag.note = found.reason;
  return found.scale;
}

// chi and c_k by ring-downs at the load.
void tune_ring(Bench& bench, const TuneOptions& o, double load, TuneResult& r) {
  const Ratios& asked = r.asked;
  const double rms = r.baseline.rms_m.value_or(0);
  const auto release_for = [&](double of) { return of > 0 ? of / 10 : o.fallback_release_m; };
  const double release_now = release_for(rms);
  const double release_then = asked.amplitude > 0 ? release_for(rms * asked.amplitude) : release_now;

  Scalings& s = r.scalings;
  const Ring now = bench.ring({}, release_now);
  if (!now.found) {
    s.chi = asked.frequency;
    s.ck = 1 / (s.chi * s.chi * asked.half_life);
    r.frequency.note = r.half_life.note = "set by the linear formula, not measured: " + now.trouble;
    return;
  }
  r.baseline.frequency_hz = now.frequency_hz;
  r.baseline.half_life_s = now.half_life_s;
  const bool damped = std::isfinite(now.half_life_s);
  if (!damped) {
    r.half_life.applicable = false;
    r.half_life.note = "nothing damps it";
  }

  RingSearchResult found;
  if (asked.frequency == 1 && asked.half_life == 1 && load == 1 && release_then == release_now) {
    found.ring = now;
    found.frequency_met = found.half_life_met = true;
  } else {
    const RingTarget target{.frequency_hz = asked.frequency * now.frequency_hz,
                            .half_life_s = damped ? asked.half_life * now.half_life_s : now.half_life_s,
                            .tolerance = o.ring_tolerance,
                            .max_rings = o.max_rings};
    // The linear law holds for undamped frequencies: the damped ones asked for are reached through those.
    const auto natural = [](double f, double half_life) {
      return std::hypot(2 * std::numbers::pi * f, std::isfinite(half_life) ? std::numbers::ln2 / half_life : 0);
    };
    const double chi = natural(target.frequency_hz, target.half_life_s) / natural(now.frequency_hz, now.half_life_s);
    found = search_ring(target, chi, 1 / (chi * chi * asked.half_life), [&](double c, double k) {
      return bench.ring({.chi = c, .mu = load * c * c, .ck = k}, release_then);
    });
  }
  s.chi = found.chi;
  s.ck = found.ck;
  if (!found.ring.found) {
    r.frequency.note = r.half_life.note = "set by the linear formula, not measured: " + found.reason;
    return;
  }
  r.tuned.frequency_hz = found.ring.frequency_hz;
  r.tuned.half_life_s = found.ring.half_life_s;
  r.got.frequency = found.ring.frequency_hz / now.frequency_hz;
  r.frequency.met = found.frequency_met;
  if (!r.frequency.met) r.frequency.note = found.reason;
  if (damped) {
    r.got.half_life = found.ring.half_life_s / now.half_life_s;
    r.half_life.met = found.half_life_met;
    if (!r.half_life.met) r.half_life.note = found.reason;
  }
}

// epsilon by whole motions.
void tune_amplitude(Bench& bench, const TuneOptions& o, TuneResult& r) {
  const double now = r.baseline.amplitude.value_or(0), ratio = r.asked.amplitude;
  Scalings& s = r.scalings;
  // What counts is the frequency reached: under another sag chi is not its ratio.
  const double speed = r.tuned.frequency_hz ? r.got.frequency : s.chi;
  const double start = (o.start == AmplitudeStart::impulse ? speed : speed * speed) * ratio;
  if (!(now > 0)) {
    r.amplitude.applicable = false;
    s.epsilon = start;
    return;
  }
  ScaleSearchOptions so{
      .tolerance = o.amplitude_tolerance, .max_evaluations = std::max(0, o.max_runs - r.full_runs), .unit = now};
  if (s.chi == 1 && s.mu == 1 && s.ck == 1) so.known = {{.scale = 1, .value = now}};
  std::vector<std::pair<double, Motion>> motions;
  const ScaleSearchResult found = search_scale(
      ratio * now, start > 0 ? start : 1,
      [&](double epsilon) {
        Scalings there = s;
        there.epsilon = epsilon;
        const Motion m = bench.run(there);
        motions.push_back({epsilon, m});
        return ScaleTrial{.value = m.amplitude, .ok = m.ok, .trouble = m.trouble};
      },
      so);
  r.amplitude.met = found.met;
  r.amplitude.note = found.reason;
  if (!found.usable) {
    // Nothing that runs is known; the mildest tried is the nearest to something that does.
    s.epsilon = start;
    for (const auto& [epsilon, m] : motions) s.epsilon = std::min(s.epsilon, epsilon);
    return;
  }
  s.epsilon = found.scale;
  r.got.amplitude = found.value / now;
  for (const auto& [epsilon, m] : motions)
    if (epsilon == found.scale && m.ok) Bench::put(m, r.tuned);
  if (!r.tuned.amplitude) {  // the baseline itself
    r.tuned.amplitude = r.baseline.amplitude;
    r.tuned.rms_m = r.baseline.rms_m;
    r.tuned.peak_m = r.baseline.peak_m;
  }
}

}  // namespace

const char* word_of(Trial::Kind kind) {
  return kind == Trial::Kind::sag ? "static" : kind == Trial::Kind::ring ? "ring" : "run";
}

bool TuneResult::all_met() const {
  for (const Dial* d : {&frequency, &amplitude, &sag, &half_life})
    if (d->applicable && !d->met) return false;
  return true;
}

TuneResult tune(Experiment& experiment, const Ratios& ratios, const TuneOptions& options) {
  require(ratios.frequency, "frequency", false);
  require(ratios.half_life, "half-life", false);
  require(ratios.amplitude, "amplitude", true);
  require(ratios.sag, "sag", true);
  TuneResult r;
  r.asked = ratios;
  Bench bench(experiment, options, r);

  const Motion before = options.baseline ? *options.baseline : bench.run({});
  if (before.ok) Bench::put(before, r.baseline);
  r.amplitude.note = before.ok ? "the motion shakes nothing" : "the motion fails as it is: " + before.trouble;

  const double load = tune_sag(bench, options, r);
  tune_ring(bench, options, load, r);
  r.scalings.mu = load * r.scalings.chi * r.scalings.chi;
  tune_amplitude(bench, options, r);
  return r;
}

}  // namespace supple
