#include "supple/pipeline/trials/wanted_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/pipeline/trials/experiment.h"
#include "supple/pipeline/trials/reference_motion.h"
#include "supple/tune/direct.h"

namespace supple::pipeline {

SceneConfig wanted_scene(SceneConfig scene, const TuneRequest& request, const Job& unadjusted,
                         const MeasuredResponse& before, std::vector<std::string>& notes) {
  scene.tuned.clear();
  ControlsConfig& c = scene.controls;
  const auto number = [](double value, const char* name, bool zero_allowed) {
    if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return value;
    throw InputError({.place = name}, fmt::format("a ratio of {} cannot be met", value),
                     zero_allowed ? "give a number from zero up" : "give a number above zero");
  };
  const auto measured = [&](const char* what, double now) {
    if (now > 0 && std::isfinite(now)) return now;
    throw InputError({.file = scene.file}, fmt::format("{} cannot be met: there is none to start from", what),
                     "ask for the others");
  };
  std::optional<double> hz = request.frequency_hz, settle = request.half_life_s, hang = request.sag_m, peak;
  if (!request.like.empty()) {
    const LikeNumbers like = read_like(request.like, unadjusted.shot.fps);
    notes.insert(notes.end(), like.notes.begin(), like.notes.end());
    // What is asked for in words of its own goes first.
    if (!hz && !request.frequency) hz = like.frequency_hz;
    if (!settle && !request.half_life) settle = like.half_life_s;
    if (!hang && !request.sag) hang = like.sag_m;
    if (!request.amplitude) peak = like.peak_m;
  }
  const double fps = unadjusted.shot.fps;
  if (request.frames_per_bounce) hz = frequency_for_bounce(fps, *request.frames_per_bounce);
  if (request.settle_by) {
    const double from = last_moving_frame(unadjusted);
    settle = half_life_to_settle(fps, from, *request.settle_by);
    notes.push_back(fmt::format(
        "settled (5 % left) by frame {:g}, counted from the end of the motion at frame {:g}: a half-life of {:.4g} s",
        *request.settle_by, from, *settle));
  }
  if (request.frequency) c.frequency = number(*request.frequency, "frequency", false), c.frequency_hz.reset();
  if (request.amplitude) c.amplitude = number(*request.amplitude, "amplitude", true);
  if (request.sag) c.sag = number(*request.sag, "sag", true), c.sag_m.reset();
  if (request.half_life) c.half_life = number(*request.half_life, "half-life", false), c.half_life_s.reset();
  if (hz) measured("a frequency", before.ring_hz), c.frequency_hz = hz, c.frequency = 1;
  if (settle) measured("a half-life", before.ring_half_life_s), c.half_life_s = settle, c.half_life = 1;
  if (hang && request.sag_m) measured("a sag", before.sag_m);
  if (hang && before.sag_m > 0) c.sag_m = hang, c.sag = 1;
  if (peak) c.amplitude = *peak / measured("a peak", before.peak_m);
  return scene;
}

std::vector<double> heights_of(const Job& job, const PointCache& tets, const PointCache& statics) {
  const Vec3 g = gravity_of(job.config.world);
  const Vec3 up = g.norm() > 0 ? Vec3(-g.normalized()) : Vec3(0, 1, 0);
  const int n = std::min(tets.n_samples, statics.n_samples);
  std::vector<double> lively(static_cast<size_t>(tets.n_points), 0);
  const auto height = [&](int frame, size_t v) {
    const float *x = tets.sample(frame) + 3 * v, *y = statics.sample(frame) + 3 * v;
    return up.dot(Vec3(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
  };
  for (int f = 0; f < n; ++f)
    for (size_t v = 0; v < lively.size(); ++v) lively[v] += std::pow(height(f, v), 2);
  const auto most = static_cast<size_t>(std::max_element(lively.begin(), lively.end()) - lively.begin());
  std::vector<double> out;
  for (int f = 0; f < n; ++f) out.push_back(height(f, most));
  return out;
}

LowPoint low_point(const Job& job, const std::vector<double>& heights, double wanted_frame) {
  LowPoint out;
  const double from = last_moving_frame(job);
  if (static_cast<double>(heights.size()) <= from + 1) {
    out.reason = "the motion never stands still";
    return out;
  }
  const RingEstimate ring = estimate_ring({heights.begin() + static_cast<long>(from), heights.end()}, 1 / job.shot.fps);
  out.reason = ring.reason;
  if (!ring.found) return out;
  const Swing swing{job.shot.fps, from, ring.frequency_hz, ring.half_life_s, ring.phase_rad};
  const std::vector<double> lows = low_frames(swing, job.shot.n_frames() - 1);
  out.frame = lows.empty() ? -1 : lows[0];
  for (double low : lows)
    if (std::abs(low - wanted_frame) < std::abs(out.frame - wanted_frame)) out.frame = low;
  const LowAt guess = frequency_for_low_at(swing, wanted_frame);
  out.found = guess.reachable;
  out.reason = guess.note;
  out.ratio = guess.ratio;
  return out;
}

}  // namespace supple::pipeline
