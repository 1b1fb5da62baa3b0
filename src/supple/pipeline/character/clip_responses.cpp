#include "supple/pipeline/character/clip_responses.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/anim/pose_cycle.h"
#include "supple/anim/pose_track.h"
#include "supple/attach/reach.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/clip_motion.h"
#include "supple/tune/dials.h"
#include "supple/tune/linear_forecast.h"

namespace supple::pipeline {

namespace {

// Of the watched points of an entry, ordered by how far they give way, those that are followed through all clips: most
// of them where the far end of its swings is.
struct Layer {
  double above;  // share of them
  size_t most;   // that are followed up to the next layer
};
constexpr Layer kLayers[] = {{0, 16}, {0.7, 16}, {0.92, 16}};
constexpr double kAlike = 1e4;         // steps of what the farthest gives way, within which points are alike
constexpr double kMostRun = 240;       // [s] of all clips together that are run
constexpr double kLongestStretch = 6;  // [s] of one of them
constexpr double kLeadIn = 3.5;        // half-lives of the flesh before it
constexpr double kFewest = 4;          // frames of a clip that is worth it
constexpr double kLively = 0.9;        // of a brisk walk: to be on the safe side
constexpr double kWideAsHigh = 16.0 / 9;
constexpr double kFarFromOscillator = 5;
constexpr double kHardlyMoves = 1e-3;  // of the liveliest
constexpr double kStiffens = 0.6;      // found by runs of a hundred clips beside their forecasts

ClipFrames keyed_frames(const SceneConfig& config, const CharacterSetup& c, const Clip& clip) {
  return frames_of(c.character, c.drawn, clip, std::min(kStepsPerSecond, keyed_rate_of(config, clip)));
}

// The body with the half-lives of its entries, as the run will have them at this step. Springs are not damped, so what
// is has to lose more.
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
    for (int v : body.groups.vertices[e])
      if (body.in_tets[v] > 0) at[v] = damping[e] / body.in_tets[v], count[v] = 1;
  for (size_t t = 0; t < spec.mesh.tets.size(); ++t) {
    double sum = 0, n = 0;
    for (int v : spec.mesh.tets[t]) sum += at[v], n += count[v];
    if (n > 0) spec.per_tet[t].stiffness_damping = sum / n;
  }
  return Model(std::move(spec));
}

// Points, and how many each stands for.
std::vector<std::pair<int, double>> followed_points(const std::vector<int>& watched, const std::vector<double>& gives,
                                                    size_t stood_for) {
  std::vector<int> order(watched.size());
  std::iota(order.begin(), order.end(), 0);
  if (gives.size() == watched.size()) {
    // Both sides of a mirrored body give way alike up to rounding, which is to decide nothing.
    const double most = std::max(*std::max_element(gives.begin(), gives.end()), 1e-300);
    const auto rank = [&](int i) { return std::round(kAlike * gives[static_cast<size_t>(i)] / most); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
  }
  std::vector<std::pair<int, double>> out;
  for (size_t k = 0; k < std::size(kLayers); ++k) {
    const auto at = [&](double share) {
      return static_cast<std::ptrdiff_t>(share * static_cast<double>(order.size()));
    };
    const double next = k + 1 < std::size(kLayers) ? kLayers[k + 1].above : 1;
    const std::vector<int> layer(order.begin() + at(kLayers[k].above), order.begin() + at(next));
    const std::vector<int> some = some_of(layer, kLayers[k].most);
    const double each = static_cast<double>(stood_for * layer.size()) / static_cast<double>(order.size() * some.size());
    for (int i : some) out.emplace_back(watched[static_cast<size_t>(i)], each);
  }
  return out;
}

VecX to_vector(const std::vector<double>& list) {
  return Eigen::Map<const VecX>(list.data(), static_cast<Eigen::Index>(list.size()));
}

}  // namespace

double stiffened(double linear) { return linear / std::sqrt(1 + kStiffens * linear * linear); }
double linear_from(double stiffened) {
  return stiffened / std::sqrt(std::max(1 - kStiffens * stiffened * stiffened, 1e-6));
}

// Halves of it, as a selection has them.
double weighted_percentile(std::vector<Weighted> list, double share) {
  double wanted = 0;
  for (const Weighted& w : list) wanted += share * w.weight;
  auto first = list.begin(), last = list.end();
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    double below = 0;
    for (auto it = first; it != middle; ++it) below += it->weight;
    if (below >= wanted)
      last = middle;
    else
      wanted -= below, first = middle;
  }
  return list.empty() ? 0 : first->value;
}

