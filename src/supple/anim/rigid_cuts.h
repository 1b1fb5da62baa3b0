// Rigid motions by keys of which it is known where they are cut: no other step is.
#pragma once
#include "supple/anim/motion_cuts.h"
#include "supple/anim/track.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

// Where keys have the corners of the box around points: what find_motion_cuts is asked with. And their times [s].
std::vector<VecX> box_places(const std::vector<RigidKey>& keys, const Points& rest);
std::vector<double> times_of(const std::vector<RigidKey>& keys);
// Puts what lies between their neighbours in place of keys that are bridged.
void bridge_keys(std::vector<RigidKey>& keys, const MotionCuts& cuts);

// As in track.h and loop_track.h; cuts: steps, by the key before them.
std::unique_ptr<Track> make_rigid_track(std::vector<RigidKey> keys, const Points& rest, TrackStart start,
                                        const std::vector<int>& cuts);
std::unique_ptr<Track> make_looped_rigid_track(std::vector<RigidKey> keys, const Points& rest, const RigidMotion& carry,
                                               const std::vector<int>& cuts);

}  // namespace supple
