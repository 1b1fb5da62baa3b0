#include "supple/anim/limb.h"
#include "supple/demos/gallery/live_man.h"
#include "supple/demos/gallery/live_man_shape.h"
#include "supple/demos/gallery/live_spline.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::live_man {

namespace {

// What a foot does: its sole moves from where it is bound, and rolls over the heel (toes up, negative) or the toes
// [deg].
struct FootPose {
  Vec3 shift = Vec3::Zero();
  double pitch = 0;
};
// An arm from as it is bound [deg]: lowered to the side, swung back, bent at the elbow.
struct ArmPose {
  double lowered = 24, back = 0, bent = 12;
};
// Shifts [m], turns about x, y, z [deg]. Left and right are [0] and [1], the right ones mirrored.
struct BodyPose {
  Vec3 slide = Vec3::Zero();  // all of him, with the feet
  Vec3 hips = {0, -0.022, 0}, hips_turn = Vec3::Zero(), spine = Vec3::Zero(), chest = Vec3::Zero(), head = Vec3::Zero();
  FootPose foot[2];
  ArmPose arm[2];
};

Quat mirrored_turn(const Quat& q) { return {q.w(), q.x(), -q.y(), -q.z()}; }
Quat about(const Vec3& axis, double degrees) { return Quat(Eigen::AngleAxisd(degrees * M_PI / 180, axis)); }

// 0 to 1 over 0..1 without a jump in speed or acceleration.
double ease(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * s * (10 - 15 * s + 6 * s * s);
}
// max(0, x), rounded where |x| < e so that its second derivative is a hat.
double rise(double x, double e) {
  if (x <= -e) return 0;
  if (x >= e) return x;
  const double toe = std::pow(e - std::abs(x), 3) / (6 * e * e);
  return x < 0 ? toe : x + toe;
}

void place_arm(const Rig& rig, const ArmPose& pose, bool left, std::vector<Quat>& turns) {
  const std::string end = left ? "_l" : "_r";
  const auto put = [&](const char* joint, const Quat& q) { turns[rig[joint + end]] = left ? q : mirrored_turn(q); };
  const Vec3 along = (kElbow - kShoulder).normalized();
  const Quat whole = about(Vec3::UnitX(), pose.back) * about(Vec3::UnitZ(), -pose.lowered);
  // The collar bone takes its share.
  const Quat collar = Quat::Identity().slerp(0.15, whole);
  put("shoulder", collar);
  put("upper_arm", collar.conjugate() * whole);
  put("forearm", about(along.cross(Vec3::UnitZ()).normalized(), pose.bent));
  put("hand", about(along.cross(Vec3::UnitZ()).normalized(), 0.15 * pose.bent));
}

// Where the ankle is, in the axes of the left side.
Vec3 ankle(const FootPose& foot) {
  const Vec3 heel(0.192, 0, -0.095), toes(0.215, 0, 0.155);
  const Vec3 pivot = heel + ease((foot.pitch + 6) / 12) * (toes - heel);
  return foot.shift + pivot + about(Vec3::UnitX(), foot.pitch) * (kAnkle - pivot);
}

void apply(const Rig& rig, const BodyPose& pose, std::vector<Placement>& nodes) {
  std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
  turns[rig["hips"]] = turned(pose.hips_turn);
  turns[rig["spine"]] = turned(pose.spine);
  turns[rig["chest"]] = turned(pose.chest);
  turns[rig["neck"]] = turned(0.4 * pose.head);
  turns[rig["head"]] = turned(0.6 * pose.head);
  const Quat hips = turns[rig["hips"]];
  for (const bool left : {true, false}) {
    const std::string end = left ? "_l" : "_r";
    const auto mine = [&](const Vec3& v) { return left ? v : mirrored(v); };
    place_arm(rig, pose.arm[left ? 0 : 1], left, turns);
    const FootPose& foot = pose.foot[left ? 0 : 1];
    const Limb leg{mine(kThigh), mine(kKnee), mine(kAnkle), mine({0.15, 0, 1})};
    const Vec3 root = kHips + pose.hips + hips * (leg.root - kHips);
    const LimbPose reached = reach(leg, root, mine(ankle(foot)), hips * mine({0.22, 0, 1}));
    turns[rig["thigh" + end]] = hips.conjugate() * reached.upper;
    turns[rig["shin" + end]] = reached.upper.conjugate() * reached.lower;
    turns[rig["foot" + end]] = reached.lower.conjugate() * about(Vec3::UnitX(), foot.pitch);
  }
  for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
  nodes[rig["root"]].translation += pose.slide;
  nodes[rig["hips"]].translation += pose.hips;
}

// One number over frames. Where it comes to rest its last key is there several times, for the swinging of a spline
// to die out.
class Curve {
 public:
  Curve(const std::vector<double>& times, const std::vector<double>& values, SplineEnds ends = SplineEnds::rest)
      : spline_(keys(times, values), ends) {}
  double operator()(double time) const { return spline_.at(time)[0]; }