// A clip as the run has it: cycles closed, leaps known, smoothed in time. Whatever a scene makes of cuts: flesh is that
// of the file.
struct ClipResponses::Motion {
  ClipFrames frames;
  ClipCuts cuts;
  PoseCycle cycle;
  std::vector<VecX> followed;  // the points, smoothed
};

ClipResponses::ClipResponses(const SceneConfig& config, const ForecastBody& body) : config_(config), body_(body) {
  const SwingGroups& g = body.groups;
  for (size_t e = 0; e < g.entries.size(); ++e) {
    for (const auto& [p, weight] : followed_points(g.watched[e], body.gives[e], g.points[e].size())) {
      points_.push_back(p), entry_.push_back(e), reach_.push_back(body.skin.reach[static_cast<size_t>(p)]);
      weight_.push_back(weight);
    }
  }
  missed_.assign(points_.size(), 1);
  const CharacterSetup& c = body.character;
  const Box box = bounding_box(c.skin.vertices);
  const Vec3 up = up_of(config.world).cwiseAbs();
  const double height = box.size().dot(up), width = (box.size() - box.size().cwiseProduct(up)).maxCoeff();
  picture_ = std::max(height, width / kWideAsHigh);
  if (points_.empty()) return;

  std::vector<int> vertices;
  for (int p : points_) vertices.push_back(c.skin_source[static_cast<size_t>(body.skin.skin[static_cast<size_t>(p)])]);
  const SkinnedPoints followed = only(c.drawn.vertices, vertices);
  std::vector<Motion> motions(c.character.clips.size());
  clips_.resize(motions.size());
  parallel_for(motions.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      Motion& m = motions[k];
      m.frames = keyed_frames(config, c, c.character.clips[k]);
      m.cuts = find_clip_cuts(c.character, c.drawn, m.frames, m.frames, true);
      DrawnMotion drawn = clip_motion(followed, m.frames, m.frames, m.cuts);
      m.cycle = find_pose_cycle(drawn.drawn, m.cuts.frames.leaps());
      clips_[k].lively = lively({.fps = m.frames.fps, .positions = drawn.samples, .leaps = m.cuts.frames.leaps()});
      m.followed = std::move(drawn.samples);
      smooth_poses(m.followed, 1 / m.frames.fps, m.cuts.frames.leaps(), m.cycle);
      clips_[k].name = c.character.clips[k].name, clips_[k].fps = m.frames.fps, clips_[k].repeats = m.cycle.repeats();
    }
  });
  follow(motions);
  std::vector<Stretch> stretches = worth_running();
  MatX inertia(body.model.n_vertices(), static_cast<Eigen::Index>(body.inertia.size()));
  for (size_t e = 0; e < body.inertia.size(); ++e) {
    std::vector<double> own(body.inertia.size(), 0);
    own[e] = body.inertia[e];
    inertia.col(static_cast<Eigen::Index>(e)) = inertia_field(body.model, body.parts, g, own);
  }
  parallel_for(stretches.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) run(motions[stretches[k].clip], stretches[k], inertia);
  });
}

// As it is drawn, trembling and all, since that is what viewers go by.
bool ClipResponses::lively(const CarriedPoints& drawn) const {
  std::vector<Weighted> accelerations;
  for (const VecX& a : carried_accelerations(drawn))
    for (size_t i = 0; i < points_.size(); ++i)
      accelerations.push_back({a.segment<3>(static_cast<Eigen::Index>(3 * i)).norm(), weight_[i]});
  return weighted_percentile(std::move(accelerations), 0.95) >= kLively * kBrisk * body_.flesh.height;
}

