#include "supple/anim/motion_cuts.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

// A step is a leap when it goes so many times as far as those beside it, or departs so many times as far from them as
// they from one another, and by so much of the size.
constexpr double kSurely = 10, kSurelyFar = 0.05;
constexpr double kLikely = 4, kLikelyFar = 0.2;  // of points all over a body: no body does that
// Of points that drive, where all stands still around the step: of the box around the whole motion, and of the largest
// coordinate, which float32 files round.
constexpr double kStillFar = 1e-3, kRoundedBy = 1e-5;
constexpr double kLeastTurn = M_PI / 4, kAsOne = 0.5;  // a turn explains so much of what the points do
constexpr double kLongestLeap = 0.1;                   // [s]: a longer one is a move that someone keyed
constexpr double kNoisy = 0.02, kTogether = 0.5;       // of the size, where points go off in all directions
// A frame that is the one before: of the steps beside it, which are no standstill and go on in much the same way.
constexpr double kHeld = 2e-3, kSameWay = 0.3, kAsFast = 5, kLeastStep = 0.4, kMostStep = 4, kFast = 0.002;
// Leaps between standstills, bad frames and doubled ones are rare; else it is how the clip is made.
constexpr double kShareOfCuts = 0.05;
constexpr size_t kFewCuts = 2;
constexpr double kStandstill = 1e-3;    // of a leap, and of the size: steps beside it
constexpr size_t kEnoughPoints = 2000;  // evenly of all
constexpr size_t kNamed = 8;            // in a message

