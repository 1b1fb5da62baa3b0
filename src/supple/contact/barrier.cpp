#include "supple/contact/barrier.h"

#include <cmath>
#include <limits>

namespace supple {

BarrierValue barrier(double d, double thickness) {
  if (!(thickness > 0) || d >= thickness) return {};
  if (d <= 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {infinity, -infinity, infinity};
  }
  // z = y - 1 from the difference, and log1p: digits are kept where the barrier begins.
  const double y = d / thickness, z = (d - thickness) / thickness;
  const double log_y = z > -0.5 ? std::log1p(z) : std::log(y), ratio = z / y;
  return {-thickness * z * z * log_y, -2 * z * log_y - z * ratio, (-2 * log_y - 4 * ratio + ratio * ratio) / thickness};
}

}  // namespace supple
