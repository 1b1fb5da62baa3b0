#include "supple/inertia/adjustment.h"

namespace supple {

double FactorKeys::at(double t) const {
  if (keys.empty()) return 1;
  if (t <= keys.front()[0]) return keys.front()[1];
  for (size_t i = 1; i < keys.size(); ++i) {
    if (t >= keys[i][0]) continue;
    const double s = (t - keys[i - 1][0]) / (keys[i][0] - keys[i - 1][0]);
    const double ease = s * s * s * (10 + s * (6 * s - 15));
    return keys[i - 1][1] + ease * (keys[i][1] - keys[i - 1][1]);
  }
  return keys.back()[1];
}

bool Adjustment::plain_inertia() const {
  for (const auto& key : inertia.keys)
    if (key[1] != 1) return false;
  return epsilon.size() == 0 || (epsilon.array() == 1).all();
}

}  // namespace supple
