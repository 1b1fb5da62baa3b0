#include "supple/linalg/anderson.h"

#include "supple/linalg/dense.h"

namespace supple {

void Anderson::forget() {
  x_before_.resize(0);
  dx_.clear(), df_.clear();
}

VecX Anderson::next(const VecX& x, const VecX& f) {
  if (x_before_.size() > 0) {
    dx_.push_back(x - x_before_);
    df_.push_back(f - f_before_);
    if (static_cast<int>(dx_.size()) > memory_) dx_.pop_front(), df_.pop_front();
  }
  x_before_ = x, f_before_ = f;
  VecX y = x + f;
  if (df_.empty()) return y;
  MatX A(f.size(), static_cast<Eigen::Index>(df_.size()));
  for (size_t k = 0; k < df_.size(); ++k) A.col(static_cast<Eigen::Index>(k)) = df_[k];
  if (A.isZero(0)) return y;
  const VecX share = least_squares(A, f);
  for (size_t k = 0; k < df_.size(); ++k) y -= share[static_cast<Eigen::Index>(k)] * (dx_[k] + df_[k]);
  return y;
}

}  // namespace supple
