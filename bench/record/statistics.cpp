#include "bench/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple::bench {

namespace {
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Between sorted values, linearly: share 0 is the first of them, 1 the last.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}
}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return kNothing;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

double smallest(const std::vector<double>& values) {
  return values.empty() ? kNothing : *std::min_element(values.begin(), values.end());
}

double spread(std::vector<double> values) {
  if (values.empty()) return kNothing;
  std::sort(values.begin(), values.end());
  return (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5);
}

double fit_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const size_t n = std::min(x.size(), y.size());
  double mean_x = 0, mean_y = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!(x[i] > 0) || !(y[i] > 0)) return kNothing;
    mean_x += std::log(x[i]) / static_cast<double>(n);
    mean_y += std::log(y[i]) / static_cast<double>(n);
  }
  double xx = 0, xy = 0;
  for (size_t i = 0; i < n; ++i) {
    const double d = std::log(x[i]) - mean_x;
    xx += d * d;
    xy += d * (std::log(y[i]) - mean_y);
  }
  return xx > 0 ? xy / xx : kNothing;
}

}  // namespace supple::bench
