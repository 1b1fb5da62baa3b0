#include "supple/pipeline/character/flesh_forecast.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "supple/tune/carried_motion.h"

namespace supple::pipeline {

namespace {

constexpr double kMayBeHeld = 0.02;     // of vertices and frames
constexpr double kAtMostHeld = 0.02;    // likewise, where lively clips would not be seen otherwise
constexpr double kMayBeHeldOnce = 0.1;  // in a single clip
constexpr int kRounds = 3;              // of gains, and of how far flesh goes with them
constexpr double kSeen =
    9.0 / 400;                      // of the picture, by the soft skin alone; what moves along with it less is seen too
constexpr double kMostSeen = 0.98;  // of the lively clips
constexpr int kShareHalvings = 7;   // of what is left to find

// Between `yes`, where something holds, and the other end of what may be: the farthest from `yes` where it does.
double last_that_holds(double yes, double end, const std::function<bool(double)>& holds) {
  if (holds(end)) return end;
  for (int k = 0; k < kShareHalvings; ++k) {
    const double middle = 0.5 * (yes + end);
    (holds(middle) ? yes : end) = middle;
  }
  return yes;
}

}  // namespace

// How far it is seen to go, as a share of the picture.
double FleshForecast::farthest(const ClipResponse& clip, const Gains& gain, double knee) const {
  std::vector<Weighted> far;
  for (const std::vector<double>& at : responses_.drawn_swings(clip, gain, knee))
    for (size_t i = 0; i < at.size(); ++i)
      far.push_back({at[i] * responses_.reach()[i] / responses_.picture(), responses_.weight()[i]});
  return weighted_percentile(std::move(far), 0.99);
}

double FleshForecast::held(const Shares& shares, double knee) const {
  double held = 0, counted = 0;
  for (const std::vector<double>& at : shares)
    for (size_t i = 0; i < at.size(); ++i) {
      counted += responses_.weight()[i];
      if (knee > 0 && at[i] > knee) held += responses_.weight()[i];
    }
  return counted > 0 ? held / counted : 0;
}

// What brings each entry to where little enough of it is held back, in all clips as much as in any of them.
Gains FleshForecast::lowest_gains(const Gains& from, double knee) const {
  Gains out(from.size(), 1);
  std::vector<std::vector<Weighted>> all(out.size());
  std::vector<double> most(out.size(), 0);
  for (const ClipResponse& clip : responses_.clips()) {
    std::vector<std::vector<Weighted>> here(out.size());
    const Shares shares = responses_.shares(clip, from);
    for (const std::vector<double>& at : shares)
      for (size_t i = 0; i < at.size(); ++i) {
        const size_t e = responses_.entry()[i];
        here[e].push_back({at[i], responses_.weight()[i]});
        all[e].push_back({at[i], responses_.weight()[i] / static_cast<double>(shares.size())});
      }
    for (size_t e = 0; e < out.size(); ++e)
      most[e] = std::max(most[e], weighted_percentile(std::move(here[e]), 1 - kMayBeHeldOnce));
  }
  for (size_t e = 0; e < out.size(); ++e) {
    most[e] = std::max(most[e], weighted_percentile(std::move(all[e]), 1 - kMayBeHeld));
    if (most[e] > 0) out[e] = std::min(1.0, from[e] * linear_from(knee) / linear_from(most[e]));
  }
  return out;
}

// From there back towards 1 until lively clips are seen, those that can be, or as much as may be is held back.
Gains FleshForecast::seen_gains(const Gains& lowest, double knee) const {
  const auto at = [&](double share) {
    Gains gain = lowest;
    for (double& g : gain) g = std::pow(g, share);
    return gain;
  };
  const auto is_seen = [&](const ClipResponse& clip, double share) { return farthest(clip, at(share), knee) >= kSeen; };
  std::vector<const ClipResponse*> lively;
  for (const ClipResponse& clip : responses_.clips())
    if (clip.lively && is_seen(clip, 0)) lively.push_back(&clip);
  // Of all that there is to see: a long idle counts for more than a short blow.
  const auto little_is_held = [&](double share) {
    double held_then = 0, all = 0;
    for (const ClipResponse& clip : responses_.clips()) {
      const Shares shares = responses_.shares(clip, at(share));
      const double seconds = static_cast<double>(shares.size()) / clip.fps;
      held_then += seconds * held(shares, knee), all += seconds;
    }
    return held_then <= kAtMostHeld * all;
  };
  const auto are_seen = [&](double share) {
    const auto seen =
        std::count_if(lively.begin(), lively.end(), [&](const ClipResponse* clip) { return is_seen(*clip, share); });
    return static_cast<double>(seen) >= kMostSeen * static_cast<double>(lively.size());
  };
  if (are_seen(1) || !little_is_held(1)) return at(1);
  // The lower the share, the more is seen and the more is held back.
  const double least = last_that_holds(1, 0, little_is_held);
  return at(are_seen(least) ? last_that_holds(least, 1, are_seen) : least);
}

std::vector<double> FleshForecast::gains(double knee) {
  Gains gain(body_.swing.size(), 1);
  if (knee <= 0 || responses_.clips().empty()) return gain;
  for (int round = 0; round < kRounds; ++round) {
    responses_.correct(gain);
    gain = seen_gains(lowest_gains(gain, knee), knee);
  }
  return gain;
}

std::vector<ClipForecast> FleshForecast::clips(const std::vector<double>& gain, double knee) {
  responses_.correct(gain);
  std::vector<ClipForecast> out;
  for (const ClipResponse& clip : responses_.clips()) {
    const Shares shares = responses_.shares(clip, gain);
    ClipForecast c{.clip = clip.name,
                   .run = !clip.run.empty(),
                   .held = held(shares, knee),
                   .farthest = farthest(clip, gain, knee),
                   .regions = {}};
    std::vector<Weighted> all;
    std::vector<std::vector<Weighted>> of_entry(gain.size());
    for (const std::vector<double>& at : shares)
      for (size_t i = 0; i < at.size(); ++i) {
        of_entry[responses_.entry()[i]].push_back({at[i], responses_.weight()[i]});
        all.push_back({at[i], responses_.weight()[i]});
      }
    c.swing99 = weighted_percentile(std::move(all), 0.99);
    for (size_t e = 0; e < of_entry.size(); ++e)
      c.regions.push_back({body_.groups.entries[e]->bone, weighted_percentile(std::move(of_entry[e]), 0.99)});
    out.push_back(std::move(c));
  }
  return out;
}

Json forecast_json(const std::vector<ClipForecast>& forecasts, const std::string& clip, const MotionCheck& run) {
  const auto it = std::find_if(forecasts.begin(), forecasts.end(), [&](const auto& f) { return f.clip == clip; });
  if (it == forecasts.end()) return {};
  const auto beside = [](double forecast, double measured) {
    Json j;
    j["forecast"] = forecast, j["measured"] = measured;
    j["ratio"] = forecast > 0 ? measured / forecast : std::numeric_limits<double>::quiet_NaN();
    return j;
  };
  Json j;
  j["by"] = it->run ? "linear run" : "oscillators";
  j["swing99"] = beside(it->swing99, run.swing99);
  j["held_share"] = beside(it->held, run.held_share);
  for (const RegionForecast& f : it->regions)
    for (const RegionCheck& r : run.regions)
      if (r.name == f.name) j["regions"][f.name] = beside(f.swing99, r.swing99);
  return j;
}

}  // namespace supple::pipeline
