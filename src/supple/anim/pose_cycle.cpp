#include "supple/anim/pose_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/anim/motion_cuts.h"

namespace supple {

namespace {

constexpr double kMeets = 5e-3;                    // of the size: poses that are taken to be the same
constexpr double kNearly = 0.05, kOfReach = 0.2;   // of the size, and of how far the clip goes: drawn by hand
constexpr double kSeenBend = 3e-3;                 // of the size, in a step
constexpr double kNoMotion = 1e-6;                 // of the size
constexpr double kOfTheGap = 0.35;                 // what a step more misses beside a step less
constexpr double kSharpest = 1.5;                  // of a travelling cycle: bend at the seam beside the largest inside
constexpr double kSlowEnds = 0.15, kGentle = 0.4;  // of the longest step and of the largest bend
constexpr double kEvenPace = 1e-3;                 // of the longest step
constexpr size_t kFewestPoses = 4;

double farthest(const VecX& x) { return std::sqrt(x.reshaped(3, x.size() / 3).colwise().squaredNorm().maxCoeff()); }
double typical(const VecX& x) { return x.norm() / std::sqrt(static_cast<double>(x.size()) / 3); }

// Steps and bends inside the clip, leaps left out.
struct Inside {
  double longest = 0, sharpest = 0;  // root mean squares over the points
  double varies = 0;                 // farthest a step is from the mean one
  VecX bends;                        // of every point its largest
};
Inside look_inside(const std::vector<VecX>& x, const std::vector<int>& cuts) {
  Inside in;
  const Eigen::Index n = x[0].size() / 3;
  in.bends = VecX::Zero(n);
  const auto leaps = [&](size_t k) { return std::binary_search(cuts.begin(), cuts.end(), static_cast<int>(k)); };
  const VecX mean = (x.back() - x[0]) / static_cast<double>(x.size() - 1);
  for (size_t k = 0; k + 1 < x.size(); ++k) {
    if (leaps(k)) continue;
    const VecX step = x[k + 1] - x[k];
    in.longest = std::max(in.longest, typical(step));
    in.varies = std::max(in.varies, typical(step - mean));
    if (k == 0 || leaps(k - 1)) continue;
    const VecX bend = step - (x[k] - x[k - 1]);
    in.sharpest = std::max(in.sharpest, typical(bend));
    in.bends = in.bends.cwiseMax(VecX(bend.reshaped(3, n).colwise().norm().transpose()));
  }
  return in;
}

// One way to close it: T, the pose that is to be T(first), and the steps that meet.
struct Closing {
  RigidMotion carry;
  bool one_more = false;
  double miss = 0, typical_miss = 0;  // [m]
  VecX bend;
};

Closing closed_at(const std::vector<VecX>& x, const RigidMotion& carry, bool one_more) {
  const VecX &first = x[0], &last = x.back();
  const VecX step_first = turned(carry, x[1] - first), step_last = last - x[x.size() - 2];
  Closing c{.carry = carry, .one_more = one_more, .bend = step_first - step_last};
  const VecX step = carried(carry, first) - last;
  VecX miss = step;
  if (one_more) {
    // The step in between is to go as those beside it do: as the cubic through two on either side.
    const size_t n = x.size();
    const VecX second = turned(carry, x[2] - x[1]), second_last = x[n - 2] - x[n - 3];
    miss -= (4 * (step_first + step_last) - (second + second_last)) / 6;
    const VecX before = step - step_last, after = step_first - step;
    c.bend = typical(before) > typical(after) ? before : after;
  }
  c.miss = farthest(miss), c.typical_miss = typical(miss);
  return c;
}

// T of a travelling cycle that ends a step before its first pose comes again: as in the steps beside it.
RigidMotion one_step_on(const std::vector<VecX>& x) {
  const VecX step_last = x.back() - x[x.size() - 2];
  RigidMotion carry = fit_rigid_motion(x[0], x.back() + step_last);
  for (int k = 0; k < 3; ++k) carry = fit_rigid_motion(x[0], x.back() + 0.5 * (step_last + turned(carry, x[1] - x[0])));
  return carry;
}

}  // namespace

PoseCycle find_pose_cycle(const std::vector<VecX>& x, const std::vector<int>& cuts) {
  PoseCycle out;
  if (x.size() < kFewestPoses || x[0].size() == 0) {
    out.why = fmt::format("it has fewer than {} frames", kFewestPoses);
    return out;
  }
  const double size = pose_size(x);
  double reach = 0;
  for (const VecX& pose : x) reach = std::max(reach, farthest(pose - x[0]));
  if (reach <= kNoMotion * size) {
    out.why = "it never moves";
    return out;
  }
  const Inside in = look_inside(x, cuts);
  const auto take = [&](const Closing& c) {
    const VecX across = c.bend.reshaped(3, c.bend.size() / 3).colwise().norm().transpose();
    out.bend = std::max(0.0, (across - in.bends).maxCoeff()) / size;
    out.kind = out.bend < kSeenBend ? PoseCycle::Kind::smooth : PoseCycle::Kind::corner;
    out.ends_before_first = c.one_more;
    out.steps = static_cast<int>(x.size()) - (c.one_more ? 0 : 1);
    out.carry = c.carry;
    out.miss = c.miss / size;
    return out;
  };

  // Where it stands: the same pose, or one step before it.
  const Closing same = closed_at(x, {}, false), next = closed_at(x, {}, true);
  const double allowed = std::max(kMeets * size, std::min(kNearly * size, kOfReach * reach));
  const bool runs_on = next.miss <= allowed && next.typical_miss < kOfTheGap * same.typical_miss &&
                       typical(next.bend) <= kSharpest * in.sharpest;
  if (runs_on) return take(next);
  if (same.miss <= allowed) return take(same);

  // Elsewhere.
  const RigidMotion best = fit_rigid_motion(x[0], x.back());
  RigidMotion shift = best;
  shift.R = Mat3::Identity();
  const Closing moved = closed_at(x, shift, false), rigid = closed_at(x, best, false);
  const Closing& on = moved.miss <= std::max(0.1 * kMeets * size, rigid.miss) ? moved : rigid;
  const auto goes_on = [&](const Closing& c) {
    return c.miss <= kMeets * size && typical(c.bend) <= kSharpest * in.sharpest;
  };
  const double at_ends = std::max(typical(x[1] - x[0]), typical(x.back() - x[x.size() - 2]));
  const bool stands = at_ends <= kSlowEnds * in.longest && typical(on.bend) <= kGentle * in.sharpest;
  out.miss = on.miss / size;
  if (in.varies <= kEvenPace * in.longest) {
    out.why = "its speed never changes";
  } else if (on.miss <= kMeets * size && stands) {
    out.why = "it stands still at both ends, elsewhere";
  } else if (goes_on(on)) {
    return take(on);
  } else if (const Closing later = closed_at(x, one_step_on(x), true); goes_on(later) && !stands) {
    return take(later);
  } else if (on.miss <= kMeets * size) {
    out.why = "it ends elsewhere, and there it moves otherwise than at its beginning";
  } else {
    out.why =
        fmt::format("its last pose is {:.2g} % of the size from the first", 100 * farthest(x.back() - x[0]) / size);
  }
  return out;
}

std::string describe(const PoseCycle& c) {
  if (!c.repeats()) return c.why;
  std::string text = c.ends_before_first ? "its first pose comes a frame after its last" : "its last pose is its first";
  if (c.kind == PoseCycle::Kind::corner) text += ", where the drawn motion bends";
  return text;
}

}  // namespace supple
