// Bodies and motions that the tests of modes share.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>

#include "supple/modal/oscillators.h"

namespace supple::test {

constexpr double kPi = std::numbers::pi;

inline SolidSpec held_where(TetMesh mesh, const MaterialParameters& material,
                            const std::function<bool(const Vec3&)>& held) {
  SolidSpec spec;
  spec.per_tet.assign(mesh.tets.size(), material);
  for (const Vec3& x : mesh.vertices) spec.fixed.push_back(held(x));
  spec.mesh = std::move(mesh);
  return spec;
}

// A beam along x, held at x = 0.
inline SolidSpec beam(int nx, int ny, int nz, const Vec3& size, const MaterialParameters& material) {
  return held_where(make_box(nx, ny, nz, size, Vec3(0, -size[1] / 2, -size[2] / 2)), material,
                    [](const Vec3& x) { return x[0] < 1e-9; });
}

// A belly: a dome on a plate, held where it sits on the plate.
inline SolidSpec belly(int n, double nu = 0.45) {
  TetMesh mesh = make_box(n, n, n, Vec3::Constant(2), Vec3(-1, -1, 0));
  for (Vec3& x : mesh.vertices) {
    const Vec3 q = {x[0], x[1], x[2] / 2};
    // From the box to the ball, less so at the plate.
    const double largest = q.cwiseAbs().maxCoeff(), length = q.norm();
    if (length > 0) x = q * (largest / length);
    x = Vec3(0.18 * x[0], 0.22 * x[1], 0.15 * x[2]);
  }
  return held_where(std::move(mesh), {.youngs_modulus = 6e3, .poisson_ratio = nu, .density = 1000},
                    [](const Vec3& x) { return x[2] < 1e-9; });
}

// A motion given by code, sampled.
struct Moves {
  std::function<Vec3(double)> place = [](double) { return Vec3::Zero(); };
  std::function<Mat3(double)> axes = [](double) { return Mat3::Identity(); };
};
inline BoneMotion sampled(const Moves& m, double step, int count, bool moving = false) {
  std::vector<Mat3> axes;
  Points places;
  for (int i = 0; i < count; ++i) axes.push_back(m.axes(i * step)), places.push_back(m.place(i * step));
  return bone_motion(axes, places, step, moving);
}
inline double smooth(double x) {  // 0 to 1, with three derivatives
  x = std::clamp(x, 0.0, 1.0);
  return x * x * x * x * (35 - 84 * x + 70 * x * x - 20 * x * x * x);
}
inline Mat3 turn(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}
inline Moves yank() {
  return {.place = [](double t) { return Vec3(0.15 * smooth((t - 0.1) / 0.15), 0.05 * smooth((t - 0.1) / 0.2), 0); }};
}
inline Moves spin() {
  return {.axes = [](double t) { return turn(Vec3(0.2, 1, 0.1), 4.0 * smooth((t - 0.1) / 0.9)); }};
}
inline Moves shake() {
  return {.place = [](double t) {
    const double on = smooth(t / 0.3) * (1 - smooth((t - 1) / 0.3));
    return Vec3(0.03 * on * std::sin(2 * kPi * 3 * t), 0, 0.02 * on * std::sin(2 * kPi * 2 * t));
  }};
}

}  // namespace supple::test