double middle_of(VecX values) {
  if (values.size() == 0) return 0;
  const auto half = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

double middle_length(const VecX& x) { return middle_of(x.reshaped(3, x.size() / 3).colwise().norm().transpose()); }

Vec3 turn_of(const RigidMotion& m) {
  const Eigen::AngleAxisd turn(m.R);
  return turn.angle() * turn.axis();
}

// Whether a rigid motion of all says most of what points do, beside being put elsewhere.
bool turns_as_one(const RigidMotion& m, const VecX& before, const VecX& after) {
  double moved = 0, off = 0;
  for (Eigen::Index i = 0; i < before.size(); i += 3) {
    const Vec3 is = after.segment<3>(i) - m.to, was = before.segment<3>(i) - m.from;
    moved += (is - was).squaredNorm(), off += (is - m.R * was).squaredNorm();
  }
  return off <= kAsOne * kAsOne * moved;
}

class Finder {
 public:
  Finder(const std::vector<VecX>& frames, const std::vector<double>& times, const CutOptions& o)
      : t_(times), last_(static_cast<int>(frames.size()) - 1), drives_only_(o.drives_only) {
    const size_t n = static_cast<size_t>(frames[0].size()) / 3, some = std::min(n, kEnoughPoints);
    for (const VecX& frame : frames) {
      VecX x(3 * static_cast<Eigen::Index>(some));
      for (size_t k = 0; k < some; ++k)
        x.segment<3>(3 * static_cast<Eigen::Index>(k)) = frame.segment<3>(3 * static_cast<Eigen::Index>(k * n / some));
      x_.push_back(std::move(x));
    }
    size_ = pose_size(x_), body_ = std::max(size_, o.body);
    least_ = kSurelyFar * size_;
    if (!drives_only_) return;
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    for (const VecX& x : x_) {
      const auto points = x.reshaped(3, x.size() / 3);
      low = low.cwiseMin(points.rowwise().minCoeff()), high = high.cwiseMax(points.rowwise().maxCoeff());
    }
    const double farthest = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
    least_ = std::max(kStillFar * (high - low).norm(), kRoundedBy * farthest);
  }

  MotionCuts find() {
    // Frames that are none of the motion go first: beside them nothing can be judged.
    pass_over([&](int frame) { return bad(frame); });
    pass_over([&](int frame) { return doubled(frame); });
    leaps();
    std::sort(out_.list.begin(), out_.list.end(),
              [](const MotionCut& a, const MotionCut& b) { return a.frame < b.frame; });
    return std::move(out_);
  }

 private:
  struct Found {
    bool is = false;
    MotionCut cut;
  };

  const VecX& x(int frame) const { return x_[static_cast<size_t>(frame)]; }
  double t(int frame) const { return t_[static_cast<size_t>(frame)]; }
  VecX rate(int from, int to) const { return (x(to) - x(from)) / (t(to) - t(from)); }
  Vec3 spin(int from, int to) const { return turn_of(fit_rigid_motion(x(from), x(to))) / (t(to) - t(from)); }
  bool is_rare(size_t count) const {
    return static_cast<double>(count) <= std::max<double>(kFewCuts, kShareOfCuts * last_);
  }

  template <class Test>
  void pass_over(Test test) {
    MotionCuts found;
    for (int frame = 1; frame < last_; ++frame)
      if (const Found f = test(frame); f.is) {
        found.list.push_back(f.cut);
        ++frame;  // its neighbour is judged by it
      }
    if (!is_rare(found.list.size())) return;
    bridge_frames(x_, t_, found);
    out_.list.insert(out_.list.end(), found.list.begin(), found.list.end());
  }

  // What the points do around a frame or a step: velocities, in order of time, and the middle of each span [s].
  struct Around {
    std::vector<VecX> rates;
    std::vector<double> middle;
  };

  // Whether half of the points or more are `off` by more than what they do around. h [s] makes ways of velocities.
  // least: of a way worth a thought.
  bool half_are(const VecX& off, const Around& around, double h, double least) const {
    const std::vector<VecX>& v = around.rates;
    return half(off.size() / 3, [&](Eigen::Index i) {
      double fastest = 0, change = 0;
      for (size_t k = 0; k < v.size(); ++k) {
        fastest = std::max(fastest, v[k].segment<3>(i).norm());
        if (k > 0) change = std::max(change, (v[k] - v[k - 1]).segment<3>(i).norm());
      }
      const double far = off.segment<3>(i).norm(), beside = h * std::min(fastest, change);
      return (far > least && far > kSurely * beside) ||
             (!drives_only_ && far > kLikelyFar * size_ && far > kLikely * beside);
    });
  }

  // The same of what goes off in all directions: noise, which is told from motion by how changes of pace change.
  bool is_noise(const VecX& off, const Around& around, double h) const {
    std::vector<VecX> change;
    for (size_t k = 1; k < around.rates.size(); ++k)
      change.push_back((around.rates[k] - around.rates[k - 1]) / (around.middle[k] - around.middle[k - 1]));
    return half(off.size() / 3, [&](Eigen::Index i) {
      double bend = 0;
      for (size_t k = 1; k < change.size(); ++k)
        bend = std::max(bend, h * h * (change[k] - change[k - 1]).segment<3>(i).norm());
      const double far = off.segment<3>(i).norm();
      return far > kNoisy * body_ && far > kLikely * bend;
    });
  }

  template <class Test>
  static bool half(Eigen::Index n, Test test) {
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < n; ++i) count += test(3 * i);
    return 2 * count >= n;
  }

  // Further than all turns around, and than their changes.
  static bool turns_off(const Vec3& off, const std::vector<Vec3>& around, double h) {
    double fastest = 0, change = 0;
    for (size_t k = 0; k < around.size(); ++k) {
      fastest = std::max(fastest, around[k].norm());
      if (k > 0) change = std::max(change, (around[k] - around[k - 1]).norm());
    }
    return off.norm() >= kLeastTurn && off.norm() > kLikely * h * std::min(fastest, change);
  }

  // A frame that the way from those before it to those after it does not pass.
  Found bad(int j) const {
    std::vector<std::array<int, 2>> steps;
    for (const auto [from, to] :
         {std::array{j - 3, j - 2}, {j - 2, j - 1}, {j - 1, j + 1}, {j + 1, j + 2}, {j + 2, j + 3}})
      if (from >= 0 && to <= last_) steps.push_back({from, to});
    if (steps.size() < 3 || t(j + 1) - t(j - 1) > 2 * kLongestLeap) return {};
    const double h = (t(j + 1) - t(j - 1)) / 2;
    Around around;
    for (const auto& [from, to] : steps)
      around.rates.push_back(rate(from, to)), around.middle.push_back((t(from) + t(to)) / 2);
    VecX way = VecX::Zero(x(j).size());
    MotionCuts without;
    without.list.push_back({.kind = CutKind::bad_frame, .frame = j});
    for (const auto& [frame, weight] : bridge_of(j, t_, without)) way += weight * x(frame);
    const VecX off = x(j) - way;
    Found f{.is = false, .cut = {.kind = CutKind::bad_frame, .frame = j, .way = middle_length(off)}};
    const RigidMotion m = fit_rigid_motion(way, x(j));
    f.cut.turn = turn_of(m).norm();
    const bool noise = (m.to - m.from).norm() < kTogether * f.cut.way && !turns_as_one(m, way, x(j));
    f.is = half_are(off, around, h, kSurelyFar * body_) || (noise && is_noise(off, around, h));
    if (f.is || f.cut.turn < kLeastTurn || !turns_as_one(m, way, x(j))) return f;
    std::vector<Vec3> spins;
    for (const auto& [from, to] : steps) spins.push_back(spin(from, to));
    f.is = turns_off(turn_of(m), spins, h);
    return f;
  }

  // The frame before once more, in the middle of a motion that goes on.
  Found doubled(int j) const {
    if (j < 2 || j + 2 > last_) return {};
    const VecX before = rate(j - 2, j - 1), held = rate(j - 1, j), on = rate(j, j + 1), after = rate(j + 1, j + 2);
    const double a = before.norm(), b = on.norm(), c = after.norm(), h = t(j) - t(j - 1);
    const double root = std::sqrt(static_cast<double>(x(j).size()) / 3);
    Found f{.is = false, .cut = {.kind = CutKind::doubled_frame, .frame = j, .way = h * middle_length(before)}};
    f.is = h * std::min(a, c) > kFast * body_ * root && held.norm() <= kHeld * std::min({a, b, c}) &&
           std::max(a, c) <= kAsFast * std::min(a, c) && before.dot(on) >= kSameWay * a * b &&
           on.dot(after) >= kSameWay * b * c && 2 * b >= kLeastStep * (a + c) && 2 * b <= kMostStep * (a + c);
    return f;
  }

  Found leap(int k, const std::vector<VecX>& rates, const std::vector<Vec3>& spins) const {
    const double h = t(k + 1) - t(k);
    if (h > kLongestLeap) return {};
    Around around;
    std::vector<Vec3> turning;
    VecX usual = VecX::Zero(rates[0].size());
    Vec3 spinning = Vec3::Zero();
    double beside = 0;
    for (int j = std::max(0, k - 2); j <= std::min(last_ - 1, k + 2); ++j) {
      if (j == k) continue;
      around.rates.push_back(rates[static_cast<size_t>(j)]), turning.push_back(spins[static_cast<size_t>(j)]);
      if (std::abs(j - k) == 1) usual += around.rates.back(), spinning += turning.back(), ++beside;
    }
    if (around.rates.size() < 2) return {};
    const VecX off = h * (rates[static_cast<size_t>(k)] - usual / beside);
    const Vec3 turned = h * (spins[static_cast<size_t>(k)] - spinning / beside);
    Found f{.is = false, .cut = {.frame = k + 1, .way = middle_length(off), .turn = turned.norm()}};
    // In motion a step of any length is none that a small change of pace makes.
    double fastest = 0;
    for (const VecX& r : around.rates) fastest = std::max(fastest, h * middle_length(r));
    const bool still = kSurely * fastest < f.cut.way;
    f.is = half_are(off, around, h, still ? least_ : std::max(least_, kSurelyFar * size_));
    const RigidMotion m = fit_rigid_motion(x(k), x(k + 1));
    const bool turns = turns_off(turned, turning, h) && turns_as_one(m, x(k), x(k + 1));
    if (!f.is && !turns) return {};
    f.is = true;
    f.cut.kind = turns && (m.to - m.from).norm() < size_ / 2 ? CutKind::turn : CutKind::jump;
    return f;
  }

  void leaps() {
    std::vector<VecX> rates;
    std::vector<Vec3> spins;
    VecX far(last_);
    for (int k = 0; k < last_; ++k) {
      rates.push_back(rate(k, k + 1)), spins.push_back(spin(k, k + 1));
      far[k] = (t(k + 1) - t(k)) * middle_length(rates.back());
    }
    std::vector<MotionCut> moving, held;
    for (int k = 0; k < last_; ++k) {
      const Found f = leap(k, rates, spins);
      if (!f.is) continue;
      double beside = 0;
      for (int j : {k - 1, k + 1})
        if (j >= 0 && j < last_) beside = std::max(beside, far[j]);
      (beside <= kStandstill * std::min(far[k], size_) ? held : moving).push_back(f.cut);
    }
    // A clip of which every pose is held for some frames has many like it.
    if (is_rare(held.size())) moving.insert(moving.end(), held.begin(), held.end());
    out_.list.insert(out_.list.end(), moving.begin(), moving.end());
  }

  const std::vector<double>& t_;
  std::vector<VecX> x_;
  int last_;
  bool drives_only_;
  double size_ = 0, body_ = 0, least_ = 0;
  MotionCuts out_;
};

