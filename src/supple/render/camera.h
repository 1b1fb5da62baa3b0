// Where a picture is taken from.
#pragma once
#include "supple/base/types.h"

namespace supple {

struct Camera {
  Vec3 eye = {0, 0, 5}, target = Vec3::Zero(), up = {0, 1, 0};
  bool perspective = true;
  double fov_deg = 30;     // vertical, perspective only
  double view_height = 2;  // [m] that the picture spans at the target, orthographic only
};

// A camera that looks along `direction` at the middle of the box and shows all of it in a picture of the given
// width over height, with `margin` (a fraction of the picture) around it.
Camera fit_camera(const Box& box, const Vec3& direction, double aspect, bool perspective = true, double margin = 0.05);

// The camera as a map from the world to the picture, both axes in -1..1 (y up) where visible. Depth grows away from
// the eye and is constant on planes across the view.
class View {
 public:
  View(const Camera& camera, double aspect);
  Vec3 eye_space(const Vec3& p) const;           // x right, y up, z = depth [m]
  Eigen::Vector2d project(const Vec3& e) const;  // of a point in eye space, depth >= near() in perspective
  bool perspective() const { return perspective_; }
  double near() const { return near_; }
  const Vec3& eye() const { return eye_; }
  // The ray behind a picture point: start and unit direction in the world.
  std::pair<Vec3, Vec3> ray(double x, double y) const;

 private:
  bool perspective_;
  Vec3 eye_, right_, up_, forward_;
  double sx_, sy_, near_;
};

}  // namespace supple
