#include "supple/pipeline/character/flesh_forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "supple/anim/loop_track.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/reach.h"
#include "supple/tune/carried_motion.h"
#include "supple/tune/dials.h"
#include "supple/tune/linear_forecast.h"

namespace supple::pipeline {

namespace {

constexpr size_t kPointsEach = 48;  // of an entry, that are followed through all clips
constexpr double kMostFps = 30;
constexpr double kRepeats = 1e-3;      // of the size: a clip whose end is so near to its beginning repeats
constexpr double kMostRun = 4;         // [s] of all clips together that are run
constexpr double kLongestStretch = 2;  // [s] of one of them
constexpr double kLeadIn = 1;          // [s] of it that are not counted
constexpr size_t kMostStretches = 3;
constexpr double kMayBeHeld = 0.02;     // of vertices and frames
constexpr double kAtMostHeld = 0.05;    // likewise, where lively clips would not be seen otherwise
constexpr double kMayBeHeldOnce = 0.1;  // in a single clip
constexpr int kRounds = 3;              // of gains, and of how far flesh goes with them
constexpr double kSeen = 7.0 / 400;     // of the picture, somewhere and sometimes
constexpr double kMostSeen = 0.95;      // of the lively clips
constexpr double kWideAsHigh = 16.0 / 9;
constexpr double kFarFromOscillator = 5;

struct Weighted {
  double value, weight;
};
// Of weighted values, with the weights of those below.
double weighted_percentile(std::vector<Weighted> list, double share) {
  if (list.empty()) return 0;
  std::sort(list.begin(), list.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double all = 0, below = 0;
  for (const Weighted& w : list) all += w.weight;
  for (const Weighted& w : list)
    if ((below += w.weight) >= share * all) return w.value;
  return list.back().value;
}

SkinnedPoints only(const SkinnedPoints& all, const std::vector<int>& vertices) {
  SkinnedPoints some;
  std::vector<int> place(all.rest.size(), -1);
  for (int v : vertices) {
    place[v] = static_cast<int>(some.rest.size());
    some.rest.push_back(all.rest[v]);
    for (int k = all.skin.first[v]; k < all.skin.first[v + 1]; ++k)
      some.skin.bone.push_back(all.skin.bone[k]), some.skin.weight.push_back(all.skin.weight[k]);
    some.skin.first.push_back(static_cast<int>(some.skin.bone.size()));
  }
  for (const Morph& m : all.morphs) {
    Morph mine{.node = m.node, .target = m.target, .points = {}, .offsets = {}};
    for (size_t i = 0; i < m.points.size(); ++i)
      if (place[m.points[i]] >= 0) mine.points.push_back(place[m.points[i]]), mine.offsets.push_back(m.offsets[i]);
    some.morphs.push_back(std::move(mine));
  }
  return some;
}

ClipFrames sampled(const SceneConfig& config, const CharacterSetup& c, const Clip& clip) {
  return frames_of(c.character, c.drawn, clip, std::min(kMostFps, keyed_rate_of(config, clip)));
}

std::vector<VecX> positions(const SkinnedPoints& points, const ClipFrames& frames) {
  std::vector<VecX> out(frames.poses.size());
  parallel_for(out.size(), 4, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) out[f] = flatten(posed(points, frames.poses[f]));
  });
  return out;
}

bool comes_back(const std::vector<VecX>& x) {
  if (x.size() < 4) return false;
  double size = 0, apart = 0;
  for (Eigen::Index i = 0; i < x[0].size(); i += 3) {
    size = std::max(size, (x[0].segment<3>(i) - x[0].head<3>()).norm());
    apart = std::max(apart, (x[0].segment<3>(i) - x.back().segment<3>(i)).norm());
  }
  return apart < kRepeats * size;
}

// The body with the half-lives of its entries, as the run will have them at this step.
Model damped(const SceneConfig& config, const ForecastBody& body, const Integrator integrator, double h) {
  ModelSpec spec = body.model.spec();
  std::vector<double> damping, count(spec.mesh.vertices.size(), 0), at(count.size(), 0);
  for (const FleshConfig* f : body.groups.entries) {
    const StepRule rule{.integrator = integrator, .h = h, .stage_fraction = config.expert.stage_fraction};
    damping.push_back(
        damping_for(rule, f->half_life_s.value_or(0.2), f->frequency_hz.value_or(kUsualFrequency), spec.mass_damping)
            .d_k);
  }
  for (size_t e = 0; e < damping.size(); ++e)
    for (int v : body.groups.vertices[e]) at[v] = damping[e], count[v] = 1;
  for (size_t t = 0; t < spec.mesh.tets.size(); ++t) {
    double sum = 0, n = 0;
    for (int v : spec.mesh.tets[t]) sum += at[v], n += count[v];
    if (n > 0) spec.per_tet[t].stiffness_damping = sum / n;
  }
  return Model(std::move(spec));
}

}  // namespace

