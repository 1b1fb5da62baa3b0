// Another shape than that of rest for strains to count from: one that an animation draws, tet by tet, tets that it
// folds or turns inside out included.
//
// symbol    | code            | meaning
// F, F_y    |                 | deformation gradient of a tet at u and at y, from rest
// U s W^T   |                 | F_y by singular values, U and W rotations: s_3 < 0 where the tet is drawn inside out
// R_y, G    | R, (in g)       | U W^T; W diag(1 / s_c) W^T with s_c = s held within 1/2 .. 2
// B         |                 | R_y + (F - F_y) G: the deformation that the material sees
//
// The energy is V Psi(B) of the user's own material. At u = y there is no force and, whatever was drawn, the stiffness
// of rest in the drawn axes: y is an equilibrium by construction, and a minimum. B is linear in u - y,
//   R_y^T B = I + sum over vertices a of (R_y^T (u - y)_a) (G dN_a/dX)^T,
// so that a tet is the same element as ever, with other gradients, seen from the frame R_y.
#pragma once
#include <memory>
#include <vector>

#include "supple/fem/elements.h"

namespace supple {

// Of a tet or a patch, as its element loop wants it.
struct ShapeFrame {
  Mat3 R = Mat3::Identity();
  Mat3 g = Mat3::Zero();  // of a tet: gradients as in Element, by the drawn stretches [1/m]
  double weight = 1;      // of its volume
};

class DrawnShape {
 public:
  // needed: per tet, whether its frame is asked for; empty: all are, and patches are for those alone.
  explicit DrawnShape(std::shared_ptr<const Elements> elements, std::vector<char> needed = {});

  // y: displacements from rest, flat. Vertices beyond its end belong to other bodies: their shape stays that of rest.
  void set(const VecX& y);

  const VecX& y() const { return y_; }                                 // of all vertices
  const std::vector<ShapeFrame>& tets() const { return tets_; }        // in the order of Elements::list()
  const std::vector<ShapeFrame>& patches() const { return patches_; }  // in that of Patches::list(), g unused
  const std::vector<double>& patch_gradients() const { return patch_gradients_; }  // as Patches::gradients()
  int crushed() const { return crushed_; }                                         // tets with a stretch that is held
  int folded() const { return folded_; }                                           // of them inside out, or flat

 private:
  double common_scale(const std::vector<Mat3>& F) const;
  void set_patches();

  std::shared_ptr<const Elements> elements_;
  VecX y_;
  std::vector<char> needed_;
  int n_own_ = 0;  // vertices that y speaks of
  std::vector<ShapeFrame> tets_, patches_;
  std::vector<double> patch_gradients_;
  std::vector<std::array<int, 16>> places_;  // per tet: of its vertices in the patches around each of them
  std::vector<std::array<int, 4>> around_;   // per tet: patches around its vertices
  int crushed_ = 0, folded_ = 0;
};

}  // namespace supple
