#include "supple/pipeline/run/measured_dials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "supple/pipeline/run/part_amounts.h"
#include "supple/pipeline/run/ring_down.h"
#include "supple/sim/analysis.h"

namespace supple::pipeline {

namespace {

constexpr double kReleased = 0.1;       // of how far it goes
constexpr double kLeastRelease = 1e-4;  // of the size

double release_for(const Job& job, double amount_m) {
  return std::max(kReleased * (std::isfinite(amount_m) ? amount_m : 0), kLeastRelease * job.body->model->size());
}

// Of the whole the ring-down is that of the slowest part that was measured with dials and without: two parts have no
// ratio.
void compare_same_part(RunNumbers& n, KnownResponses& known) {
  if (known.baseline_parts.empty()) return;
  int slowest = -1;
  for (size_t i = 0; i < std::min(n.parts.size(), known.baseline_parts.size()); ++i)
    if (std::isfinite(n.parts[i].ring_hz) && std::isfinite(known.baseline_parts[i].ring_hz) &&
        (slowest < 0 || n.parts[i].ring_hz < n.parts[static_cast<size_t>(slowest)].ring_hz))
      slowest = static_cast<int>(i);
  const auto take = [&](const std::vector<MeasuredResponse>& parts, MeasuredResponse& whole) {
    const MeasuredResponse none;
    const MeasuredResponse& from = slowest < 0 ? none : parts[static_cast<size_t>(slowest)];
    whole.ring_hz = from.ring_hz, whole.ring_half_life_s = from.ring_half_life_s;
  };
  take(n.parts, n.whole);
  take(known.baseline_parts, known.baseline);
}

}  // namespace

bool has_dials(const SceneConfig& c) {
  const ControlsConfig& k = c.controls;
  for (const FilePath* map : {&k.frequency_map, &k.amplitude_map, &k.sag_map, &k.half_life_map})
    if (!map->empty()) return true;
  for (const DialKeys* keys : {&k.frequency_keys, &k.amplitude_keys, &k.sag_keys, &k.half_life_keys})
    if (!keys->empty()) return true;
  if (k.frequency != 1 || k.amplitude != 1 || k.sag != 1 || k.half_life != 1) return true;
  if (k.frequency_hz || k.sag_m || k.half_life_s || !c.material.look.empty() || !c.tuned.empty()) return true;
  return std::any_of(c.regions.begin(), c.regions.end(), [](const RegionConfig& r) {
    return r.frequency || r.amplitude || r.sag || r.half_life || r.frequency_hz || r.sag_m || r.half_life_s ||
           !r.look.empty();
  });
}

Job without_dials(const Job& job) {
  Job out = build_job(without_dials(job.config), true, job.subject);
  auto body = std::make_shared<AdjustedBody>(*out.body);
  body->parts = job.body->parts;
  body->split = job.body->split;
  out.body = std::move(body);
  return out;
}

std::vector<MeasuredResponse> measured_at_rest(const Job& job, double release_m, const PointCache* statics,
                                               std::string* frames) {
  std::vector<MeasuredResponse> out(std::max<size_t>(1, job.body->parts.size()));
  const std::vector<RingDown> rings = ring_downs(job, release_m, statics);
  for (size_t i = 0; i < out.size() && i < rings.size(); ++i) {
    out[i].ring_hz = rings[i].frequency_hz, out[i].ring_half_life_s = rings[i].half_life_s;
    if (!frames || rings[i].frames.empty() || !frames->empty()) continue;
    *frames = rings[i].frames.size() == 1
                  ? fmt::format("of a ring-down at frame {}", job.shot.first_frame + rings[i].frames[0])
                  : fmt::format("of ring-downs at frames {}", fmt::join(rings[i].frames, ", "));
    if (rings[i].most_hz > 1.02 * rings[i].least_hz)
      *frames += fmt::format(" ({:.3g} to {:.3g} Hz)", rings[i].least_hz, rings[i].most_hz);
  }
  const Sag sag =
      gravity_sag(*job.body->model, job.config.solver.linear, job.config.solver.tolerance, job.body->sagged);
  for (size_t i = 0; sag.converged && i < out.size(); ++i) {
    out[i].sag_m = sag.sag_m;
    if (out.size() == 1) break;
    const VecX& mass = job.body->model->mass()->per_vertex();
    double sum = 0, all = 0;
    for (int v : job.body->parts[i].vertices) {
      sum += mass[v] * sag.u.segment<3>(3 * v).squaredNorm();
      all += mass[v];
    }
    out[i].sag_m = all > 0 ? std::sqrt(sum / all) : 0;
  }
  return out;
}

const MeasuredResponse& slowest_of(const std::vector<MeasuredResponse>& parts) {
  return *std::min_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return std::isfinite(a.ring_hz) && !(b.ring_hz <= a.ring_hz);
  });
}

void add_measured(const Job& job, const PointCache& tets, const PointCache& statics, RunNumbers& n,
                  KnownResponses& known) {
  const MeasuredPart whole = whole_body(*job.body);
  n.whole.amount_m = part_amounts({whole}, tets, statics)[0];
  n.whole.peak_m = farthest_of(whole, tets, statics);
  if (!n.parts.empty()) {
    const std::vector<double> amounts = part_amounts(measured_parts(*job.body), tets, statics);
    for (size_t i = 0; i < n.parts.size() && i < amounts.size(); ++i) n.parts[i].amount_m = amounts[i];
  }
  if (job.body->frequency_hz <= 0) return;

  const double release = release_for(job, n.whole.amplitude_rms_m);
  const auto put = [](const std::vector<MeasuredResponse>& from, MeasuredResponse& all,
                      std::vector<MeasuredResponse>& parts) {
    const MeasuredResponse& slowest = slowest_of(from);
    all.ring_hz = slowest.ring_hz, all.ring_half_life_s = slowest.ring_half_life_s;
    if (from.size() == 1) all.sag_m = from[0].sag_m;
    for (size_t i = 0; i < parts.size() && i < from.size(); ++i)
      parts[i].ring_hz = from[i].ring_hz, parts[i].ring_half_life_s = from[i].ring_half_life_s,
      parts[i].sag_m = from[i].sag_m;
  };
  put(measured_at_rest(job, release, &statics, &n.ring_down_note), n.whole, n.parts);
  if (has_dials(job.config) && !job.config.expert.raw() && !std::isfinite(known.baseline.ring_hz)) {
    const Job before = without_dials(job);
    known.baseline_parts.resize(n.parts.size());
    put(measured_at_rest(before, release, &statics), known.baseline, known.baseline_parts);
  }
  compare_same_part(n, known);
}

}  // namespace supple::pipeline
