#include "supple/render/camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "supple/base/error.h"

namespace supple {

namespace {
double half_tangent(double fov_deg) { return std::tan(0.5 * fov_deg * std::numbers::pi / 180); }
}  // namespace

View::View(const Camera& camera, double aspect) : perspective_(camera.perspective), eye_(camera.eye) {
  forward_ = camera.target - camera.eye;
  const double distance = forward_.norm();
  if (!(distance > 0) || !std::isfinite(distance)) {
    throw InputError({"", 0, 0, "camera"}, "eye and target coincide", "move one of them");
  }
  const double height = perspective_ ? half_tangent(camera.fov_deg) : 0.5 * camera.view_height;
  if (!(height > 0) || !std::isfinite(height) || !(aspect > 0)) {
    throw InputError({"", 0, 0, "camera"}, "the view has no height", "give 0 < fov_deg < 180 and view_height > 0");
  }
  forward_ /= distance;
  right_ = forward_.cross(camera.up);
  if (!(right_.norm() > 1e-9 * camera.up.norm())) right_ = forward_.unitOrthogonal();  // looks along `up`
  right_.normalize();
  up_ = right_.cross(forward_);
  sy_ = 1 / height;
  sx_ = sy_ / aspect;
  near_ = perspective_ ? 1e-3 * distance : -std::numeric_limits<double>::infinity();
}

Vec3 View::eye_space(const Vec3& p) const {
  const Vec3 d = p - eye_;
  return {right_.dot(d), up_.dot(d), forward_.dot(d)};
}

Eigen::Vector2d View::project(const Vec3& e) const {
  const double w = perspective_ ? e.z() : 1;
  return {sx_ * e.x() / w, sy_ * e.y() / w};
}

std::pair<Vec3, Vec3> View::ray(double x, double y) const {
  const Vec3 across = x / sx_ * right_ + y / sy_ * up_;
  if (!perspective_) return {eye_ + across, forward_};
  return {eye_, (forward_ + across).normalized()};
}

Camera fit_camera(const Box& box, const Vec3& direction, double aspect, bool perspective, double margin) {
  const Vec3 middle = 0.5 * (box.low + box.high);
  const double radius = std::max(0.5 * box.size().norm(), 1e-9);
  Camera camera;
  camera.perspective = perspective;
  camera.target = middle;
  camera.eye = middle - 4 * radius * direction.normalized();
  // The corners of the box in the axes of the camera say how far away, or how wide, the view must be.
  camera.view_height = 1;
  const View view(camera, 1);
  const double room = 1 - 2 * margin, tangent = half_tangent(camera.fov_deg);
  double distance = 0, height = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p(corner & 1 ? box.high.x() : box.low.x(), corner & 2 ? box.high.y() : box.low.y(),
                 corner & 4 ? box.high.z() : box.low.z());
    const Vec3 e = view.eye_space(p);
    const double reach = std::max(std::abs(e.y()), std::abs(e.x()) / aspect) / room;
    height = std::max(height, 2 * reach);
    distance = std::max(distance, reach / tangent - (e.z() - 4 * radius));
  }
  camera.view_height = std::max(height, 1e-9);
  if (perspective) camera.eye = middle - std::max(distance, radius) * direction.normalized();
  return camera;
}

}  // namespace supple