// Oscillators.
void ClipResponses::follow(const std::vector<Motion>& motions) {
  std::vector<double> frequency, half_life;
  for (size_t e : entry_) {
    frequency.push_back(body_.groups.entries[e]->frequency_hz.value_or(kUsualFrequency));
    half_life.push_back(body_.groups.entries[e]->half_life_s.value_or(0.2));
  }
  for (size_t k = 0; k < motions.size(); ++k) {
    const CarriedPoints carried{
        .fps = clips_[k].fps, .positions = motions[k].followed, .leaps = motions[k].cuts.frames.leaps()};
    clips_[k].felt = felt_accelerations(carried, frequency, half_life, clips_[k].repeats);
  }
}

double ClipResponses::share_alone(size_t point, double felt, const Gains& gain) const {
  const size_t e = entry_[point];
  return gain[e] * share_of_swing(body_.swing[e], body_.flesh) * felt;
}

// Of every clip the stretch where its flesh is thrown most: of the liveliest clip, and of others down to those that
// hardly move, evenly, as many as there is time for.
std::vector<ClipResponses::Stretch> ClipResponses::worth_running() const {
  struct Candidate {
    Stretch stretch;
    double lively = 0, seconds = 0;
  };
  const Gains one(body_.swing.size(), 1);
  double slowest = 0;
  for (const FleshConfig* f : body_.groups.entries) slowest = std::max(slowest, f->half_life_s.value_or(0.2));
  std::vector<Candidate> list;
  for (size_t k = 0; k < clips_.size(); ++k) {
    const ClipResponse& clip = clips_[k];
    const int n = static_cast<int>(clip.felt.size());
    if (n < kFewest) continue;
    std::vector<double> lively;
    for (const std::vector<double>& at : clip.felt) {
      std::vector<Weighted> shares;
      for (size_t i = 0; i < at.size(); ++i) shares.push_back({share_alone(i, at[i], one), weight_[i]});
      lively.push_back(weighted_percentile(std::move(shares), 0.9));
    }
    Candidate c{.stretch = {.clip = k}, .lively = percentile(lively, 0.9)};
    const int longest = static_cast<int>(kLongestStretch * clip.fps),
              lead = static_cast<int>(kLeadIn * slowest * clip.fps);
    const int peak = static_cast<int>(std::max_element(lively.begin(), lively.end()) - lively.begin());
    Stretch& s = c.stretch;
    if (clip.repeats && n - 1 <= longest) {  // the cycle, after a way into it
      s.first = -lead, s.counted = 0, s.last = n - 1;
    } else {
      s.last = std::min(n - 1, std::max(peak + longest / 4, longest));
      s.first = std::max(0, s.last - longest - lead);
      s.counted = s.first == 0 && !clip.repeats ? 0 : std::min(s.first + lead, s.last);
    }
    c.seconds = (s.last - s.first) / clip.fps;
    list.push_back(c);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Candidate& a, const Candidate& b) { return a.lively > b.lively; });
  while (!list.empty() && list.back().lively <= kHardlyMoves * list[0].lively) list.pop_back();
  double seconds = 0;
  for (const Candidate& c : list) seconds += c.seconds;
  const double share = seconds > kMostRun ? kMostRun / seconds : 1;
  std::vector<Stretch> out;
  for (size_t k = 0; k < list.size(); ++k)
    if (const auto at = static_cast<double>(k); k == 0 || std::floor(share * at) > std::floor(share * (at - 1)))
      out.push_back(list[k].stretch);
  return out;
}

void ClipResponses::run(const Motion& motion, const Stretch& s, const MatX& inertia) {
  ClipResponse& clip = clips_[s.clip];
  const double dt = 1 / clip.fps;
  DrawnMotion all = clip_motion(body_.flesh.points, motion.frames, motion.frames, motion.cuts);
  const auto drawn = make_pose_track(std::move(all.samples), dt, all.cuts.leaps(), motion.cycle, TrackStart::moving);
  const ForecastShot shot{.drawn = *drawn,
                          .start = s.first * dt,
                          .frames = s.last - s.first,
                          .fps = clip.fps,
                          .substeps = static_cast<int>(std::ceil(kStepsPerSecond / clip.fps - 1e-9)),
                          .integrator = integrator_from_name(config_.solver.integrator)};
  const Model model = damped(config_, body_, shot.integrator, dt / shot.substeps);
  const ForecastTurning turning{.epsilon = inertia.rowwise().sum(), .swing_rate = body_.swing_rate};
  std::vector<MatX> d =
      LinearForecast(model, inertia, only(body_.skin.blend, points_), turning, config_.solver.linear).departures(shot);
  if (d.empty() || !std::all_of(d.begin(), d.end(), [](const MatX& m) { return m.allFinite(); })) return;
  clip.first = s.counted;
  clip.run.assign(d.begin() + (s.counted - s.first), d.end());
}

