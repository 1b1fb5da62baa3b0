#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/local_quintic.h"
#include "supple/anim/loop_track.h"
#include "supple/anim/teleport.h"
#include "supple/anim/track.h"
#include "supple/base/error.h"

namespace supple {

namespace {

constexpr double kNoTurn = 1e-7;       // below this a step is continued as a line
constexpr double kFarthestBack = 1e6;  // steps

class SampledTrack : public Track {
 public:
  SampledTrack(std::vector<VecX> samples, double dt, TrackStart start, Jumps jumps)
      : samples_(std::move(samples)), dt_(dt), last_(static_cast<int>(samples_.size()) - 1), jumps_(std::move(jumps)) {
    // A first step that is cut says nothing of a motion.
    if (start != TrackStart::moving || last_ == 0 || whole_jump(0)) return;
    first_step_ = samples_[1] - samples_[0];
    const RigidMotion step = fit_rigid_motion(samples_[0], samples_[1]);
    if (step.R.isIdentity(kNoTurn)) return;
    turns_ = true;
    turn_ = step;
    bending_ = samples_[1] - carried(step, samples_[0]);
  }

  int n_points() const override { return static_cast<int>(samples_[0].size() / 3); }
  double duration() const override { return last_ * dt_; }

  VecX at(double t, int derivative) const override {
    // Times that land on a sample but for rounding are that sample.
    double x = t / dt_;
    if (std::abs(x - std::round(x)) < 1e-9) x = std::round(x);
    // Far outside the samples the motion is a line or held: the same on every interval.
    const double clamped = std::clamp(x, turns_ ? -kFarthestBack : -8.0, last_ + 8.0);
    const int k = static_cast<int>(std::floor(clamped));
    const SixTimes times = {-2 * dt_, -dt_, 0, dt_, 2 * dt_, 3 * dt_};
    const double inside = clamped == x ? x - k : 0;
    const SixWeights plain = local_quintic_weights(times, inside * dt_, derivative);

    int low, high;
    SixWeights w = plain;
    own_window(
        k, [&](int j) { return whole_jump(j); }, low, high);
    if (low > 0 || high < 5) fold_foreign(times, low, high, w);
    // Weights act on differences from the sample before, so that what is held is held to the last bit.
    const VecX early = turns_ && k < 0 ? before(k) : VecX();
    const VecX& reference = early.size() > 0 ? early : nearest(k);
    VecX sum = VecX::Zero(reference.size());
    if (derivative == 0) sum = reference;
    for (int j = 0; j < 6; ++j)
      if (w[static_cast<size_t>(j)] != 0) add_difference(k - 2 + j, reference, w[static_cast<size_t>(j)], sum);
    if (x < clamped && derivative == 0 && first_step_.size() > 0) sum += (x - clamped) * first_step_;

    // Points that jump by themselves within reach.
    for (int step = std::max(0, k - 2); step <= std::min(last_ - 1, k + 2); ++step) {
      for (int point : jumps_.partial[static_cast<size_t>(step)]) {
        own_window(
            k, [&](int j) { return whole_jump(j) || point_jump(j, point); }, low, high);
        w = plain;
        fold_foreign(times, low, high, w);
        const Vec3 own = point_sample(k, point);
        Vec3 value = derivative == 0 ? own : Vec3::Zero();
        for (int j = 0; j < 6; ++j) value += w[static_cast<size_t>(j)] * (point_sample(k - 2 + j, point) - own);
        sum.segment<3>(3 * point) = value;
      }
    }
    return sum;
  }

  std::vector<double> cuts() const override {
    std::vector<double> times;
    for (int k = 0; k < last_; ++k)
      if (whole_jump(k)) times.push_back((k + 1) * dt_);
    return times;
  }

 private:
  bool whole_jump(int k) const { return k >= 0 && k < last_ && jumps_.whole[static_cast<size_t>(k)] != 0; }
  bool point_jump(int k, int point) const {
    if (k < 0 || k >= last_) return false;
    const std::vector<int>& points = jumps_.partial[static_cast<size_t>(k)];
    return std::binary_search(points.begin(), points.end(), point);
  }
  const VecX& nearest(int k) const { return samples_[static_cast<size_t>(std::clamp(k, 0, last_))]; }
  // Of a moving start that turns: the first step's rigid motion undone -k times, with what it bends.
  VecX before(int k) const {
    const RigidMotion back = power(turn_, k);
    return carried(back, samples_[0]) + k * turned(back, bending_);
  }
  void add_difference(int k, const VecX& reference, double weight, VecX& sum) const {
    if (k < 0 && turns_) {
      sum += weight * (before(k) - reference);
      return;
    }
    sum += weight * (nearest(k) - reference);
    if (k < 0 && first_step_.size() > 0) sum += weight * k * first_step_;
  }
  Vec3 point_sample(int k, int point) const {
    if (k < 0 && turns_) return before(k).segment<3>(3 * point);
    Vec3 value = nearest(k).segment<3>(3 * point);
    if (k < 0 && first_step_.size() > 0) value += k * first_step_.segment<3>(3 * point);
    return value;
  }

  std::vector<VecX> samples_;
  double dt_;
  int last_;
  Jumps jumps_;
  VecX first_step_;  // of a moving start, else empty
  bool turns_ = false;
  RigidMotion turn_;  // the first step as a rigid motion, and what is left of it
  VecX bending_;
};

void check_samples(const std::vector<VecX>& samples, double dt) {
  if (samples.empty()) throw InputError({}, "the motion has no samples");
  if (!(dt > 0) || !std::isfinite(dt)) throw InputError({}, fmt::format("the time between samples is {:g} s", dt));
  for (size_t k = 0; k < samples.size(); ++k) {
    Location where;
    where.place = fmt::format("sample {}", k);
    if (samples[k].size() != samples[0].size() || samples[k].size() % 3 != 0)
      throw InputError(where, fmt::format("it holds {} numbers, the first sample {}: 3 a point are needed",
                                          samples[k].size(), samples[0].size()));
    if (samples[k].allFinite()) continue;
    for (Eigen::Index i = 0; i < samples[k].size(); ++i) {
      if (std::isfinite(samples[k][i])) continue;
      where.place += fmt::format(", point {}", i / 3);
      throw InputError(where, "the position is not a finite number");
    }
  }
}

}  // namespace

std::unique_ptr<Track> make_sampled_track(std::vector<VecX> samples, double dt, TrackStart start) {
  check_samples(samples, dt);
  std::vector<double> times(samples.size());
  for (size_t k = 0; k < times.size(); ++k) times[k] = static_cast<double>(k) * dt;
  Jumps jumps = find_jumps(samples, times);
  return std::make_unique<SampledTrack>(std::move(samples), dt, start, std::move(jumps));
}

std::unique_ptr<Track> make_sampled_track(std::vector<VecX> samples, double dt, TrackStart start,
                                          const std::vector<int>& cuts) {
  check_samples(samples, dt);
  Jumps jumps;
  jumps.whole.resize(samples.size() - 1);
  jumps.partial.resize(samples.size() - 1);
  for (int k : cuts) jumps.whole[static_cast<size_t>(k)] = 1;
  return std::make_unique<SampledTrack>(std::move(samples), dt, start, std::move(jumps));
}

}  // namespace supple