FleshForecast::FleshForecast(const SceneConfig& config, const ForecastBody& body) : config_(config), body_(body) {
  const SwingGroups& g = body.groups;
  const std::vector<double> reach = reach_of(body.model.mesh(), body.flesh);
  std::vector<double> frequency, half_life;
  for (size_t e = 0; e < g.entries.size(); ++e) {
    const std::vector<int> some = some_of(g.vertices[e], kPointsEach);
    for (int v : some) {
      if (reach[v] <= 0) continue;
      points_.push_back(v), entry_.push_back(e), reach_.push_back(reach[v]);
      weight_.push_back(static_cast<double>(g.vertices[e].size()) / static_cast<double>(some.size()));
      frequency.push_back(g.entries[e]->frequency_hz.value_or(kUsualFrequency));
      half_life.push_back(g.entries[e]->half_life_s.value_or(0.2));
    }
  }
  missed_.assign(points_.size(), 1);
  const CharacterSetup& c = body.character;
  const Box box = bounding_box(c.skin.vertices);
  const Vec3 up = up_of(config.world).cwiseAbs();
  const double height = box.size().dot(up), width = (box.size() - box.size().cwiseProduct(up)).maxCoeff();
  picture_ = std::max(height, width / kWideAsHigh);
  const SkinnedPoints followed = only(body.flesh.points, points_);
  for (const Clip& clip : c.character.clips) {
    const ClipFrames frames = sampled(config, c, clip);
    const CarriedPoints carried{.fps = frames.fps, .positions = positions(followed, frames)};
    const bool repeats = comes_back(carried.positions);
    std::vector<Weighted> accelerations;
    for (const VecX& a : carried_accelerations(carried))
      for (size_t i = 0; i < points_.size(); ++i)
        accelerations.push_back({a.segment<3>(static_cast<Eigen::Index>(3 * i)).norm(), weight_[i]});
    felt_.push_back({.name = clip.name,
                     .fps = frames.fps,
                     .repeats = repeats,
                     .run = false,
                     .lively = weighted_percentile(std::move(accelerations), 0.95) >= kBrisk * height,
                     .frames = felt_accelerations(carried, frequency, half_life, repeats)});
  }
  if (felt_.empty() || points_.empty()) return;
  stretches_ = liveliest();
  for (Stretch& stretch : stretches_) run(stretch);
}

double FleshForecast::share_at(size_t point, double felt, const Gains& gain) const {
  const size_t e = entry_[point];
  return missed_[point] * gain[e] * share_of_swing(body_.swing[e], body_.flesh) * felt;
}

