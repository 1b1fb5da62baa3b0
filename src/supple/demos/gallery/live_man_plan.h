// Which flesh of a live figure jiggles as one: a bone and a place in the bound pose, which is cut from the body.
#pragma once
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple::demos {

// An ellipsoid in the bound world [m].
struct LiveRegion {
  Vec3 centre = Vec3::Zero(), radii = Vec3::Ones();
  Mat3 turn = Mat3::Identity();  // columns: the directions of its three radii
  // Negative inside, 0 on the border: about the distance to it [m].
  double distance(const Vec3& x) const;
};

struct LivePlan {
  std::string name, bone;
  LiveRegion region;  // the soft volume is what of the body lies in it
};

std::vector<LivePlan> live_man_plan();  // belly, thigh_l, thigh_r; their regions do not meet
std::vector<LivePlan> live_tissue_plan();

}  // namespace supple::demos
