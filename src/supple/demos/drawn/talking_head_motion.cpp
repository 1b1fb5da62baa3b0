#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "supple/demos/drawn/talking_head.h"
#include "supple/demos/drawn/talking_head_plan.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace {

using namespace talking_head;
constexpr double kDegree = std::numbers::pi / 180;

// 1 in the middle, 0 from `half` seconds before and after on, without a jolt.
double swell(double t, double middle, double half) {
  const double s = std::clamp((t - middle) / half, -1.0, 1.0);
  return (1 - s * s) * (1 - s * s);
}
// From 0 to 1 within `ramp` seconds, held from `from` to `to`.
double hold(double t, double from, double to, double ramp) {
  return smooth_ramp(t, from - ramp, from) * smooth_ramp(t, to + ramp, to);
}

// Mouths of a few sounds: how far the jaw opens [degrees], and the lips.
struct Sound {
  double jaw_deg, smile, pucker, press;
};
constexpr std::array<Sound, 8> kSounds = {{{15, 0.1, 0, 0},      // a
                                           {9, 0.5, 0, 0},       // e
                                           {5, 0.8, 0, 0},       // i
                                           {10, 0, 0.7, 0},      // o
                                           {4, 0, 1, 0},         // u
                                           {0, 0, 0, 1},         // m, b, p
                                           {3, 0.2, 0, 0},       // t, s
                                           {12, 0.4, 0.1, 0}}};  // ai
constexpr double kSyllable = 0.24;                               // [s]

double around(double x, double width) { return std::exp(-x * x / (width * width)); }

// How much a point belongs to the lower jaw. Between the lips it changes at once, beyond the corners of the mouth over
// the height of the cheek.
double of_jaw(const Vec3& open) {
  const double aside = std::min(std::abs(open.x()) / (1.8 * kMouthHalfWidth), 1.0);
  const double reach = 0.0070 + 0.0250 * aside * std::sqrt(aside);
  const double below = smooth_ramp((kMouthHeight - open.y()) / reach, -1, 1);
  // The throat stays, and so does what is behind the jaw.
  return below * smooth_ramp(open.y(), 0.035, 0.078) * smooth_ramp(open.z(), -0.015, 0.03);
}

Vec3 posed(const Vec3& p, const Vec3& open, const FaceState& s) {
  const double side = p.x() < 0 ? -1 : 1, x = std::abs(p.x()), d = p.y() - kMouthHeight;
  const double up = open.y() - kMouthHeight;  // well away from 0 on both lips
  const double front = smooth_ramp(p.z(), 0.02, 0.06);
  Vec3 q = p;
  // Corners of the mouth: out, up and back.
  const double corner = front * around(x - kMouthHalfWidth, 0.016) * around(d, 0.019);
  q += s.smile * corner * Vec3(side * 0.0065, 0.0065, -0.0055);
  // Lips drawn together and forward.
  const double rounded = front * around(x, 0.030) * around(d, 0.019);
  q.x() -= s.pucker * 0.42 * rounded * p.x();
  q.z() += s.pucker * 0.009 * rounded;
  // Lips pressed on each other and rolled in.
  const double lip = front * around(x, 0.024) * around(d, 0.010);
  q += s.press * lip * Vec3(0, -std::copysign(0.0012, up), -0.0028);
  const double puffed = around(x - 0.043, 0.022) * around(p.y() - 0.135, 0.024) * front;
  q += s.cheeks * puffed * Vec3(side * 0.0055, 0, 0.0040);
  const double brow = around(x - 0.028, 0.024) * around(p.y() - 0.2065, 0.014) * front;
  q += s.brows * brow * Vec3(0, 0.0065, 0.0005);
  const Vec3 hinge(q.x(), kJawHinge.y(), kJawHinge.z());
  q = hinge + Eigen::AngleAxisd(kDegree * s.jaw_deg * of_jaw(open), Vec3::UnitX()) * (q - hinge);
  return kNeck + Eigen::AngleAxisd(kDegree * s.turn_deg, Vec3::UnitY()) *
                     (Eigen::AngleAxisd(kDegree * s.nod_deg, Vec3::UnitX()) * (q - kNeck));
}

}  // namespace

FaceState speaking(double t) {
  FaceState s;
  // Speech, a sound every syllable, with pauses in which the face does more than sounds need.
  constexpr std::array<std::array<double, 2>, 5> kSpeech = {
      {{0.1, 6.6}, {9.4, 14.6}, {16.4, 20.2}, {22.4, 26.4}, {28.4, 31.2}}};
  for (const auto& [from, to] : kSpeech) {
    const int n = static_cast<int>((to - from) / kSyllable);
    for (int k = 0; k < n; ++k) {
      const auto number = static_cast<unsigned>(100 * from) + static_cast<unsigned>(k);
      // Every third sound closes the mouth or nearly.
      const unsigned mixed = number * 2654435761u >> 13;
      const Sound& sound = kSounds[k == 1 ? 0 : k % 3 == 2 ? 5 + mixed % 2 : mixed % 8];
      const double share = swell(t, from + kSyllable * (k + 1), 1.1 * kSyllable);
      s.jaw_deg += share * sound.jaw_deg;
      s.smile += share * sound.smile;
      s.pucker += share * sound.pucker;
      s.press += share * sound.press;
    }
  }
  const double yawn = hold(t, 7.6, 8.4, 0.7), pressed = hold(t, 15.1, 15.8, 0.3), kiss = hold(t, 20.9, 21.7, 0.4);
  const double grin = hold(t, 27.0, 27.8, 0.4), shout = swell(t, 0.55, 0.4) + swell(t, 18.0, 0.5);
  s.jaw_deg += 26 * yawn + 8 * shout + 4 * grin;
  s.press += pressed;
  s.pucker += kiss;
  s.smile += grin;
  s.cheeks = pressed + 0.4 * kiss;
  s.brows = 0.9 * yawn + 0.6 * swell(t, 3.1, 0.5) + 0.8 * swell(t, 12.0, 0.6) + 0.7 * grin + 0.8 * swell(t, 24.6, 0.5);
  const double moving = hold(t, 1.0, 30.8, 1.0);
  s.nod_deg = moving * (2.2 * std::sin(2.1 * t) + 1.2 * std::sin(4.7 * t + 1)) - 5 * yawn;
  s.turn_deg = moving * (3.5 * std::sin(0.9 * t) + 1.5 * std::sin(2.3 * t + 2));
  return s;
}

Points posed_face(const Points& neutral, const Points& open, const FaceState& state) {
  Points x;
  for (size_t v = 0; v < neutral.size(); ++v) x.push_back(posed(neutral[v], open[v], state));
  return x;
}

}  // namespace supple::demos
