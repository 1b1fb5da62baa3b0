// Terms taken together.
#pragma once
#include <vector>

#include "supple/energy/term.h"

namespace supple {

class TermSum {
 public:
  // The terms must outlive this.
  explicit TermSum(std::vector<const Term*> terms);

  // A potential of all residuals exists, gentle ones aside; some are gentle; no matrix depends on u.
  bool has_energy() const { return has_energy_; }
  bool has_gentle() const { return has_gentle_; }
  bool is_constant() const { return constant_; }
  void couple(PatternBuilder& pattern) const;

  // Sets what is asked for (non-null). scale: sum over terms in scale of their largest residual [N].
  void evaluate(const Kinematics& x, VecX* residual, double* scale, BlockMatrix* matrix, bool project);
  double potential(const Kinematics& x) const;  // without gentle terms
  VecX gentle_residual(const Kinematics& x) const;
  double left_out_weight(const Kinematics& x) const;
  void multiply_left_out(const Kinematics& x, const VecX& d, VecX& product) const;

 private:
  std::vector<const Term*> terms_;
  bool has_energy_ = true, has_gentle_ = false, constant_ = true;
  VecX scratch_;
};

}  // namespace supple
