#include "supple/rigs/skeleton_deformer_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/local_quintic.h"
#include "supple/anim/loop_track.h"
#include "supple/anim/motion_cuts.h"
#include "supple/anim/teleport.h"
#include "supple/base/error.h"

namespace supple {

namespace {

constexpr size_t kRemembered = 16;  // times; a step asks for a few
constexpr double kOnFrame = 1e-9;   // of a frame: rounding
constexpr double kBeyond = 8;       // frames after which a held pose is still

constexpr SixTimes kSixFrames = {-2, -1, 0, 1, 2, 3};

// The n-th power of a quaternion, its sign included.
Quat quaternion_power(const Quat& q, int n) {
  const double sine = q.vec().norm(), half = std::atan2(sine, q.w());
  const Vec3 axis = sine > 0 ? Vec3(q.vec() / sine) : Vec3(Vec3::UnitX());
  Quat power;
  power.w() = std::cos(n * half);
  power.vec() = std::sin(n * half) * axis;
  return power;
}

}  // namespace

SkeletonClip::SkeletonClip(const Character& character, const Clip& clip, double start, double fps, int frames,
                           bool loop, std::vector<int> jumps, const std::vector<int>& bridged)
    : fps_(fps), loop_(loop), jumps_(std::move(jumps)), memory_(std::make_unique<Memory>()) {
  if (!(fps > 0) || !std::isfinite(fps) || !std::isfinite(start))
    throw InputError({character.file, 0, 0, "clip " + clip.name},
                     fmt::format("it cannot be sampled at {:g} frames a second", fps));
  const int n = clip.channels.empty() ? 1 : std::max(1, frames);
  last_ = n - 1;
  if (last_ < 1) loop_ = false;
  std::vector<NodeState> states;
  for (int k = 0; k < n; ++k) states.push_back(sample_clip(character, clip, start + k / fps));
  still_ = states[0].placements;

  const auto numbers = [](const Placement& p) {
    Vec10 v;
    v << p.translation, p.rotation.coeffs(), p.scale;
    return v;
  };
  for (size_t node = 0; node < still_.size(); ++node) {
    Moving m;
    m.node = static_cast<int>(node);
    bool moves = false;
    for (const NodeState& state : states) {
      Vec10 v = numbers(state.placements[node]);
      moves = moves || v != numbers(still_[node]);
      // q and -q are the same rotation: the one nearer to the frame before.
      if (!m.frames.empty() && v.segment<4>(3).dot(m.frames.back().segment<4>(3)) < 0) v.segment<4>(3) *= -1;
      m.frames.push_back(v);
    }
    if (moves) moving_.push_back(std::move(m));
    if (states[0].weights[node].empty()) continue;
    Changing c;
    c.node = static_cast<int>(node);
    for (NodeState& state : states) c.frames.push_back(std::move(state.weights[node]));
    changing_.push_back(std::move(c));
  }
  if (n > 1) bridge(bridged);
}

void SkeletonClip::bridge(const std::vector<int>& frames) {
  MotionCuts cuts;
  for (int k : jumps_) cuts.list.push_back({.kind = CutKind::jump, .frame = k + 1});
  for (int k : frames) cuts.list.push_back({.kind = CutKind::bad_frame, .frame = k});
  std::vector<double> times;
  for (int k = 0; k < n_frames(); ++k) times.push_back(k / fps_);
  for (int frame : frames) {
    const BridgeWeights weights = bridge_of(frame, times, cuts);
    const auto own = static_cast<size_t>(frame);
    if (weights.empty()) continue;
    for (Moving& m : moving_) {
      Vec10 sum = Vec10::Zero();
      for (const auto& [k, weight] : weights) {
        Vec10 v = m.frames[static_cast<size_t>(k)];
        // A frame that is off may have turned the signs after it.
        if (v.segment<4>(3).dot(m.frames[static_cast<size_t>(weights[0].first)].segment<4>(3)) < 0)
          v.segment<4>(3) *= -1;
        sum += weight * v;
      }
      sum.segment<4>(3).normalize();
      m.frames[own] = sum;
      for (size_t k = 1; k < m.frames.size(); ++k)
        if (m.frames[k].segment<4>(3).dot(m.frames[k - 1].segment<4>(3)) < 0) m.frames[k].segment<4>(3) *= -1;
    }
    for (Changing& c : changing_)
      for (size_t target = 0; target < c.frames[own].size(); ++target) {
        c.frames[own][target] = 0;
        for (const auto& [k, weight] : weights)
          c.frames[own][target] += weight * c.frames[static_cast<size_t>(k)][target];
      }
  }
}

SkeletonClip::Where SkeletonClip::where(double t) const {
  double x = t * fps_;
  if (std::abs(x - std::round(x)) < kOnFrame) x = std::round(x);
  x = std::clamp(x, loop_ ? -1e9 : -kBeyond, loop_ ? 1e9 : last_ + kBeyond);
  const double frame = std::floor(x);
  return {static_cast<int>(frame), x - frame};
}

std::pair<int, int> SkeletonClip::in_cycle(int frame) const {
  if (frame >= 0 && frame <= last_) return {frame, 0};
  if (!loop_) return {std::clamp(frame, 0, last_), 0};
  const int cycle = frame >= 0 ? frame / last_ : -((last_ - 1 - frame) / last_);
  return {frame - cycle * last_, cycle};
}

bool SkeletonClip::jumps_after(int frame) const {
  if (jumps_.empty() || (!loop_ && (frame < 0 || frame >= last_))) return false;
  const auto [k, cycle] = in_cycle(frame);
  return std::find(jumps_.begin(), jumps_.end(), k < last_ ? k : 0) != jumps_.end();
}

SkeletonClip::Vec10 SkeletonClip::sample(const Moving& m, int frame) const {
  const auto [k, cycle] = in_cycle(frame);
  Vec10 v = m.frames[static_cast<size_t>(k)];
  if (cycle == 0) return v;
  // Carried by what takes the first frame to the last, as often as cycles have passed.
  const Vec10 &first = m.frames.front(), &last = m.frames.back();
  const Quat turn = Quat(Eigen::Vector4d(last.segment<4>(3))) * Quat(Eigen::Vector4d(first.segment<4>(3))).conjugate();
  const RigidMotion once{turn.normalized().toRotationMatrix(), first.head<3>(), last.head<3>()};
  v.head<3>() = power(once, cycle)(v.head<3>());
  v.segment<4>(3) =
      (quaternion_power(turn.normalized(), cycle) * Quat(Eigen::Vector4d(v.segment<4>(3)))).coeffs().eval();
  v.tail<3>() += cycle * (last.tail<3>() - first.tail<3>());
  return v;
}

double SkeletonClip::sample(const Changing& c, size_t target, int frame) const {
  const auto [k, cycle] = in_cycle(frame);
  return c.frames[static_cast<size_t>(k)][target] + cycle * (c.frames.back()[target] - c.frames.front()[target]);
}

SkeletonClip::State SkeletonClip::compute(const Where& at) const {
  State state;
  state.placements = still_;
  state.weights.resize(still_.size());
  SixWeights w = local_quintic_weights(kSixFrames, at.share, 0);
  int low = 0, high = 5;
  own_window(
      at.frame, [&](int k) { return jumps_after(k); }, low, high);
  if (low > 0 || high < 5) fold_foreign(kSixFrames, low, high, w);
  // Weights act on differences from the frame before, so that what is held is held to the last bit.
  for (const Moving& m : moving_) {
    const Vec10 before = sample(m, at.frame);
    Vec10 v = before;
    if (at.share > 0) {
      for (int j = low; j <= high; ++j) v += w[static_cast<size_t>(j)] * (sample(m, at.frame - 2 + j) - before);
      v.segment<4>(3).normalize();
    }
    Placement& p = state.placements[static_cast<size_t>(m.node)];
    p.translation = v.head<3>();
    p.rotation.coeffs() = v.segment<4>(3);
    p.scale = v.tail<3>();
  }
  for (const Changing& c : changing_) {
    std::vector<double>& weights = state.weights[static_cast<size_t>(c.node)];
    weights.resize(c.frames[0].size());
    for (size_t target = 0; target < weights.size(); ++target) {
      const double before = sample(c, target, at.frame);
      weights[target] = before;
      for (int j = low; j <= high && at.share > 0; ++j)
        weights[target] += w[static_cast<size_t>(j)] * (sample(c, target, at.frame - 2 + j) - before);
    }
  }
  return state;
}

SkeletonClip::State SkeletonClip::frame(int k) const { return compute({k, 0}); }

std::shared_ptr<const SkeletonClip::State> SkeletonClip::at(double t) const {
  {
    const std::lock_guard<std::mutex> lock(memory_->mutex);
    auto& latest = memory_->latest;
    for (auto it = latest.begin(); it != latest.end(); ++it) {
      if (it->first != t) continue;
      latest.splice(latest.begin(), latest, it);
      return it->second;
    }
  }
  auto state = std::make_shared<const State>(compute(where(t)));
  const std::lock_guard<std::mutex> lock(memory_->mutex);
  memory_->latest.emplace_front(t, state);
  if (memory_->latest.size() > kRemembered) memory_->latest.pop_back();
  return state;
}

}  // namespace supple
