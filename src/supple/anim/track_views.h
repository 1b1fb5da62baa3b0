// Tracks made of other tracks. All of them jump when those do.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "supple/anim/track.h"

namespace supple {

using TrackPtr = std::shared_ptr<const Track>;

// Some points of a track: `count` in a row, or those listed.
TrackPtr points_in_a_row(TrackPtr whole, int first, int count);
TrackPtr some_points(TrackPtr whole, std::vector<int> points);
// Points that others carry, each the sum of four of them by weights.
struct CarriedPoint {
  std::array<int, 4> of;
  Eigen::Vector4d weights;
};
TrackPtr carried_points(TrackPtr whole, std::vector<CarriedPoint> points);
// Of values of points, flat, those listed.
VecX some_of(const VecX& all, const std::vector<int>& points);

// The same motion later by so many seconds; by a negative time: earlier, so that 0 is a moment within it.
TrackPtr later(TrackPtr base, double by);

// What a track does between 0 and `period`, again and again.
TrackPtr repeated(TrackPtr base, double period);

// Points of several tracks, one after the other, and of some that stay where they are.
struct TrackOrPoints {
  TrackPtr track;  // null: the points stay
  Points still;
};
TrackPtr together(std::vector<TrackOrPoints> parts);

// A track, and points that go rigidly with its points. rest: where these are as the followers are given.
TrackPtr with_followers(TrackPtr base, const Points& rest, Points followers);

}  // namespace supple
