#include "supple/pipeline/trials/part_targets.h"

#include "supple/pipeline/setup/dial_requests.h"

#include <cmath>

namespace supple::pipeline {

namespace {

constexpr double kNone = MeasuredResponse::kUnknown;

bool is_other(double ratio) { return std::isfinite(ratio) && (ratio > 0 ? std::abs(ratio - 1) > 1e-6 : ratio == 0); }

double over(double x, double y) { return y > 0 && std::isfinite(y) && std::isfinite(x) ? x / y : kNone; }

// Keys of the amount at the frames of the run: what is without them is to show times these.
std::vector<double> amount_keys(const Job& job) {
  Notes unheard;
  const FactorKeys keys = read_dial_factors(job.config, job.shot.fps, unheard).amplitude;
  std::vector<double> out;
  if (!keys.empty())
    for (int f = 0; f < job.shot.n_frames(); ++f) out.push_back(keys.at(job.shot.start_time() + f / job.shot.fps));
  return out;
}

}  // namespace

std::vector<PartTarget> part_targets(const Job& job, const std::vector<MeasuredPart>& parts, const Unadjusted& before) {
  const AdjustedBody& body = *job.body;
  AmountWeights weights{.frame = amount_keys(job), .vertex = body.maps[1].vertex};
  const std::vector<double> shaped = part_amounts(parts, before.tets, before.statics, weights);
  std::vector<PartTarget> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    const PartNumbers& p = body.parts[i];
    const MeasuredResponse& was = before.parts[i];
    const AskedValues values = asked_values(job.config, p.name);
    const auto mean = [&](int map) { return mean_over(body.maps[static_cast<size_t>(map)], parts[i].vertices); };
    PartTarget t{.name = p.name,
                 .asked = p.asked,
                 .said = {},
                 .frequency_hz = kNone,
                 .half_life_s = kNone,
                 .sag_m = kNone,
                 .amount_m = kNone};
    t.asked.frequency = values.frequency_hz ? over(*values.frequency_hz, was.ring_hz) : p.asked.frequency;
    t.asked.frequency *= mean(0);
    t.asked.half_life = values.half_life_s ? over(*values.half_life_s, was.ring_half_life_s) : p.asked.half_life;
    t.asked.half_life *= mean(3);
    t.asked.sag = (values.sag_m ? over(*values.sag_m, was.sag_m) : p.asked.sag) * mean(2);
    t.asked.amplitude = p.asked.amplitude * over(shaped[i], was.amount_m);
    t.said = {.frequency = values.frequency_hz || is_other(t.asked.frequency),
              .amplitude = is_other(t.asked.amplitude),
              .sag = values.sag_m || is_other(t.asked.sag),
              .half_life = values.half_life_s || is_other(t.asked.half_life)};
    t.frequency_hz = t.asked.frequency * was.ring_hz;
    t.half_life_s = t.asked.half_life * was.ring_half_life_s;
    t.sag_m = t.asked.sag * was.sag_m;
    t.amount_m = t.asked.amplitude * was.amount_m;
    out.push_back(t);
  }
  return out;
}

}  // namespace supple::pipeline
