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

// How the last sample meets the first, by the differences between samples that the seam would have (root mean squares
// over the points). Closed is a pose that misses by less than a tenth of how much steps vary over the clip, where the
// change of velocity (second difference) is at most 2.2 times, and that of acceleration (third) at most 3 times the
// median inside the clip: hand-made cycles change pace at their footfalls, and not only at the seam.
struct Seam {
  enum class Kind {
    closed,     // last pose and velocity meet the first
    apart,      // the poses differ by more than a rigid motion
    different,  // the poses meet, the velocities do not
    at_rest,    // they meet, but both ends stand still: there is nothing to carry over
    uniform,    // speeds never change
    still,      // it never moves
    short_clip  // fewer than eight samples
  };
  Kind kind = Kind::short_clip;
  RigidMotion carry;  // T: none or a mere translation where that will do
  double pose_m = 0;  // farthest a point of the last pose is from T(first pose) [m]
  double speed = 0;   // change of velocity over the seam [m/s]
  double usual = 0;   // how much velocities vary over the clip [m/s]
  double rough = 0;   // change of velocity over the seam, beside the largest from step to step inside the clip
};
Seam find_seam(const std::vector<VecX>& samples, double dt);
// Whether the cycle ends one sample before its first pose comes again, and not with it. Of a rigid motion both may look
// right: a cycle that travels by no more than a step does not travel. wanted: it is to be a loop, if there is any way.
// The seam is then that of the longer cycle.
bool ends_before_first(const std::vector<VecX>& samples, double dt, bool wanted, Seam& seam);
std::string describe(const Seam& seam);  // "the last pose is 0.21 m from the first"

// The motion three samples or keys longer, as in its last step: a clip that is cut off while it moves does not stop at
// its last frame. A last step that is a jump is not continued.
void continue_end(std::vector<VecX>& samples);
void continue_end(std::vector<RigidKey>& keys);

// The clip that begins at time t0, repeated for all times. The last sample is taken to be T of the first. Twice
// continuously differentiable across the seam, as it is elsewhere. InputError as make_sampled_track, and for fewer than
// four samples.
std::unique_ptr<Track> make_looped_track(const std::vector<VecX>& samples, double dt, const RigidMotion& carry,
                                         double t0 = 0);
// The same where it is known which steps are cut, and no other is.
std::unique_ptr<Track> make_looped_track(const std::vector<VecX>& samples, double dt, const RigidMotion& carry,
                                         const std::vector<int>& cuts, double t0);
// The same of a rigid motion: from the first key's time to the last one's.
std::unique_ptr<Track> make_looped_rigid_track(std::vector<RigidKey> keys, const Points& rest,
                                               const RigidMotion& carry);

}  // namespace supple