// In each clip that was run by itself, so that one that shakes wildly has no more say than another.
void ClipResponses::correct(const Gains& gain) {
  const VecX g = to_vector(gain);
  std::vector<double> sum(points_.size(), 0), count = sum;
  missed_.assign(points_.size(), 1);
  for (ClipResponse& clip : clips_) {
    clip.missed.assign(clip.run.empty() ? 0 : points_.size(), 0);
    std::vector<double> ran(points_.size(), 0), alone = ran;
    for (size_t k = 0; k < clip.run.size(); ++k) {
      const VecX d = clip.run[k] * g;
      const std::vector<double>& felt = clip.felt[static_cast<size_t>(clip.first) + k];
      for (size_t i = 0; i < points_.size(); ++i) {
        ran[i] += d.segment<3>(static_cast<Eigen::Index>(3 * i)).squaredNorm() / (reach_[i] * reach_[i]);
        alone[i] += std::pow(share_alone(i, felt[i], gain), 2);
      }
    }
    for (size_t i = 0; i < points_.size(); ++i)
      if (ran[i] > 0 && alone[i] > 0) {
        clip.missed[i] = std::min(std::sqrt(ran[i] / alone[i]), kFarFromOscillator);
        sum[i] += std::log(ran[i] / alone[i]) / 2, ++count[i];
      }
  }
  for (size_t i = 0; i < points_.size(); ++i)
    if (count[i] > 0) missed_[i] = std::min(std::exp(sum[i] / count[i]), kFarFromOscillator);
}

Shares ClipResponses::shares(const ClipResponse& clip, const Gains& gain) const {
  const VecX g = to_vector(gain);
  Shares out(clip.felt.size(), std::vector<double>(points_.size(), 0));
  const std::vector<double>& missed = clip.run.empty() ? missed_ : clip.missed;
  for (size_t k = 0; k < out.size(); ++k) {
    const size_t ran = k - static_cast<size_t>(clip.first);
    if (k >= static_cast<size_t>(clip.first) && ran < clip.run.size()) {
      const VecX d = clip.run[ran] * g;
      for (size_t i = 0; i < points_.size(); ++i)
        out[k][i] = stiffened(d.segment<3>(static_cast<Eigen::Index>(3 * i)).norm() / reach_[i]);
    } else {
      for (size_t i = 0; i < points_.size(); ++i)
        out[k][i] = stiffened(missed[i] * share_alone(i, clip.felt[k][i], gain));
    }
  }
  return out;
}

Shares ClipResponses::drawn_swings(const ClipResponse& clip, const Gains& gain, double knee) const {
  Shares out = shares(clip, gain);
  for (std::vector<double>& at : out)
    for (double& x : at) x = held_back(x, knee);
  if (clip.run.empty()) return out;
  const VecX g = to_vector(gain);
  const auto n = static_cast<double>(clip.run.size());
  std::vector<VecX> drawn;
  VecX mean = VecX::Zero(static_cast<Eigen::Index>(3 * points_.size()));
  for (size_t k = 0; k < clip.run.size(); ++k) {
    VecX& d = drawn.emplace_back(clip.run[k] * g);
    const std::vector<double>& at = out[static_cast<size_t>(clip.first) + k];
    for (size_t i = 0; i < points_.size(); ++i) {
      auto mine = d.segment<3>(static_cast<Eigen::Index>(3 * i));
      if (const double length = mine.norm() / reach_[i]; length > 0) mine *= at[i] / length;
    }
    mean += d / n;
  }
  for (size_t k = 0; k < drawn.size(); ++k)
    for (size_t i = 0; i < points_.size(); ++i)
      out[static_cast<size_t>(clip.first) + k][i] =
          (drawn[k] - mean).segment<3>(static_cast<Eigen::Index>(3 * i)).norm() / reach_[i];
  return out;
}

}  // namespace supple::pipeline
