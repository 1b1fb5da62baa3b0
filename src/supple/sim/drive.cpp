#include "supple/sim/drive.h"

#include <utility>

namespace supple {

namespace {

VecX at(const std::shared_ptr<const Track>& track, double t, int derivative = 0) {
  return track ? track->at(t, derivative) : VecX();
}

}  // namespace

VecX driven_points(const Drive& drive, double t, int derivative) {
  VecX points(0);
  for (const auto* track : {&drive.vertices, &drive.ties, &drive.springs}) {
    if (!*track) continue;
    const VecX x = (*track)->at(t, derivative);
    VecX both(points.size() + x.size());
    both << points, x;
    points = both;
  }
  return points;
}

VecX prescribed(const Model& model, const Drive& drive, double t, double* tie_residual) {
  return model.constraints().prescribe(at(drive.vertices, t), at(drive.ties, t), tie_residual);
}

void put_springs(const Drive& drive, double t, SpringTerm& springs, bool still) {
  const VecX places = drive.springs->at(t);
  springs.set_targets(places, still ? VecX(VecX::Zero(places.size())) : drive.springs->at(t, 1));
  if (drive.spring_factors) springs.set_factors(drive.spring_factors(t));
}

VecX prescribed_rate(const Model& model, const Drive& drive, double t, int derivative) {
  // prescribe() is affine in the positions: its linear part is a difference.
  const VecX x = at(drive.vertices, t), y = at(drive.ties, t);
  const VecX base = model.constraints().prescribe(x, y, nullptr);
  const VecX dx = at(drive.vertices, t, derivative), dy = at(drive.ties, t, derivative);
  return model.constraints().prescribe(x + dx, y + dy, nullptr) - base;
}

}  // namespace supple
