// The local orientation of the material around each vertex, and how it turns [adjustable constrained dynamics, Sec. 4,
// 5.1]: F of a vertex is the mean of the deformation gradients of its tets weighted by rest volume, R its polar
// rotation. F, F' and F'' are linear in displacement, velocity and acceleration.
#pragma once
#include <array>
#include <vector>

#include "supple/fem/elements.h"

namespace supple {

// R' R^T = [spin]x and R'' R^T = [turn]x + [spin]x^2, in world axes.
struct FrameMotion {
  VecX spin, turn;    // flat 3n: angular velocity [1/s] and acceleration [1/s^2]
  int irregular = 0;  // vertices whose frame had no derivative of its own
};

class VertexFrames {
 public:
  explicit VertexFrames(const Elements& elements);
  // Rotations at displacement u, one a vertex; identity at vertices without tets.
  std::vector<Mat3> rotations(const VecX& u) const;
  // How they turn when u moves with velocity v and acceleration a. Where two stretches of F nearly cancel (a
  // neighbourhood turned inside out or crushed to a line) the derivative of R has no bound: such a vertex takes the
  // mean of its regular neighbours, and is counted. So does one that turns otherwise than those around it by more than
  // a step of length `h` [s] can follow; a body that turns as a whole may do so at any speed. 0: no such limit.
  // needed: per vertex, empty: all; the others are left at zero and looked at by no one.
  FrameMotion motion(const VecX& u, const VecX& v, const VecX& a, double h = 0,
                     const std::vector<char>& needed = {}) const;

 private:
  // F of vertex i = I + sum over neighbours j of (u_j - u_i) c_ij^T.
  struct Neighbour {
    int vertex;
    Vec3 c;  // [1/m]
  };
  std::vector<int> start_;  // per vertex, into ring_
  std::vector<Neighbour> ring_;
  template <size_t n>
  std::array<Mat3, n> gradients(size_t vertex, const std::array<const double*, n>& fields) const;
  void drop_outliers(const FrameMotion& m, double h, std::vector<char>& regular) const;
  void fill(FrameMotion& m, std::vector<char>& regular, const std::vector<char>& needed) const;
};

// Whether more of the body is inside out at displacement u than not. A mirrored body has no rotation near to it, and
// turns as its image does. n_own: vertices of the body itself, which come first.
bool is_mirrored(const Elements& elements, const VecX& u, int n_own);

// Spin and turn of one frame from F and its time derivatives; false where they have none.
bool polar_motion(const Mat3& F, const Mat3& F1, const Mat3& F2, Vec3& spin, Vec3& turn);

}  // namespace supple
