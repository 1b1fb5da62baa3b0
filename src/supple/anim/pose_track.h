// The motion that throws the flesh of a drawn clip: the clip's poses, smoothed in time, as a track.
//
// Keys a few frames apart with straight lines between, and the jitter of captured motion, have accelerations that no
// one sees in the drawn motion and everyone in flesh. What is drawn stays as drawn: the flesh's departure from this
// track is what is added to it, so where the departure is zero nothing of the smoothing shows.
#pragma once
#include <memory>
#include <vector>

#include "supple/anim/pose_cycle.h"
#include "supple/anim/track.h"

namespace supple {

inline constexpr double kForcingHz = 5;  // half of a motion at this rate is left, of one at half the rate all but 1.5 %

// Of samples dt apart: the motion between leaps that misses them least and whose third differences are least, which
// takes the share 1 / (1 + (f / hz)^6) of a motion at f. Parabolas stay what they are, also at ends and leaps; the
// samples of a cycle are smoothed across its seam. Where hz is beyond what the samples can hold they stay as they are.
// Of a cycle there are steps + 1 samples afterwards, the last one T of the first: what it missed that by is spread over
// the period.
void smooth_poses(std::vector<VecX>& samples, double dt, const std::vector<int>& cuts, const PoseCycle& cycle,
                  double hz = kForcingHz);

// Samples at other times than those that were keyed: led smoothly through the poses at the keys, not along the straight
// lines between them, whose corners would come at a beat that is not the motion's. keys: dt apart, with their own
// leaps; times: of the samples, from the first key on [s]; past the last key the motion goes on.
std::vector<VecX> led_through_keys(std::vector<VecX> keys, double dt, const std::vector<int>& cuts,
                                   const std::vector<double>& times);
// Which steps of those samples the leaps of the keys fall into.
std::vector<int> cuts_between(const std::vector<int>& cuts_of_keys, double dt, const std::vector<double>& times);

// The smoothed motion of any points of the body, from their places at the frames of the clip, the first one at t0. A
// cycle goes on for ever, before t0 as well; what is none begins as `start` says, and after its end goes on as in its
// last step if it begins moving and is not held. Leaps are cuts of the track: either side goes by its own samples.
std::shared_ptr<const Track> make_pose_track(std::vector<VecX> samples, double dt, const std::vector<int>& cuts,
                                             const PoseCycle& cycle, TrackStart start, double t0 = 0,
                                             bool held = false);

}  // namespace supple