 private:
  static std::vector<SplineKey> keys(const std::vector<double>& times, const std::vector<double>& values) {
    std::vector<SplineKey> list;
    for (size_t k = 0; k < times.size(); ++k) list.push_back({times[k], Vec3(values.at(k), 0, 0)});
    return list;
  }
  Spline spline_;
};

// Crouches, leaves the ground at 21 with 2.4 m/s, is 0.3 m up, lands at 36 and stands from 62 on.
BodyPose jump(double f) {
  static const Curve height({0, 2, 4, 10, 14.5, 18, 21, 24, 28.4, 32.5, 36, 38.3, 40.8, 46, 53, 58, 62, 64, 66},
                            {-0.022, -0.022, -0.022, -0.15, -0.25, -0.155, 0.02, 0.214, 0.321, 0.245, 0.01, -0.14,
                             -0.19, -0.14, -0.045, -0.024, -0.022, -0.022, -0.022});
  static const Curve bow({0, 2, 4, 14, 21, 28, 34, 41, 52, 60, 62, 64}, {0, 0, 0, 30, 2, -4, 6, 22, 5, 0, 0, 0});
  static const Curve swing({0, 2, 4, 14, 21, 27, 34, 41, 48, 56, 62, 64},
                           {0, 0, 0, 48, -70, -100, -70, -5, 10, -2, 0, 0});
  static const Curve tiptoe({0, 12, 14, 16, 18, 21, 25, 30, 34, 36.5, 39, 40.5, 42},
                            {0, 0, 0, 0, 5, 28, 38, 30, 24, 14, 2, 0, 0});
  BodyPose p;
  const double y = height(f), b = bow(f), s = swing(f);
  p.hips = {0, y, -0.0028 * b};
  p.hips_turn = {0.9 * b, 0, 0};
  p.spine = {0.35 * b, 0, 0};
  p.chest = {0.2 * b, 0, 0};
  p.head = {-0.95 * b, 0, 0};
  for (FootPose& foot : p.foot) {
    foot.pitch = tiptoe(f);
    const double tuck = 0.07 * ease((f - 21) / 7) * ease((36 - f) / 7);
    foot.shift[1] = rise(y - 0.03, 0.05) + tuck;
  }
  for (ArmPose& arm : p.arm) {
    arm.back = s;
    arm.lowered = 24 - 0.0006 * s * s;
    arm.bent = 12 + 0.25 * rise(-s, 10) + 0.4 * b;
  }
  return p;
}

// To and fro twice, and stops dead in the middle.
BodyPose twist(double f) {
  static const Curve turn({0, 2, 4, 11, 21, 31, 40, 45.5, 47, 48.5, 50, 52}, {0, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 0});
  static const Curve out({0, 2, 4, 14, 40, 50, 52}, {0, 0, 0, 1, 1, 0, 0});
  BodyPose p;
  const double t = turn(f), o = out(f);
  p.hips[1] -= 0.02 * o;
  p.hips_turn = {0, 20 * t, 0};
  p.spine = {3 * o, 22 * t, 0};
  p.chest = {0, 14 * t, 0};
  p.head = {0, -22 * t, 0};
  for (int k : {0, 1}) {
    p.arm[k].lowered = 24 - 16 * o;
    p.arm[k].back = (k == 0 ? 1 : -1) * 16 * t;
    p.arm[k].bent = 12 + 38 * o;
  }
  return p;
}

// At 0.63 m/s. Phase 0: the left heel comes down; a foot stands for 0.6 of the loop.
BodyPose walk(double phase) {
  using E = SplineEnds;
  static const Curve ahead({0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.58, 0.66, 0.78, 0.9, 0.95, 1},
                           {0.225, 0.15, 0.075, 0, -0.075, -0.15, -0.208, -0.225, -0.02, 0.215, 0.243, 0.225}, E::loop);
  static const Curve lift({0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.58, 0.66, 0.76, 0.86, 0.94, 1},
                          {0, 0, 0, 0, 0, 0, 0.005, 0.035, 0.07, 0.04, 0.012, 0}, E::loop);
  static const Curve roll({0, 0.04, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.68, 0.78, 0.88, 0.95, 1},
                          {-16, -9, 0, 0, 0, 2, 14, 34, 36, 10, -12, -18, -16}, E::loop);
  const double a = 2 * M_PI * phase;
  BodyPose p;
  p.hips = {0.022 * std::cos(a - 0.6 * M_PI), -0.045 - 0.021 * std::cos(2 * a - 0.5), 0.008 * std::cos(2 * a + 1)};
  p.hips_turn = {3, -8 * std::cos(a), 3.5 * std::cos(a - 0.5 * M_PI)};
  p.spine = {1, 2 * std::cos(a), -1.5 * std::cos(a - 0.5 * M_PI)};
  p.chest = {0, 13 * std::cos(a), -3 * std::cos(a - 0.5 * M_PI)};
  p.head = {-4 + 1.2 * std::cos(2 * a), -6 * std::cos(a), 0};
  for (int k : {0, 1}) {
    const double mine = phase + 0.5 * k, c = std::cos(2 * M_PI * mine - 0.15);
    p.foot[k].shift = {-0.05, rise(lift(mine) - 0.004, 0.008), ahead(mine)};
    p.foot[k].pitch = roll(mine);
    p.arm[k] = {.lowered = 27, .back = 24 * c, .bent = 26 - 14 * c};
  }
  return p;
}

// At 1.8 m/s. Phase 0: the left foot comes down; it stands for 0.35 of the loop.
BodyPose run(double phase) {
  using E = SplineEnds;
  static const Curve ahead({0, 0.1, 0.2, 0.3, 0.38, 0.48, 0.6, 0.72, 0.84, 0.93, 1},
                           {0.2, 0.08, -0.04, -0.16, -0.255, -0.33, -0.22, 0.02, 0.24, 0.275, 0.2}, E::loop);
  static const Curve lift({0, 0.1, 0.2, 0.3, 0.38, 0.48, 0.6, 0.72, 0.84, 0.93, 1},
                          {0, 0, 0, 0.01, 0.055, 0.2, 0.3, 0.22, 0.1, 0.04, 0}, E::loop);
  static const Curve roll({0, 0.08, 0.15, 0.22, 0.3, 0.38, 0.5, 0.62, 0.75, 0.88, 1},
                          {-6, 0, 0, 6, 26, 46, 62, 48, 14, -6, -6}, E::loop);
  const double a = 2 * M_PI * phase;
  BodyPose p;
  p.hips = {0.012 * std::cos(a - 0.35 * M_PI), -0.065 - 0.042 * std::cos(2 * a - 4 * M_PI * 0.16), 0};
  p.hips_turn = {9, -10 * std::cos(a - 0.2), 3 * std::cos(a - 0.35 * M_PI)};
  p.spine = {4, 4 * std::cos(a - 0.2), -1 * std::cos(a - 0.35 * M_PI)};
  p.chest = {2, 18 * std::cos(a - 0.2), -2 * std::cos(a - 0.35 * M_PI)};
  p.head = {-13, -12 * std::cos(a - 0.2), 0};
  for (int k : {0, 1}) {
    const double mine = phase + 0.5 * k, c = std::cos(2 * M_PI * mine - 0.3);
    p.foot[k].shift = {-0.07, rise(lift(mine) - 0.006, 0.015), ahead(mine)};
    p.foot[k].pitch = roll(mine);
    p.arm[k] = {.lowered = 22, .back = 8 + 36 * c, .bent = 82 - 16 * c};
  }
  return p;
}

// One metre to his left, to where he is bound: faster for 12 frames, steady for 8, and 2 to stop.
BodyPose stop(double f) {
  constexpr double kStart = 6, kFaster = 12, kSteady = 8, kStops = 2;
  // Distance in a change of speed along 3 s^2 - 2 s^3, as a share of that at full speed.
  const auto gone = [](double s) {
    s = std::clamp(s, 0.0, 1.0);
    return s * s * s - s * s * s * s / 2;
  };
  const auto held = [](double t, double length) { return std::clamp(t, 0.0, length); };
  const double t = f - kStart, brake = t - kFaster - kSteady;
  const double frames =
      kFaster * gone(t / kFaster) + held(t - kFaster, kSteady) + held(brake, kStops) - kStops * gone(brake / kStops);
  const double whole = kFaster / 2 + kSteady + kStops / 2;
  static const Curve lean({0, 4, 6, 12, 18, 24, 30, 36, 46, 50, 54}, {0, 0, 0, 0.7, 1, 0.8, -0.2, -0.35, 0, 0, 0});
  BodyPose p;
  p.slide = {frames / whole - 1, 0, 0};
  // He leans into it, arms out a little.
  const double l = lean(f);
  p.spine = p.chest = {0, 0, -2.5 * l};
  p.head = {0, 0, 3 * l};
  for (ArmPose& arm : p.arm) arm.lowered -= 8 * l * l;
  return p;
}

}  // namespace

std::vector<Motion> motions(const Rig& rig) {
  const auto add = [&rig](const char* name, int frames, bool loops, BodyPose (*pose)(double)) {
    const double per = loops ? 1.0 / (frames - 1) : 1;  // of a loop: phases instead of frames
    return Motion{name, frames, loops,
                  [&rig, pose, per](double f, std::vector<Placement>& nodes) { apply(rig, pose(per * f), nodes); }};
  };
  return {add("jump", 76, false, jump), add("twist", 76, false, twist), add("walk", 37, true, walk),
          add("run", 21, true, run), add("stop", 76, false, stop)};
}

}  // namespace supple::demos::live_man