std::vector<double> even_times(size_t n, double dt) {
  std::vector<double> times(n);
  for (size_t k = 0; k < n; ++k) times[k] = static_cast<double>(k) * dt;
  return times;
}

template <class Text>
std::string some_of(const MotionCuts& cuts, bool leaps, Text text) {
  std::string out;
  size_t n = 0;
  for (const MotionCut& c : cuts.list) {
    if (c.is_leap() != leaps) continue;
    if (++n <= kNamed) out += (n > 1 ? ", " : "") + text(c);
  }
  if (n > kNamed) out += fmt::format(" and {} more", n - kNamed);
  return out;
}

}  // namespace

const char* name_of(CutKind kind) {
  switch (kind) {
    case CutKind::jump:
      return "jump";
    case CutKind::turn:
      return "turn";
    case CutKind::bad_frame:
      return "bad frame";
    case CutKind::doubled_frame:
      return "doubled frame";
  }
  return "";
}

std::vector<int> MotionCuts::leaps() const {
  std::vector<int> steps;
  for (const MotionCut& c : list)
    if (c.is_leap()) steps.push_back(c.frame - 1);
  return steps;
}

std::vector<int> MotionCuts::bridged() const {
  std::vector<int> frames;
  for (const MotionCut& c : list)
    if (!c.is_leap()) frames.push_back(c.frame);
  return frames;
}

