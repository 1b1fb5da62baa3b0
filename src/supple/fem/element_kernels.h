// The loops over the elements of a cluster: force, stiffness and energy. Inside the room only.
#pragma once
#include <array>

#include "supple/fem/elastic_term.h"
#include "supple/fem/elements.h"

namespace supple {

// Plain pointers, so that the form compiled for AVX2 shares no inline code with the rest.
struct ElementWork {
  const Element* list;
  MaterialModel model;
  ElementDamping damping;
  const double *u, *v;                  // flat fields; v is read with damping only
  double dv_du = 0;                     // [1/s]; 0: no damping
  const double* rate_offset = nullptr;  // 6 an element, viscous damping; null: none
  bool project = false;
  double* residual = nullptr;                  // flat; null: not wanted
  double* values = nullptr;                    // of the matrix, 9 a block; null: not wanted
  const std::array<int, 10>* slots = nullptr;  // block places of each element, with `values`
};

struct ElementKernels {
  // Energy of elements [begin, end) of the list with (or without) the viscous potential [J].
  double (*energy)(const ElementWork& work, bool with_damping, int begin, int end);
  // Adds residual and matrix of those elements.
  void (*add)(const ElementWork& work, int begin, int end);
  // Strains xx yy zz yz xz xy of those elements, 6 each from strains[6 * begin] on.
  void (*strain)(const ElementWork& work, double* strains, int begin, int end);
  // How many of them are turned inside out.
  int (*inverted)(const ElementWork& work, int begin, int end);
};

// The best for this processor. Every form gives the same bits.
const ElementKernels& element_kernels();
const ElementKernels& baseline_kernels();
const ElementKernels* avx2_kernels();  // null when the processor or the build has none

}  // namespace supple
