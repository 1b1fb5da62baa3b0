#include "supple/rigs/curve_samples.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/anim/local_quintic.h"
#include "supple/anim/teleport.h"

namespace supple {

void CurveSamples::set(int parameter, VecX values) {
  for (Column& c : columns_)
    if (c.parameter == parameter) {
      c.values = std::move(values);
      return;
    }
  columns_.push_back({parameter, std::move(values)});
}

bool CurveSamples::has(int parameter) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const Column& c) { return c.parameter == parameter; });
}

void CurveSamples::put(double t, VecX& p) const {
  if (columns_.empty() || n_frames_ == 0) return;
  const int last = n_frames_ - 1;
  double f = t * fps_;
  // A frame itself is met exactly, whatever rounding makes of its time.
  if (std::abs(f - std::round(f)) < 1e-9 * std::max(1.0, std::abs(f))) f = std::round(f);
  if (loop_ && last > 0)
    f -= last * std::floor(f / last);
  else
    f = std::clamp(f, 0.0, static_cast<double>(last));
  const int k = std::clamp(static_cast<int>(std::floor(f)), 0, std::max(0, last - 1));
  if (f == k) {
    for (const Column& c : columns_) p[c.parameter] = c.values[k];
    return;
  }
  SixTimes times;
  for (int j = 0; j < 6; ++j) times[static_cast<size_t>(j)] = k - 2 + j;
  SixWeights w = local_quintic_weights(times, f, 0);
  int low = 0, high = 5;
  own_window(
      k,
      [&](int step) {
        const int own = loop_ ? ((step % last) + last) % last : step;
        return std::find(jumps_.begin(), jumps_.end(), own) != jumps_.end();
      },
      low, high);
  if (!loop_) low = std::max(low, 2 - k), high = std::min(high, last - (k - 2));
  if (low > 0 || high < 5) fold_foreign(times, low, high, w);
  for (const Column& c : columns_) {
    double sum = 0;
    for (int j = 0; j < 6; ++j) {
      int at = k - 2 + j;
      if (loop_) at = ((at % last) + last) % last;
      if (w[static_cast<size_t>(j)] != 0) sum += w[static_cast<size_t>(j)] * c.values[std::clamp(at, 0, last)];
    }
    p[c.parameter] = sum;
  }
}

}  // namespace supple
