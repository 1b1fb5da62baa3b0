// Numbers of repeated measurements.
#pragma once
#include <vector>

namespace supple::bench {

// NaN when there is none.
double median(std::vector<double> values);
double smallest(const std::vector<double>& values);
// Distance between the quartiles, as a share of the median: how much the machine disturbs. NaN when there is none.
double spread(std::vector<double> values);

// The p of y = c x^p that fits best (least squares of the logarithms). NaN for fewer than two different x, or values
// that are not positive.
double fit_exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace supple::bench
