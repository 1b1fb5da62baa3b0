// Motions that repeat: does a clip's end meet its beginning, and the motion without an end that follows.
//
// A clip may travel and turn: its last pose is its first carried by one rigid motion T, and cycle c is the clip
// carried by T^c.
#pragma once
#include "supple/anim/track.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

RigidMotion inverse(const RigidMotion& m);
RigidMotion power(const RigidMotion& m, int n);  // n times in a row, n of either sign
VecX carried(const RigidMotion& m, const VecX& points);
VecX turned(const RigidMotion& m, const VecX& vectors);  // only R, for velocities

// How the last sample meets the first. Closed are a pose that misses by less than a tenth of how much steps vary over
// the clip, a velocity by less than 15 % of that, and an acceleration by less than half of the largest one.
struct Seam {
  enum class Kind {
    closed,     // last pose, velocity and acceleration meet the first
    apart,      // the poses differ by more than a rigid motion
    different,  // the poses meet, velocities or accelerations do not
    at_rest,    // they meet, but both ends stand still: there is nothing to carry over
    uniform,    // speeds never change
    still,      // it never moves
    short_clip  // fewer than eight samples
  };
  Kind kind = Kind::short_clip;
  RigidMotion carry;  // T: none or a mere translation where that will do
  double pose_m = 0;  // farthest a point of the last pose is from T(first pose) [m]
  double speed = 0;   // largest difference of the velocities [m/s]
  double usual = 0;   // how much velocities vary over the clip [m/s]
};
Seam find_seam(const std::vector<VecX>& samples, double dt);
std::string describe(const Seam& seam);  // "the last pose is 0.21 m from the first"

// The clip that begins at time t0, repeated for all times. The last sample is taken to be T of the first. Twice
// continuously differentiable across the seam, as it is elsewhere. InputError as make_sampled_track, and for fewer than
// four samples.
std::unique_ptr<Track> make_looped_track(const std::vector<VecX>& samples, double dt, const RigidMotion& carry,
                                         double t0 = 0);
// The same of a rigid motion: from the first key's time to the last one's.
std::unique_ptr<Track> make_looped_rigid_track(std::vector<RigidKey> keys, const Points& rest,
                                               const RigidMotion& carry);

}  // namespace supple