MotionCuts find_motion_cuts(const std::vector<VecX>& frames, const std::vector<double>& times,
                            const CutOptions& options) {
  if (frames.size() < 4 || frames[0].size() == 0) return {};
  return Finder(frames, times, options).find();
}

MotionCuts find_motion_cuts(const std::vector<VecX>& frames, double dt, const CutOptions& options) {
  return find_motion_cuts(frames, even_times(frames.size(), dt), options);
}

BridgeWeights bridge_of(int frame, const std::vector<double>& times, const MotionCuts& cuts) {
  const std::vector<int> leaps = cuts.leaps(), bridged = cuts.bridged();
  const auto has = [](const std::vector<int>& list, int k) { return std::binary_search(list.begin(), list.end(), k); };
  BridgeWeights out;
  const auto gather = [&](int way) {
    for (int k = frame + way, found = 0; found < 2 && k >= 0 && k < static_cast<int>(times.size()); k += way) {
      if (has(leaps, way > 0 ? k - 1 : k)) break;
      if (!has(bridged, k)) out.emplace_back(k, 1), ++found;
    }
  };
  gather(-1), gather(1);
  const auto t = [&](int k) { return times[static_cast<size_t>(k)]; };
  for (auto& [k, weight] : out)
    for (const auto& other : out)
      if (other.first != k) weight *= (t(frame) - t(other.first)) / (t(k) - t(other.first));
  return out;
}

void bridge_frames(std::vector<VecX>& frames, const std::vector<double>& times, const MotionCuts& cuts) {
  for (int frame : cuts.bridged()) {
    const BridgeWeights weights = bridge_of(frame, times, cuts);
    if (weights.empty()) continue;
    // About the first of them, so that what stands still does so to the last bit.
    const VecX& first = frames[static_cast<size_t>(weights[0].first)];
    VecX sum = first;
    for (const auto& [k, weight] : weights) sum += weight * (frames[static_cast<size_t>(k)] - first);
    frames[static_cast<size_t>(frame)] = std::move(sum);
  }
}

void bridge_frames(std::vector<VecX>& frames, double dt, const MotionCuts& cuts) {
  bridge_frames(frames, even_times(frames.size(), dt), cuts);
}

VecX bridged(VecX values, double dt, const MotionCuts& cuts) {
  const std::vector<double> times = even_times(static_cast<size_t>(values.size()), dt);
  for (int frame : cuts.bridged()) {
    double sum = 0;
    for (const auto& [k, weight] : bridge_of(frame, times, cuts)) sum += weight * values[k];
    values[frame] = sum;
  }
  return values;
}

MotionCuts cuts_within(const MotionCuts& cuts, int first, int last) {
  MotionCuts out;
  for (MotionCut c : cuts.list) {
    if (c.frame < first + (c.is_leap() ? 1 : 0) || c.frame > last) continue;
    c.frame -= first;
    out.list.push_back(c);
  }
  return out;
}

MotionCuts cuts_at_rate(const MotionCuts& found, double dt, double per_second) {
  MotionCuts out;
  for (MotionCut c : found.list) {
    // The new place is there from its frame on.
    const double frame = c.frame * dt * per_second;
    c.frame = static_cast<int>(c.is_leap() ? std::ceil(frame - 1e-6) : std::lround(frame));
    if (out.list.empty() || out.list.back().frame != c.frame) out.list.push_back(c);
  }
  return out;
}

std::string describe_leaps(const MotionCuts& cuts) {
  return some_of(cuts, true, [](const MotionCut& c) {
    return c.kind == CutKind::turn ? fmt::format("{} (turns {:.0f} degrees)", c.frame, c.turn * 180 / M_PI)
                                   : fmt::format("{} (jumps {:.2g} m)", c.frame, c.way);
  });
}

std::string describe_bridged(const MotionCuts& cuts) {
  return some_of(cuts, false, [](const MotionCut& c) {
    return fmt::format("{} ({})", c.frame, c.kind == CutKind::bad_frame ? "off" : "the one before again");
  });
}

double pose_size(const std::vector<VecX>& poses) {
  VecX size(static_cast<Eigen::Index>(poses.size()));
  for (size_t k = 0; k < poses.size(); ++k) {
    const auto points = poses[k].reshaped(3, poses[k].size() / 3);
    size[static_cast<Eigen::Index>(k)] =
        points.cols() > 0 ? (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm() : 0;
  }
  return middle_of(std::move(size));
}

}  // namespace supple
