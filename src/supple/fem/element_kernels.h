// The loops over the tets or patches of a cluster: force, stiffness and energy. Inside the room only.
#pragma once
#include <array>

#include "supple/fem/drawn_shape.h"
#include "supple/fem/elastic_term.h"
#include "supple/fem/elements.h"

namespace supple {

// Plain pointers, so that the form compiled for AVX2 shares no inline code with the rest.
struct ElementWork {
  const Element* list;
  MaterialModel model;
  ElementDamping damping;
  const double *u, *v;                            // flat fields; v is read with damping only
  double dv_du = 0;                               // [1/s]; 0: no damping
  const double* rate_offset = nullptr;            // 6 an element, viscous damping; null: none
  double stiffness_scale = 1, damping_scale = 1;  // of all materials; damping is scaled by both
  bool project = false;
  double* residual = nullptr;                  // flat; null: not wanted
  double* values = nullptr;                    // of the matrix, 9 a block; null: not wanted
  const std::array<int, 10>* slots = nullptr;  // block places of each element, with `values`
  // The same for the patches; fields, kinds and outputs are shared.
  const Patch* patches = nullptr;
  const int* patch_vertices = nullptr;
  const double* patch_gradients = nullptr;
  const double* patch_rate_offset = nullptr;
  const int* patch_slots = nullptr;
  // Frames of a drawn shape, one an element and one a patch; u is then what departs from it. Null: that of rest.
  const ShapeFrame *shapes = nullptr, *patch_shapes = nullptr;
};

// Each works on the elements (or patches) [begin, end) of the list.
struct ElementKernels {
  // Energy, with (or without) the potential of the damping [J].
  double (*energy)(const ElementWork& work, bool with_damping, int begin, int end);
  double (*patch_energy)(const ElementWork& work, bool with_damping, int begin, int end);
  // Adds residual and matrix.
  void (*add)(const ElementWork& work, int begin, int end);
  void (*add_patches)(const ElementWork& work, int begin, int end);
  // Strains xx yy zz yz xz xy, 6 each from strains[6 * begin] on.
  void (*strain)(const ElementWork& work, double* strains, int begin, int end);
  void (*patch_strain)(const ElementWork& work, double* strains, int begin, int end);
  // How many elements are turned inside out.
  int (*inverted)(const ElementWork& work, int begin, int end);
};

// The best for this processor. Every form gives the same bits.
const ElementKernels& element_kernels();
const ElementKernels& baseline_kernels();
const ElementKernels* avx2_kernels();  // null when the processor or the build has none

}  // namespace supple
