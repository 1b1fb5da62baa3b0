#include "supple/anim/local_quintic.h"

#include <algorithm>

namespace supple {

namespace {

// First and second derivative of the Lagrange basis polynomials of five times, at the middle one.
void middle_derivatives(const double* x, std::array<double, 5>& first, std::array<double, 5>& second) {
  for (int i = 0; i < 5; ++i) {
    double scale = 1;
    std::array<double, 4> d;  // x_middle - x_j for j != i
    for (int j = 0, n = 0; j < 5; ++j) {
      if (j == i) continue;
      scale *= x[i] - x[j];
      d[static_cast<size_t>(n++)] = x[2] - x[j];
    }
    // Elementary symmetric sums: the product's first derivative leaves one factor out, its second two.
    const double pair = d[0] * d[1] + d[0] * d[2] + d[0] * d[3] + d[1] * d[2] + d[1] * d[3] + d[2] * d[3];
    const double triple = d[0] * d[1] * (d[2] + d[3]) + d[2] * d[3] * (d[0] + d[1]);
    first[static_cast<size_t>(i)] = triple / scale;
    second[static_cast<size_t>(i)] = 2 * pair / scale;
  }
}

double horner(const std::array<double, 6>& c, double s, int derivative) {
  double sum = 0;
  for (int k = 5; k >= derivative; --k) {
    double factor = 1;
    for (int m = 0; m < derivative; ++m) factor *= k - m;
    sum = sum * s + factor * c[static_cast<size_t>(k)];
  }
  return sum;
}

// Quintic Hermite basis on [0, 1]: value, slope, curvature at 0, then the same at 1.
constexpr std::array<std::array<double, 6>, 6> kHermite = {{{1, 0, 0, -10, 15, -6},
                                                            {0, 1, 0, -6, 8, -3},
                                                            {0, 0, .5, -1.5, 1.5, -.5},
                                                            {0, 0, 0, 10, -15, 6},
                                                            {0, 0, 0, -4, 7, -3},
                                                            {0, 0, 0, .5, -1, .5}}};

}  // namespace

SixWeights local_quintic_weights(const SixTimes& times, double t, int derivative) {
  const double h = times[3] - times[2];
  const double s = (t - times[2]) / h;
  std::array<double, 6> basis;
  for (size_t k = 0; k < 6; ++k) basis[k] = horner(kHermite[k], s, derivative);
  for (int m = 0; m < derivative; ++m)
    for (double& b : basis) b /= h;

  SixWeights w{};
  w[2] += basis[0];
  w[3] += basis[3];
  std::array<double, 5> first, second;
  for (size_t end = 0; end < 2; ++end) {
    middle_derivatives(times.data() + end, first, second);
    for (size_t i = 0; i < 5; ++i)
      w[i + end] += basis[3 * end + 1] * h * first[i] + basis[3 * end + 2] * h * h * second[i];
  }
  return w;
}

void fold_foreign(const SixTimes& times, int low, int high, SixWeights& w) {
  const int n = std::min(3, high - low + 1);
  for (int g = 0; g < 6; ++g) {
    if (g >= low && g <= high) continue;
    const int from = g < low ? low : high - n + 1;
    const double weight = w[static_cast<size_t>(g)];
    w[static_cast<size_t>(g)] = 0;
    for (int i = from; i < from + n; ++i) {
      double lagrange = weight;
      for (int j = from; j < from + n; ++j) {
        if (j == i) continue;
        lagrange *= (times[static_cast<size_t>(g)] - times[static_cast<size_t>(j)]) /
                    (times[static_cast<size_t>(i)] - times[static_cast<size_t>(j)]);
      }
      w[static_cast<size_t>(i)] += lagrange;
    }
  }
}

}  // namespace supple
