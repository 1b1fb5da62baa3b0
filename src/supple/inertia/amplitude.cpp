#include "supple/inertia/amplitude.h"

#include <algorithm>
#include <cmath>

namespace supple {

void Amplitude::add(const VecX& q, double h) {
  const double mean_square = q.dot(mass_.multiply(q)) / mass_.total();
  rms = std::sqrt(std::max(mean_square, 0.0));
  peak = 0;
  for (Eigen::Index i = 0; i < q.size(); i += 3) peak = std::max(peak, q.segment<3>(i).norm());
  largest_peak = std::max(largest_peak, peak);
  integral += h * mean_square;
  time += h;
}

double Amplitude::value() const { return std::sqrt(std::max(integral, 0.0)); }
double Amplitude::time_mean() const { return time > 0 ? value() / std::sqrt(time) : 0; }

}  // namespace supple