// A stretch of every clip where its flesh is thrown most, the liveliest of them.
std::vector<FleshForecast::Stretch> FleshForecast::liveliest() const {
  struct Candidate {
    Stretch stretch;
    double lively = 0, seconds = 0;
  };
  const Gains one(body_.swing.size(), 1);
  std::vector<Candidate> list;
  for (size_t k = 0; k < felt_.size(); ++k) {
    const Felt& f = felt_[k];
    const int n = static_cast<int>(f.frames.size());
    if (n < 4) continue;
    std::vector<double> lively;
    for (const std::vector<double>& at : f.frames) {
      std::vector<double> shares;
      for (size_t i = 0; i < at.size(); ++i) shares.push_back(share_at(i, at[i], one));
      lively.push_back(percentile(std::move(shares), 0.9));
    }
    Candidate c{.stretch = {.clip = k}, .lively = percentile(lively, 0.9)};
    const int longest = static_cast<int>(kLongestStretch * f.fps), lead = static_cast<int>(kLeadIn * f.fps);
    const int peak = static_cast<int>(std::max_element(lively.begin(), lively.end()) - lively.begin());
    Stretch& s = c.stretch;
    if (f.repeats && n - 1 + lead <= longest) {  // the cycle, after a way into it
      s.first = -lead, s.counted = 0, s.last = n - 1;
    } else {
      s.last = std::min(n - 1, std::max(peak + longest / 4, longest));
      s.first = std::max(0, s.last - longest);
      s.counted = s.first == 0 && !f.repeats ? 0 : std::min(s.first + lead, s.last);
    }
    c.seconds = (s.last - s.first) / f.fps;
    list.push_back(c);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Candidate& a, const Candidate& b) { return a.lively > b.lively; });
  std::vector<Stretch> out;
  double seconds = 0;
  for (const Candidate& c : list) {
    if (out.size() == kMostStretches || (!out.empty() && seconds + c.seconds > kMostRun)) break;
    out.push_back(c.stretch), seconds += c.seconds;
  }
  return out;
}

void FleshForecast::run(Stretch& s) {
  const CharacterSetup& c = body_.character;
  Felt& f = felt_[s.clip];
  std::vector<VecX> x = positions(body_.flesh.points, sampled(config_, c, c.character.clips[s.clip]));
  const double dt = 1 / f.fps;
  std::unique_ptr<Track> drawn;
  if (f.repeats)
    drawn = make_looped_track(x, dt, RigidMotion());
  else
    continue_end(x), drawn = make_sampled_track(std::move(x), dt, TrackStart::moving);
  const ForecastShot shot{.drawn = *drawn,
                          .start = s.first * dt,
                          .frames = s.last - s.first,
                          .fps = f.fps,
                          .substeps = static_cast<int>(std::ceil(kStepsPerSecond / f.fps - 1e-9)),
                          .integrator = integrator_from_name(config_.solver.integrator)};
  const Model model = damped(config_, body_, shot.integrator, dt / shot.substeps);
  const auto n = static_cast<Eigen::Index>(body_.inertia.size());
  MatX inertia(model.n_vertices(), n);
  for (Eigen::Index e = 0; e < n; ++e) {
    std::vector<double> own(body_.inertia.size(), 0);
    own[static_cast<size_t>(e)] = body_.inertia[static_cast<size_t>(e)];
    inertia.col(e) = inertia_field(body_.model, body_.parts, body_.groups, own);
  }
  std::vector<MatX> d = LinearForecast(model, inertia, points_, config_.solver.linear).departures(shot);
  const bool good = !d.empty() && std::all_of(d.begin(), d.end(), [](const MatX& m) { return m.allFinite(); });
  f.run = good;
  if (good) s.departures.assign(d.begin() + (s.counted - s.first), d.end());
}

// How much further points go than their oscillators, where they were run.
void FleshForecast::compare(const Gains& gain) {
  std::vector<double> ran(points_.size(), 0), alone = ran;
  missed_.assign(points_.size(), 1);
  VecX g(static_cast<Eigen::Index>(gain.size()));
  for (size_t e = 0; e < gain.size(); ++e) g[static_cast<Eigen::Index>(e)] = gain[e];
  for (const Stretch& s : stretches_)
    for (size_t k = 0; k < s.departures.size(); ++k) {
      const VecX d = s.departures[k] * g;
      const std::vector<double>& felt = felt_[s.clip].frames[static_cast<size_t>(s.counted) + k];
      for (size_t i = 0; i < points_.size(); ++i) {
        ran[i] += d.segment<3>(static_cast<Eigen::Index>(3 * i)).squaredNorm() / (reach_[i] * reach_[i]);
        alone[i] += std::pow(share_at(i, felt[i], gain), 2);
      }
    }
  for (size_t i = 0; i < points_.size(); ++i)
    if (ran[i] > 0 && alone[i] > 0)
      missed_[i] = std::clamp(std::sqrt(ran[i] / alone[i]), 1 / kFarFromOscillator, kFarFromOscillator);
}

