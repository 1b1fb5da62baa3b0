#include <cmath>

#include "supple/demos/gallery/jellyphant_gait.h"
#include "supple/demos/gallery/rigged_elephant_plan.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos::peanut {

namespace {

// The dance: a beat, the frames it begins and ends at, and how high a foot goes.
constexpr double kBeat = 24, kBegin = 6, kEnd = 138, kRaise = 0.20;

struct DanceStep {
  double shift = 0;   // [m] of the body to its left
  double bounce = 0;  // [m] up
  Vec3 pelvis, chest, head;
};
DanceStep dance_step(double beat) {
  const double once = std::sin(M_PI * beat), twice = std::cos(2 * M_PI * beat);
  DanceStep s;
  s.shift = 0.09 * once;
  s.bounce = -0.065 + 0.045 * twice;
  s.pelvis = Vec3(2 * twice, 7 * once, -5 * once);
  s.chest = Vec3(-1.5 * twice, -5 * once, 3 * once);
  s.head = Vec3(8 * twice, 16 * std::sin(M_PI * (beat - 0.2)), 8 * once);
  return s;
}

// Feet go up in turn, on every other beat: right fore, left hind, left fore, right hind.
double raised_at(int foot, double beat) {
  const double own = std::fmod(beat - 0.5 * foot + 8, 2.0);
  const double s = std::min(own / 0.9, 1.0);
  return 16 * s * s * (1 - s) * (1 - s);
}

}  // namespace

PoseFunction walking(const Rig& rig) {
  return [&rig, walk = walk::motion(rig)](double frame, std::vector<Placement>& nodes) {
    const std::vector<Placement> rest = nodes;
    walk(frame, nodes);
    for (int j = 0; j < rig.size(); ++j) {
      const std::string& name = rig.joints()[j].name;
      if (name.starts_with("trunk") || name.starts_with("tail") || name.starts_with("ear")) nodes[j] = rest[j];
    }
  };
}

PoseFunction dancing(const Rig& rig) {
  return [&rig](double frame, std::vector<Placement>& nodes) {
    const double beat = std::max(0.0, (frame - kBegin) / kBeat);
    const double share = smooth_ramp(frame, kBegin, kBegin + 12) * smooth_ramp(frame, kEnd, kEnd - 12);
    const DanceStep s = dance_step(beat);
    std::vector<Quat> turns(static_cast<size_t>(rig.size()), Quat::Identity());
    const Vec3 shift = share * Vec3(s.shift, s.bounce, 0);
    turns[rig["pelvis"]] = turned(share * s.pelvis);
    turns[rig["chest"]] = turned(share * s.chest);
    turns[rig["neck"]] = turned(0.5 * share * s.head);
    turns[rig["head"]] = turned(0.5 * share * s.head);
    const std::vector<Affine> bones = rig.pose(turns, shift);
    int n = 0;
    for (const auto& [part, left] : {std::pair("fore", false), {"hind", true}, {"fore", true}, {"hind", false}}) {
      const bool fore = part == std::string("fore"), mirror = !left;
      const Vec3(&at)[4] = fore ? jellyphant::kFore : jellyphant::kHind;
      const auto mine = [mirror](const Vec3& v) -> Vec3 { return mirror ? mirrored(v) : v; };
      const auto joint = [&, part = part, left = left](const char* what) {
        return rig[part + std::string(what) + (left ? "_l" : "_r")];
      };
      const Vec3 along = (at[2] - at[0]).normalized(), knee = at[1] - at[0];
      const Vec3 pole = mine(knee - knee.dot(along) * along);
      const double up = share * raised_at(n++, beat);
      place_limb(rig, {mine(at[0]), mine(at[1]), mine(at[2]), pole}, bones,
                 {joint("_leg"), joint("_shin"), joint("_foot")}, mine(at[2] + up * Vec3(0.04, kRaise, 0.06)), pole,
                 turned({25 * up, 0, 0}), turns);
    }
    for (size_t j = 0; j < turns.size(); ++j) nodes[j].rotation = turns[j].normalized();
    nodes[rig["pelvis"]].translation += shift;
  };
}

}  // namespace supple::demos::peanut
