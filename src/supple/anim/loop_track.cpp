#include "supple/anim/loop_track.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/anim/rigid_cuts.h"
#include "supple/base/error.h"

namespace supple {

namespace {

constexpr double kPose = 0.1, kSimplerPose = 0.02, kUniform = 1e-3;
constexpr double kBend = 2.2, kJerk = 3;         // of the medians inside the clip
constexpr double kSlow = 0.15, kStanding = 0.4;  // of the largest step and of the largest bend
constexpr double kFloat32 = 2.5e-7;              // rounding of caches, of the largest coordinate
constexpr double kJump = 10;                     // times as fast as the step before
constexpr double kOneStep = 1.2;                 // of the longest
constexpr size_t kFewest = 8;
constexpr int kPadding = 3;          // samples the interpolant reaches beyond its interval
constexpr int kCyclesWithCuts = 16;  // before and after the first one

double largest(const VecX& x) {
  double worst = 0;
  for (Eigen::Index i = 0; i < x.size(); i += 3) worst = std::max(worst, x.segment<3>(i).norm());
  return worst;
}

// Root mean square over the points.
double mean_size(const VecX& x) { return x.norm() / std::sqrt(static_cast<double>(x.size()) / 3); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

RigidKey moved(RigidKey key, const RigidMotion& m, double later) {
  key.t += later;
  key.translation = m(key.translation);
  key.quaternion.normalize();
  key.quaternion = (Eigen::Quaterniond(m.R) * Eigen::Quaterniond(key.quaternion)).coeffs();
  return key;
}

// A track that is right on [0, period] of its own time, with all it needs beyond.
class LoopTrack : public Track {
 public:
  LoopTrack(std::unique_ptr<Track> cycle, double own_start, double t0, double period, const RigidMotion& carry)
      : cycle_(std::move(cycle)), own_start_(own_start), t0_(t0), period_(period), carry_(carry) {}
  int n_points() const override { return cycle_->n_points(); }
  double duration() const override { return std::numeric_limits<double>::infinity(); }

  VecX at(double t, int derivative) const override {
    const int c = static_cast<int>(std::floor((t - t0_) / period_ + 1e-9));
    VecX x = cycle_->at(own_start_ + (t - t0_) - c * period_, derivative);
    if (c == 0) return x;
    const RigidMotion m = power(carry_, c);
    return derivative == 0 ? carried(m, x) : turned(m, x);
  }

  std::vector<double> cuts() const override {
    std::vector<double> all;
    for (int c = -kCyclesWithCuts; c <= kCyclesWithCuts; ++c)
      for (double cut : cycle_->cuts()) {
        const double own = cut - own_start_;
        if (own > 1e-9 && own <= period_ + 1e-9) all.push_back(t0_ + own + c * period_);
      }
    return all;
  }

 private:
  std::unique_ptr<Track> cycle_;
  double own_start_, t0_, period_;
  RigidMotion carry_;
};

// A cycle with what the interpolant needs beyond it.
std::vector<VecX> padded_cycle(const std::vector<VecX>& samples, const RigidMotion& carry) {
  if (samples.size() <= kPadding)
    throw InputError({}, fmt::format("a motion of {} samples cannot be repeated", samples.size()),
                     "Four are needed: three steps.");
  const int steps = static_cast<int>(samples.size()) - 1;
  const RigidMotion back = inverse(carry);
  std::vector<VecX> padded;
  for (int k = -kPadding; k <= steps + kPadding; ++k) {
    if (k < 0)
      padded.push_back(carried(back, samples[static_cast<size_t>(k + steps)]));
    else if (k < steps)
      padded.push_back(samples[static_cast<size_t>(k)]);
    else
      padded.push_back(carried(carry, samples[static_cast<size_t>(k - steps)]));
  }
  return padded;
}

// A cycle of keys with what the interpolant needs beyond it.
std::vector<RigidKey> padded_cycle(const std::vector<RigidKey>& keys, const RigidMotion& carry) {
  if (keys.size() <= kPadding)
    throw InputError({}, fmt::format("a rigid motion of {} keys cannot be repeated", keys.size()),
                     "Four are needed: three steps.");
  const int steps = static_cast<int>(keys.size()) - 1;
  const double period = keys.back().t - keys[0].t;
  std::vector<RigidKey> padded;
  for (int k = -kPadding; k <= steps + kPadding; ++k) {
    if (k < 0)
      padded.push_back(moved(keys[static_cast<size_t>(k + steps)], inverse(carry), -period));
    else if (k < steps)
      padded.push_back(keys[static_cast<size_t>(k)]);
    else
      padded.push_back(moved(keys[static_cast<size_t>(k - steps)], carry, period));
  }
  return padded;
}

// Steps of the padded cycle that are cut.
std::vector<int> padded_cuts(const std::vector<int>& cuts, int steps) {
  std::vector<int> all;
  for (int k = 0; k < steps + 2 * kPadding; ++k)
    if (std::binary_search(cuts.begin(), cuts.end(), (k - kPadding + steps) % steps)) all.push_back(k);
  return all;
}

}  // namespace

RigidMotion inverse(const RigidMotion& m) { return {m.R.transpose(), m.to, m.from}; }

RigidMotion power(const RigidMotion& m, int n) {
  RigidMotion result, square = n < 0 ? inverse(m) : m;
  const auto after = [](const RigidMotion& a, const RigidMotion& b) {  // first b, then a
    return RigidMotion{a.R * b.R, b.from, a(b.to)};
  };
  for (unsigned bits = static_cast<unsigned>(std::abs(n)); bits > 0; bits >>= 1) {
    if (bits & 1) result = after(square, result);
    square = after(square, square);
  }
  return result;
}

VecX carried(const RigidMotion& m, const VecX& points) {
  VecX out(points.size());
  for (Eigen::Index i = 0; i < points.size(); i += 3) out.segment<3>(i) = m(points.segment<3>(i));
  return out;
}

VecX turned(const RigidMotion& m, const VecX& vectors) {
  VecX out(vectors.size());
  for (Eigen::Index i = 0; i < vectors.size(); i += 3) out.segment<3>(i) = m.R * vectors.segment<3>(i);
  return out;
}

Seam find_seam(const std::vector<VecX>& x, double dt) {
  Seam seam;
  const size_t n = x.size();
  if (n < kFewest || x[0].size() == 0) return seam;
  // First, second and third differences inside the clip.
  const VecX mean_step = (x[n - 1] - x[0]) / static_cast<double>(n - 1);
  double far = 0, reach = 0, longest = 0, varies = 0;
  std::vector<double> bends, jerks;
  VecX bend_first, bend_last;
  for (size_t k = 0; k < n; ++k) {
    far = std::max(far, x[k].cwiseAbs().maxCoeff());
    reach = std::max(reach, largest(x[k] - x[0]));
    if (k + 1 == n) break;
    const VecX step = x[k + 1] - x[k];
    longest = std::max(longest, mean_size(step));
    varies = std::max(varies, mean_size(step - mean_step));
    if (k == 0) continue;
    const VecX bend = step - (x[k] - x[k - 1]);
    bends.push_back(mean_size(bend));
    if (k == 1) bend_first = bend;
    if (k > 1) jerks.push_back(mean_size(bend - bend_last));
    bend_last = bend;
  }
  const double noise = kFloat32 * far;
  seam.usual = varies / dt;
  if (reach <= noise) {
    seam.kind = Seam::Kind::still;
    return seam;
  }

  // None, a translation, a rigid motion: the first that will do.
  const VecX &first = x[0], &last = x[n - 1];
  const auto misfit = [&](const RigidMotion& m) { return VecX(carried(m, first) - last); };
  const double near = std::max(2 * noise, kSimplerPose * varies);
  RigidMotion best = fit_rigid_motion(first, last), shift = best;
  shift.R = Mat3::Identity();
  seam.carry = largest(misfit({})) <= near ? RigidMotion() : largest(misfit(shift)) <= near ? shift : best;
  seam.pose_m = largest(misfit(seam.carry));

  // The same differences across the seam.
  const VecX step_first = turned(seam.carry, x[1] - first), step_last = last - x[n - 2];
  const VecX bend = step_first - step_last;
  const double jerk = std::max(mean_size(bend - bend_last), mean_size(turned(seam.carry, bend_first) - bend));
  seam.speed = mean_size(bend) / dt;
  const bool smooth = mean_size(bend) <= kBend * median(bends) + 4 * noise && jerk <= kJerk * median(jerks) + 8 * noise;
  const bool slow = std::max(mean_size(step_first), mean_size(step_last)) <= kSlow * longest + 2 * noise;
  // At a turning point, too, the ends are slow; but there the motion bends most.
  const double most = *std::max_element(bends.begin(), bends.end());
  const bool stands = slow && mean_size(bend) <= kStanding * most;
  seam.rough = most > 0 ? mean_size(bend) / most : 0;
  using Kind = Seam::Kind;
  if (mean_size(misfit(seam.carry)) > kPose * varies + 2 * noise)
    seam.kind = Kind::apart;
  else if (varies <= kUniform * longest + 2 * noise)
    seam.kind = Kind::uniform;
  else
    seam.kind = stands ? Kind::at_rest : smooth ? Kind::closed : Kind::different;
  return seam;
}

bool ends_before_first(const std::vector<VecX>& samples, double dt, bool wanted, Seam& seam) {
  using Kind = Seam::Kind;
  if (samples.size() < kFewest) return false;
  double longest = 0;
  for (size_t k = 0; k + 1 < samples.size(); ++k) longest = std::max(longest, largest(samples[k + 1] - samples[k]));
  const double travels = largest(carried(seam.carry, samples[0]) - samples[0]);
  const bool doubtful = seam.kind == Kind::closed && travels > 0 && travels <= kOneStep * longest;
  if (!doubtful && !(wanted && (seam.kind == Kind::apart || seam.kind == Kind::different))) return false;
  std::vector<VecX> longer = samples;
  longer.push_back(samples[0]);
  const Seam open = find_seam(longer, dt);
  if (open.kind != Kind::closed) return false;
  seam = open;
  return true;
}

std::string describe(const Seam& seam) {
  using Kind = Seam::Kind;
  switch (seam.kind) {
    case Kind::closed:
      return "its end meets its beginning";
    case Kind::apart:
      return fmt::format("its last pose is {:.3g} m from the first", seam.pose_m);
    case Kind::different:
      return fmt::format("at its end it moves otherwise than at its beginning, by {:.3g} m/s", seam.speed);
    case Kind::at_rest:
      return "it stands still at both ends";
    case Kind::uniform:
      return "its speed never changes";
    case Kind::still:
      return "it never moves";
    case Kind::short_clip:
      break;
  }
  return fmt::format("it has fewer than {} frames", kFewest);
}

void continue_end(std::vector<VecX>& x) {
  const size_t n = x.size();
  if (n < 3 || largest(x[n - 1] - x[n - 2]) > kJump * largest(x[n - 2] - x[n - 3])) return;
  const RigidMotion step = fit_rigid_motion(x[n - 2], x[n - 1]);
  VecX bending = x[n - 1] - carried(step, x[n - 2]);
  for (int k = 0; k < kPadding; ++k) {
    bending = turned(step, bending);
    x.push_back(carried(step, x.back()) + bending);
  }
}

void continue_end(std::vector<RigidKey>& keys) {
  const size_t n = keys.size();
  if (n < 3) return;
  const auto quaternion = [&](size_t k) { return Eigen::Quaterniond(keys[k].quaternion.normalized()); };
  const RigidMotion step{(quaternion(n - 1) * quaternion(n - 2).conjugate()).toRotationMatrix(),
                         keys[n - 2].translation, keys[n - 1].translation};
  const double dt = keys[n - 1].t - keys[n - 2].t;
  if ((step.to - step.from).norm() / dt >
      kJump * (keys[n - 2].translation - keys[n - 3].translation).norm() / (keys[n - 2].t - keys[n - 3].t))
    return;
  for (int k = 0; k < kPadding; ++k) keys.push_back(moved(keys.back(), step, dt));
}

std::unique_ptr<Track> make_looped_track(const std::vector<VecX>& samples, double dt, const RigidMotion& carry,
                                         double t0) {
  const double period = static_cast<double>(samples.size() - 1) * dt;
  return std::make_unique<LoopTrack>(make_sampled_track(padded_cycle(samples, carry), dt), kPadding * dt, t0, period,
                                     carry);
}

std::unique_ptr<Track> make_looped_track(const std::vector<VecX>& samples, double dt, const RigidMotion& carry,
                                         const std::vector<int>& cuts, double t0) {
  const int steps = static_cast<int>(samples.size()) - 1;
  return std::make_unique<LoopTrack>(
      make_sampled_track(padded_cycle(samples, carry), dt, TrackStart::rest, padded_cuts(cuts, steps)), kPadding * dt,
      t0, steps * dt, carry);
}

std::unique_ptr<Track> make_looped_rigid_track(std::vector<RigidKey> keys, const Points& rest,
                                               const RigidMotion& carry) {
  make_rigid_track(keys, rest);  // names what is wrong with the keys by their own numbers
  const double t0 = keys[0].t, period = keys.back().t - t0;
  return std::make_unique<LoopTrack>(make_rigid_track(padded_cycle(keys, carry), rest), t0, t0, period, carry);
}

std::unique_ptr<Track> make_looped_rigid_track(std::vector<RigidKey> keys, const Points& rest, const RigidMotion& carry,
                                               const std::vector<int>& cuts) {
  make_rigid_track(keys, rest, TrackStart::rest, {});
  const double t0 = keys[0].t, period = keys.back().t - t0;
  const std::vector<int> all = padded_cuts(cuts, static_cast<int>(keys.size()) - 1);
  return std::make_unique<LoopTrack>(make_rigid_track(padded_cycle(keys, carry), rest, TrackStart::rest, all), t0, t0,
                                     period, carry);
}

}  // namespace supple
