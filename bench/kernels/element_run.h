// The element kernels of one instruction set over a whole body, the way ElasticTerm calls those of the processor.
#pragma once
#include <array>
#include <vector>

#include "supple/fem/element_kernels.h"

namespace supple::bench {

class ElementRun {
 public:
  // All must outlive this. The matrix has the pattern of the elements.
  ElementRun(const Elements& elements, const VecX& u, BlockMatrix& matrix)
      : elements_(elements),
        zero_(VecX::Zero(u.size())),
        residual_(zero_),
        slots_(block_slots(elements, *matrix.pattern)),
        work_{.list = elements.list().data(),
              .model = elements.model(),
              .damping = ElementDamping::viscous,
              .u = u.data(),
              .v = zero_.data(),
              .residual = residual_.data(),
              .values = matrix.values.data(),
              .slots = slots_.data()} {}
  ElementRun(const ElementRun&) = delete;
  ElementRun& operator=(const ElementRun&) = delete;

  // Adds force and stiffness.
  void add(const ElementKernels& kernels, bool project) {
    work_.project = project;
    elements_.clusters().for_each([&](int begin, int end) { kernels.add(work_, begin, end); });
  }
  double energy(const ElementKernels& kernels) const {
    return elements_.clusters().sum([&](int begin, int end) { return kernels.energy(work_, false, begin, end); });
  }

 private:
  const Elements& elements_;
  VecX zero_, residual_;
  std::vector<std::array<int, 10>> slots_;
  ElementWork work_;
};

}  // namespace supple::bench
