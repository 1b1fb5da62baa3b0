// How far points may move along straight lines before features come too near to each other.
#pragma once
#include "supple/contact/contact_pair.h"

namespace supple {

class BroadPhase;

// A share s of the displacement dx, at most `at_most`, such that all the way up to it the pair's distance is at least
// keep (in [0, 1)) times that at x; keep = 0.1 leaves barriers finite. Not the largest such share, but it stops only
// where little of the distance is left to give, or after a bounded number of steps.
// 0 when the distance at x is 0 or a number is not finite.
//
// Conservative advancement (as in Li, Kaufman, Jiang 2021, "Codimensional incremental potential contact", section 5).
// There each step is the distance over the fastest relative motion. Here the plane across the nearest points is kept
// and a step lasts until a point comes too near to it: never shorter, exact for motion head-on, and unlimited for
// features that slide past or part.
double safe_share(const ContactPair& pair, const Points& x, const Points& dx, double keep, double at_most = 1);

// The same for all pairs of a shape at once. 0 when any number is not finite.
double largest_safe_share(BroadPhase& broad, const Points& x, const Points& dx, double keep, double at_most = 1);

}  // namespace supple
