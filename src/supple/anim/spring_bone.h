// The spring bone of VRM 1.0 (VRMC_springBone): its rule, and the settings that give it a wanted frequency and
// half-life.
//
// One update, as the specification of the extension has it (p the joint, y its tail, a the direction of the bone at
// rest as the parent has turned it, L its length, world space, dt the time of the frame):
//   y+ = p + L normalized(y + (1 - drag) (y - y-) + dt stiffness a + dt gravity_power gravity_dir - p)
// Its time is that of the frames: another frame rate is another spring.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"

namespace supple {

struct SpringSettings {
  double stiffness = 0;
  double drag = 0;  // 0..1
  double gravity_power = 0;
  Vec3 gravity_dir = {0, -1, 0};  // unit, world
};

// One joint with its tail.
class SpringBone {
 public:
  SpringBone(const SpringSettings& settings, const Vec3& joint, const Vec3& tail)
      : settings_(settings), length_((tail - joint).norm()), tail_(tail), tail_prev_(tail) {}
  // joint: where it is now. direction: of the bone without spring, unit. Returns the tail.
  Vec3 step(double dt, const Vec3& joint, const Vec3& direction);
  const Vec3& tail() const { return tail_; }
  void push(const Vec3& by) { tail_ += by; }  // of the tail, now

 private:
  SpringSettings settings_;
  double length_;
  Vec3 tail_, tail_prev_;
};

struct SpringWish {
  double frequency_hz = 0;  // undamped, as of a mode
  double half_life_s = 0;   // of the amplitude
  double length = 0;        // from joint to tail, units of the file
  Vec3 direction = {0, -1, 0};
  double sag_rad = 0;  // by how much it leans towards gravity when it hangs still; 0: no gravity
  Vec3 gravity_dir = {0, -1, 0};
  double frame_rate = 60;
};
struct SpringFit {
  SpringSettings settings;
  bool exact = true;           // the rule can do what was wished
  double frequency_hz = 0;     // undamped, that it has at the frame rate
  double half_life_s = 0;      // that it has
  double half_life_error = 0;  // relative to the wish: -0.5 is half as long
  double sag_rad = 0;
  double speed_lean_rad = 0;       // lean at a steady 1 m (unit) a second: drag is felt against the world
  std::vector<std::string> notes;  // what is off and by how much
};
// Near its place at rest the tail obeys x+ = k ((2 - drag) x - (1 - drag) x-), k = L / (L + dt stiffness), so two poles
// give stiffness and drag. The rule always damps: the amplitude falls by cos(2 pi f dt) a frame at least. Where the
// wish is livelier drag is 0, the visible frequency is kept and the half-life is as long as it gets. InputError for
// wishes that are not positive and finite.
SpringFit fit_spring(const SpringWish& wish);

// Weights of soft vertices on one joint that turns about `hinge`: least squares of a mode's shape against the turn that
// moves `tail` along with it. They are taken from the bone that carries the joint, so from 0 to its weight.
struct HingeShape {
  Points rest;  // bound world
  SkinWeights skin;
  int bone = -1;  // that carries the joint
  Vec3 hinge = Vec3::Zero(), tail = Vec3::Zero();
  Points mode;  // displacements, bound world
  // Displacement of the flesh beside that of the tail under the same steady push: what the mode's forcing by linear
  // acceleration says, with `mode` scaled by it. 0: `mode` is scaled so that the largest weight is what the bone has.
  double gain = 1;
};
struct HingeWeights {
  std::vector<double> weights;  // one a vertex
  Vec3 axis = Vec3::Zero();     // of the turn, unit
  double share = 0;             // of the mode (sum of squares) that the turn says
};
HingeWeights hinge_weights(const HingeShape& shape);

// The skin with a new bone `joint` that has `weights`, taken from `bone` alone. At most four bones where it has any:
// with three others besides, the joint takes all of the bone's weight or, below half of it, none.
SkinWeights with_joint(const SkinWeights& skin, int bone, const std::vector<double>& weights, int joint);

}  // namespace supple