// How far it is seen to go, as a share of the picture.
double FleshForecast::farthest(const Felt& clip, const Gains& gain, double knee) const {
  std::vector<Weighted> far;
  for (const std::vector<double>& at : clip.frames)
    for (size_t i = 0; i < at.size(); ++i)
      far.push_back({held_back(share_at(i, at[i], gain), knee) * reach_[i] / picture_, weight_[i]});
  return weighted_percentile(std::move(far), 0.99);
}

double FleshForecast::held(const Felt& clip, const Gains& gain, double knee) const {
  double held = 0, counted = 0;
  for (const std::vector<double>& at : clip.frames)
    for (size_t i = 0; i < at.size(); ++i) {
      counted += weight_[i];
      if (knee > 0 && share_at(i, at[i], gain) > knee) held += weight_[i];
    }
  return counted > 0 ? held / counted : 0;
}

// What brings each entry to where little enough of it is held back, in all clips as much as in any of them.
FleshForecast::Gains FleshForecast::lowest_gains(double knee) const {
  const Gains one(body_.swing.size(), 1);
  Gains out = one;
  std::vector<std::vector<Weighted>> all(out.size());
  std::vector<double> most(out.size(), 0);
  for (const Felt& f : felt_) {
    std::vector<std::vector<double>> here(out.size());
    for (const std::vector<double>& at : f.frames)
      for (size_t i = 0; i < at.size(); ++i) {
        here[entry_[i]].push_back(share_at(i, at[i], one));
        all[entry_[i]].push_back({here[entry_[i]].back(), 1 / static_cast<double>(f.frames.size())});
      }
    for (size_t e = 0; e < out.size(); ++e)
      most[e] = std::max(most[e], percentile(std::move(here[e]), 1 - kMayBeHeldOnce));
  }
  for (size_t e = 0; e < out.size(); ++e) {
    most[e] = std::max(most[e], weighted_percentile(std::move(all[e]), 1 - kMayBeHeld));
    if (most[e] > knee) out[e] = knee / most[e];
  }
  return out;
}

// From there back towards 1 until lively clips are seen, those that can be.
FleshForecast::Gains FleshForecast::seen_gains(const Gains& lowest, double knee) const {
  const auto at = [&](double share) {
    Gains gain = lowest;
    for (double& g : gain) g = std::pow(g, share);
    return gain;
  };
  std::vector<const Felt*> lively;
  for (const Felt& f : felt_)
    if (f.lively && farthest(f, at(0), knee) >= kSeen) lively.push_back(&f);
  double share = 1;
  for (constexpr double kStep = 0.05; share > kStep; share -= kStep) {
    const auto seen = std::count_if(lively.begin(), lively.end(),
                                    [&](const Felt* f) { return farthest(*f, at(share), knee) >= kSeen; });
    if (static_cast<double>(seen) >= kMostSeen * static_cast<double>(lively.size())) break;
    double held_then = 0;
    for (const Felt& f : felt_) held_then += held(f, at(share - kStep), knee);
    if (held_then > kAtMostHeld * static_cast<double>(felt_.size())) break;
  }
  return at(share);
}

std::vector<double> FleshForecast::gains(double knee) {
  Gains gain(body_.swing.size(), 1);
  if (knee <= 0 || felt_.empty()) return gain;
  for (int round = 0; round < kRounds; ++round) {
    compare(gain);
    gain = seen_gains(lowest_gains(knee), knee);
  }
  return gain;
}

std::vector<ClipForecast> FleshForecast::clips(const std::vector<double>& gain, double knee) {
  compare(gain);
  std::vector<ClipForecast> out;
  for (const Felt& f : felt_) {
    ClipForecast c{
        .clip = f.name, .run = f.run, .held = held(f, gain, knee), .farthest = farthest(f, gain, knee), .regions = {}};
    std::vector<Weighted> all;
    std::vector<std::vector<double>> of_entry(gain.size());
    for (const std::vector<double>& at : f.frames)
      for (size_t i = 0; i < at.size(); ++i) {
        of_entry[entry_[i]].push_back(share_at(i, at[i], gain));
        all.push_back({of_entry[entry_[i]].back(), weight_[i]});
      }
    c.swing99 = weighted_percentile(std::move(all), 0.99);
    for (size_t e = 0; e < of_entry.size(); ++e)
      c.regions.push_back({body_.groups.entries[e]->bone, percentile(std::move(of_entry[e]), 0.99)});
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
