// Frames of a motion that no motion leads to. A shot is cut where the body is somewhere else, or faces another way,
// from one frame to the next; and a frame may be no part of it: one that leaps away and comes back, noise, or the frame
// before once more while all moves on.
//
// Found by how the points go, and by the rigid motion of all of them: never by how far they go, but by how far beside
// what they do before and after. So a step is none that others beside it are like, however fast; a hit, a start and a
// stop are none, since the step before or after is as long; nor are clips that hold every pose for some frames.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "supple/base/types.h"

namespace supple {

enum class CutKind { jump, turn, bad_frame, doubled_frame };
const char* name_of(CutKind kind);

struct MotionCut {
  CutKind kind = CutKind::jump;
  int frame = 0;    // jump, turn: the first frame that is elsewhere; else the frame that is no part of the motion
  double way = 0;   // how far that is from where the motion was going: the median over the points [m]
  double turn = 0;  // and by what angle [rad]
  bool is_leap() const { return kind == CutKind::jump || kind == CutKind::turn; }
};

struct MotionCuts {
  std::vector<MotionCut> list;       // ascending, one a frame
  std::vector<int> leaps() const;    // steps k, from frame k to k + 1, over which the body leaps
  std::vector<int> bridged() const;  // frames that the motion passes over
};

// What the points are: all over a body, or those that drive one.
struct CutOptions {
  // A few points that may be anything: a small step is a cut where all stands still around it.
  bool drives_only = false;
  double body = 0;  // size of what those drive [m]: no frame is passed over for what is little beside it
};

// frames: flat, one or more, at ascending times [s].
MotionCuts find_motion_cuts(const std::vector<VecX>& frames, const std::vector<double>& times,
                            const CutOptions& options = {});
MotionCuts find_motion_cuts(const std::vector<VecX>& frames, double dt, const CutOptions& options = {});

// What a bridged frame is made of: the sound frames nearest to it, two on either side, none across a leap, each with
// its weight. A cubic through four frames, which a dancer's turn is missed by less than a hundredth of.
using BridgeWeights = std::vector<std::pair<int, double>>;
BridgeWeights bridge_of(int frame, const std::vector<double>& times, const MotionCuts& cuts);
// Puts that in place of the frames that are bridged.
void bridge_frames(std::vector<VecX>& frames, const std::vector<double>& times, const MotionCuts& cuts);
void bridge_frames(std::vector<VecX>& frames, double dt, const MotionCuts& cuts);
VecX bridged(VecX values, double dt, const MotionCuts& cuts);  // of one value a frame

// Those of frames first .. last, counted from `first`; a leap to `first` itself is none.
MotionCuts cuts_within(const MotionCuts& cuts, int first, int last);
// Of frames at another rate: `per_second` of them a second where `found` has frames dt apart, the first ones at once.
MotionCuts cuts_at_rate(const MotionCuts& found, double dt, double per_second);

// For people: "12 (jumps 3.2 m), 40 (turns 95 degrees)". which: of these kinds, some at most.
std::string describe_leaps(const MotionCuts& cuts);
std::string describe_bridged(const MotionCuts& cuts);

// The diagonal of the box around a body: the median over its poses (flat, one a frame).
double pose_size(const std::vector<VecX>& poses);

}  // namespace supple
