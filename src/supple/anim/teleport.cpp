#include "supple/anim/teleport.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/motion_cuts.h"

namespace supple {

namespace {
constexpr double kSpeedRatio = 10, kShareOfBox = 1e-3, kFloat32Noise = 1e-5, kLongestJump = 0.1;
}

Jumps find_jumps(const std::vector<VecX>& samples, const std::vector<double>& times) {
  const int n_steps = static_cast<int>(samples.size()) - 1;
  Jumps jumps;
  if (n_steps < 1) return jumps;
  jumps.whole.assign(static_cast<size_t>(n_steps), 0);
  jumps.partial.resize(static_cast<size_t>(n_steps));
  const int n_points = static_cast<int>(samples[0].size() / 3);
  if (n_points == 0) return jumps;
  for (int k : find_motion_cuts(samples, times, {.drives_only = true}).leaps()) jumps.whole[static_cast<size_t>(k)] = 1;

  // The shortest step worth a thought.
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (const VecX& s : samples) {
    const auto columns = s.reshaped(3, n_points);
    low = low.cwiseMin(columns.rowwise().minCoeff());
    high = high.cwiseMax(columns.rowwise().maxCoeff());
  }
  const double farthest = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
  const double shortest = std::max(kShareOfBox * (high - low).norm(), kFloat32Noise * farthest);

  std::vector<double> length(static_cast<size_t>(n_steps));
  for (int i = 0; i < n_points; ++i) {
    for (int k = 0; k < n_steps; ++k) {
      const auto now = static_cast<size_t>(k);
      length[now] = (samples[now + 1] - samples[now]).segment<3>(3 * i).norm();
    }
    for (int k = 0; k < n_steps; ++k) {
      const auto now = static_cast<size_t>(k);
      if (jumps.whole[now] || length[now] <= shortest || times[now + 1] - times[now] > kLongestJump) continue;
      int neighbours = 0;
      double fastest = 0;
      for (int j = std::max(0, k - 2); j <= std::min(n_steps - 1, k + 2); ++j) {
        if (j == k) continue;
        const auto other = static_cast<size_t>(j);
        fastest = std::max(fastest, length[other] / (times[other + 1] - times[other]));
        ++neighbours;
      }
      const double speed = length[now] / (times[now + 1] - times[now]);
      if (neighbours >= 2 && speed > kSpeedRatio * fastest) jumps.partial[now].push_back(i);
    }
  }
  // What half of them do is no matter of single points.
  for (std::vector<int>& points : jumps.partial)
    if (2 * points.size() >= static_cast<size_t>(n_points)) points.clear();
  return jumps;
}

}  // namespace supple
