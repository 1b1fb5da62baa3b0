#include "supple/demos/gallery/live_man_plan.h"

#include "supple/demos/gallery/live_man_shape.h"
#include "supple/demos/shapes/shapes.h"
#include "supple/mesh/rigid_fit.h"

namespace supple::demos {

double LiveRegion::distance(const Vec3& x) const {
  return ellipsoid(turn.transpose() * (x - centre), Vec3::Zero(), radii);
}

std::vector<LivePlan> live_man_plan() {
  using namespace live_man;
  std::vector<LivePlan> plan;
  plan.push_back({"belly", "spine", {.centre = {0, 1.05, 0.10}, .radii = {0.27, 0.185, 0.215}}});
  for (const bool left : {true, false}) {
    const auto mine = [&](const Vec3& v) { return left ? v : mirrored(v); };
    // Along the bone, and turned no further than it takes.
    const Vec3 along = mine(kThigh - kKnee).normalized();
    const Mat3 turn = turn_between(Vec3::UnitY(), along).toRotationMatrix();
    const Vec3 centre = mine(0.53 * kThigh + 0.47 * kKnee + Vec3(0.015, 0, 0.01));
    plan.push_back({left ? "thigh_l" : "thigh_r", left ? "thigh_l" : "thigh_r", {centre, {0.145, 0.185, 0.16}, turn}});
  }
  return plan;
}

}  // namespace supple::demos
