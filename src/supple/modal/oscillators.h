// What a bone's motion does to the shapes of a basis (the rigid-motion transfer of DyRT), and the oscillators' exact
// answer to it. The body's own equation in the bone's frame, tested with shapes of unit mass:
//   q'' + 2 d q' + w^2 q = T (alpha, a) + Z (Omega Omega) + Omega . (Y q') + gravity
#pragma once
#include <array>
#include <vector>

#include "supple/anim/live_pack.h"
#include "supple/modal/modal_basis.h"

namespace supple {

// The bone's frame as the flesh is drawn: its origin and axes (columns) in the world.
struct BoneFrame {
  Vec3 origin = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
};

struct Oscillators {
  VecX squares;                  // omega^2 [1/s^2]
  VecX decay;                    // [1/s]
  MatX transfer;                 // a row each: about x y z, along x y z, in the bone's axes
  MatX centrifugal;              // products xx yy zz xy xz yz
  std::array<MatX, 3> coriolis;  // by the turning rate about x, y, z
  Eigen::Index size() const { return squares.size(); }
};
Oscillators make_oscillators(const Solid& solid, const ModalBasis& basis, const BoneFrame& bone,
                             double stiffness_damping, double mass_damping);
// As the runtimes see a part of a pack: weights in place of coordinates of unit mass.
Oscillators oscillators_of(const LivePart& part);

// One mode over one step, for a forcing linear over it: the exact answer, whatever the damping.
struct OscillatorStep {
  double a, b, c, d;      // q+ = a q + b q', q'+ = c q + d q'
  double q0, q1, v0, v1;  // gains of the forcing at the start and at the end
};
OscillatorStep oscillator_step(double square, double decay, double step);

// The motion of a bone at equal steps, in its own axes.
struct BoneMotion {
  double step = 0;  // [s]
  std::vector<Mat3> axes;
  Points acceleration, turning, turning_rate;  // a, Omega, alpha
  std::vector<size_t> cuts;                    // samples at which it was put elsewhere: the flesh starts anew
  size_t size() const { return axes.size(); }
};
// By five-point differences of samples; held beyond both ends, or `moving`: before the first as in the first step.
BoneMotion bone_motion(const std::vector<Mat3>& axes, const Points& places, double step, bool moving = false);

struct RespondOptions {
  LiveDials dials;
  double force_scale = 1;
  Vec3 gravity = Vec3::Zero(), rest_gravity = Vec3::Zero();  // world; the bone's axes
  bool centrifugal = true, coriolis = true;
  double force_limit = 0, angular_force_limit = 0, weight_limit = 0;  // as in LivePart; 0: none
  bool settled = true;                                                // starts hanging still, else at 0
};
// A row a sample: the coordinates, hanging included.
MatX respond(const Oscillators& o, const BoneMotion& motion, const RespondOptions& options);

}  // namespace supple
