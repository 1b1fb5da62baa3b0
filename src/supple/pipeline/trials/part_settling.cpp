#include "supple/pipeline/trials/part_settling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace supple::pipeline {

namespace {

constexpr int kRounds = 6;
constexpr double kRelease = 1e-3;  // of the size
constexpr double kTold = 0.03;
constexpr double kLargestChange = 4;  // of a factor, in a round

double miss(double got, double wanted) {
  return std::isfinite(got) && std::isfinite(wanted) && wanted > 0 && got > 0 ? std::log(wanted / got) : 0;
}

double natural(double hz, double half_life_s) {
  const double decay = std::isfinite(half_life_s) && half_life_s > 0 ? std::numbers::ln2 / half_life_s : 0;
  return std::hypot(2 * std::numbers::pi * hz, decay);
}

double clamped(double factor) { return std::clamp(factor, 1 / kLargestChange, kLargestChange); }

}  // namespace

Settling settle_parts(const Job& formulas, const std::vector<PartTarget>& targets, double release_m,
                      const PointCache* statics, const std::function<void(const Settling&)>& told) {
  Settling best;
  std::vector<Scalings> found(targets.size());
  double least = std::numeric_limits<double>::infinity();
  for (int round = 1; round <= kRounds; ++round) {
    Job job = formulas;
    job.body = std::make_shared<const AdjustedBody>(tuned(formulas.config, *formulas.body, found));
    const std::vector<MeasuredResponse> got = measured_at_rest(job, release_m, statics);
    double worst = 0;
    std::vector<Scalings> next = found;
    for (size_t i = 0; i < targets.size(); ++i) {
      const PartTarget& t = targets[i];
      const double f = miss(got[i].ring_hz, t.frequency_hz), h = miss(got[i].ring_half_life_s, t.half_life_s),
                   s = miss(got[i].sag_m, t.sag_m);
      // In shares of what is near enough.
      worst = std::max({worst, std::abs(f) / kFrequencyNear, std::abs(h) / kHalfLifeNear, std::abs(s) / kSagNear});
      next[i].mu *= clamped(std::exp(s));
      if (!std::isfinite(got[i].ring_hz) || !std::isfinite(t.frequency_hz)) continue;
      // Laws of a linear body: the undamped frequency goes as chi, the decay as chi^2 c_k.
      const double chi =
          clamped(natural(t.frequency_hz, t.half_life_s) / natural(got[i].ring_hz, got[i].ring_half_life_s));
      next[i].chi *= chi;
      if (std::isfinite(t.half_life_s) && std::isfinite(got[i].ring_half_life_s))
        next[i].ck *= clamped(std::exp(-h) / (chi * chi));
    }
    if (worst < least) least = worst, best.found = found, best.got = got;
    best.rounds = round;
    if (told) told(best);
    if (worst <= 1) break;
    found = next;
  }
  return best;
}

Job settled_job(Job job, const Watch& watch) {
  const SceneConfig& c = job.config;
  if (!has_dials(c) || c.expert.raw() || !c.tuned.empty() || job.shot.drive.shape || c.material.model == "linear" ||
      job.body->frequency_hz <= 0)
    return job;
  const double release = kRelease * job.body->model->size();
  Unadjusted before;
  before.parts = measured_at_rest(without_dials(job), release, nullptr);
  const std::vector<PartTarget> targets = part_targets(job, measured_parts(*job.body), before);
  const Settling settled = settle_parts(job, targets, release, nullptr, [&](const Settling&) {
    if (watch.cancelled()) throw Cancelled();
  });
  job.body = std::make_shared<const AdjustedBody>(tuned(job.config, *job.body, settled.found));
  for (size_t i = 0; i < targets.size(); ++i) {
    const double f = std::exp(-miss(settled.got[i].ring_hz, targets[i].frequency_hz));
    const double s = std::exp(-miss(settled.got[i].sag_m, targets[i].sag_m));
    if (std::abs(f - 1) > kTold || std::abs(s - 1) > kTold)
      job.notes.warn(
          fmt::format("{}: measured before the run, its frequency is {:.2f} and its sag {:.2f} times what "
                      "was asked for",
                      targets[i].name, f, s));
  }
  watch.note(fmt::format("frequency, half-life and sag brought to what is asked in {} rounds", settled.rounds));
  return job;
}

}  // namespace supple::pipeline
