#pragma once
#include <algorithm>
#include <limits>

namespace supple {

// A mean that is exact where all values are the same.
class Mean {
 public:
  void add(double value, double weight) {
    if (weight <= 0) return;
    sum_ += weight * value, weight_ += weight;
    low_ = std::min(low_, value), high_ = std::max(high_, value);
  }
  double value(double none = 1) const { return weight_ == 0 ? none : low_ == high_ ? low_ : sum_ / weight_; }

 private:
  double sum_ = 0, weight_ = 0;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace supple
