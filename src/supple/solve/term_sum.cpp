#include "supple/solve/term_sum.h"

#include <algorithm>

namespace supple {

TermSum::TermSum(std::vector<const Term*> terms) : terms_(std::move(terms)) {
  for (const Term* t : terms_) {
    has_energy_ = has_energy_ && (t->has_energy() || t->is_gentle());
    has_gentle_ = has_gentle_ || t->is_gentle();
    constant_ = constant_ && t->matrix_is_constant();
  }
}

void TermSum::couple(PatternBuilder& pattern) const {
  for (const Term* t : terms_) t->couple(pattern);
}

void TermSum::evaluate(const Kinematics& x, VecX* residual, double* scale, BlockMatrix* matrix, bool project) {
  if (residual) residual->setZero(x.u.size());
  if (scale) *scale = 0;
  if (matrix) matrix->set_zero();
  for (const Term* t : terms_) {
    Evaluation out{.matrix = matrix, .project = project};
    if (residual) {
      scratch_.setZero(x.u.size());
      out.residual = &scratch_;
    }
    t->add(x, out);
    if (!residual) continue;
    *residual += scratch_;
    if (scale && t->in_scale() && scratch_.size() > 0) *scale += scratch_.cwiseAbs().maxCoeff();
  }
}

double TermSum::potential(const Kinematics& x) const {
  double energy = 0;
  for (const Term* t : terms_)
    if (!t->is_gentle()) t->add(x, {.energy = &energy});
  return energy;
}

VecX TermSum::gentle_residual(const Kinematics& x) const {
  VecX r = VecX::Zero(x.u.size());
  for (const Term* t : terms_)
    if (t->is_gentle()) t->add(x, {.residual = &r});
  return r;
}

double TermSum::left_out_weight(const Kinematics& x) const {
  double weight = 0;
  for (const Term* t : terms_) weight = std::max(weight, t->left_out_weight(x));
  return weight;
}

void TermSum::multiply_left_out(const Kinematics& x, const VecX& d, VecX& product) const {
  for (const Term* t : terms_) t->multiply_left_out(x, d, product);
}

}  // namespace supple
