#include "supple/pipeline/trials/part_targets.h"

#include "supple/pipeline/setup/dial_requests.h"

#include <cmath>

namespace supple::pipeline {

namespace {

constexpr double kNone = MeasuredResponse::kUnknown;

// What the scene says of a part in numbers themselves: its region's say stands in place of that of [controls].
struct Values {
  std::optional<double> frequency_hz, half_life_s, sag_m;
};
Values values_of(const SceneConfig& c, const std::string& part) {
  std::string name = part.substr(0, part.find(", "));
  const RegionConfig* r = region_named(c, name);
  if (!r) r = region_named(c, name.substr(0, name.rfind(" (")));
  const ControlsConfig& k = c.controls;
  Values v{k.frequency_hz, k.half_life_s, k.sag_m};
  if (!r) return v;
  if (r->frequency || r->frequency_hz) v.frequency_hz = r->frequency_hz;
  if (r->half_life || r->half_life_s) v.half_life_s = r->half_life_s;
  if (r->sag || r->sag_m) v.sag_m = r->sag_m;
  return v;
}

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
    const Values values = values_of(job.config, p.name);
    const auto mean = [&](int map) { return mean_over(body.maps[static_cast<size_t>(map)], parts[i].vertices); };
    PartTarget t{.name = p.name,
                 .asked = p.asked,
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
    t.frequency_hz = t.asked.frequency * was.ring_hz;
    t.half_life_s = t.asked.half_life * was.ring_half_life_s;
    t.sag_m = t.asked.sag * was.sag_m;
    t.amount_m = t.asked.amplitude * was.amount_m;
    out.push_back(t);
  }
  return out;
}

}  // namespace supple::pipeline
