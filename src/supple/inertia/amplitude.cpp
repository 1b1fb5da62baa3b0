#include "supple/inertia/amplitude.h"

#include <algorithm>
#include <cmath>

namespace supple {

void Amplitude::look(const VecX& q) {
  rms = std::sqrt(std::max(q.dot(mass_.multiply(q)) / mass_.total(), 0.0));
  peak = 0;
  for (Eigen::Index i = 0; i < q.size(); i += 3) peak = std::max(peak, q.segment<3>(i).norm());
}

void Amplitude::add(const VecX& q, double h) {
  look(q);
  largest_peak = std::max(largest_peak, peak);
  integral += h * (q.dot(mass_.multiply(q)) / mass_.total());
  time += h;
}

double Amplitude::value() const { return std::sqrt(std::max(integral, 0.0)); }
double Amplitude::time_mean() const { return time > 0 ? value() / std::sqrt(time) : 0; }

}  // namespace supple
