#include "supple/anim/pose_track.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/anim/track_views.h"

namespace supple {

namespace {

constexpr double kFelt = 6;  // periods of hz from where a sample is felt by less than 1e-8
constexpr size_t kFewestToSmooth = 4;

// (1 + strength D^T D) y = x in place, over samples first .. last, with D their third differences: bands of three.
void smooth_stretch(std::vector<VecX>& x, int first, int last, double strength) {
  const int n = last - first + 1;
  if (n < static_cast<int>(kFewestToSmooth)) return;
  // The lower bands of the matrix, then of its factor L D L^T.
  std::vector<std::array<double, 4>> band(static_cast<size_t>(n), {1, 0, 0, 0});  // entries (k, k), (k, k - 1) ...
  constexpr std::array<double, 4> kThird = {-1, 3, -3, 1};
  for (int k = 0; k + 3 < n; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j <= i; ++j)
        band[static_cast<size_t>(k + i)][static_cast<size_t>(i - j)] +=
            strength * kThird[static_cast<size_t>(i)] * kThird[static_cast<size_t>(j)];
  for (int k = 0; k < n; ++k) {
    std::array<double, 4>& row = band[static_cast<size_t>(k)];
    for (int b = std::min(3, k); b >= 1; --b) {
      const int j = k - b;
      double sum = row[static_cast<size_t>(b)];
      for (int m = std::max(0, k - 3); m < j; ++m)
        if (j - m <= 3)
          sum -= row[static_cast<size_t>(k - m)] * band[static_cast<size_t>(j)][static_cast<size_t>(j - m)] *
                 band[static_cast<size_t>(m)][0];
      row[static_cast<size_t>(b)] = sum / band[static_cast<size_t>(j)][0];
    }
    for (int b = 1; b <= std::min(3, k); ++b)
      row[0] -= row[static_cast<size_t>(b)] * row[static_cast<size_t>(b)] * band[static_cast<size_t>(k - b)][0];
  }
  const auto at = [&](int k) -> VecX& { return x[static_cast<size_t>(first + k)]; };
  for (int k = 0; k < n; ++k)
    for (int b = 1; b <= std::min(3, k); ++b) at(k) -= band[static_cast<size_t>(k)][static_cast<size_t>(b)] * at(k - b);
  for (int k = 0; k < n; ++k) at(k) /= band[static_cast<size_t>(k)][0];
  for (int k = n - 1; k >= 0; --k)
    for (int b = 1; b <= std::min(3, n - 1 - k); ++b)
      at(k) -= band[static_cast<size_t>(k + b)][static_cast<size_t>(b)] * at(k + b);
}

// All stretches between leaps.
void smooth_all(std::vector<VecX>& x, const std::vector<int>& cuts, double strength) {
  int first = 0;
  for (int cut : cuts) {
    smooth_stretch(x, first, cut, strength);
    first = cut + 1;
  }
  smooth_stretch(x, first, static_cast<int>(x.size()) - 1, strength);
}

int floor_division(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// Beyond a leap there is no step to go on as.
void continue_past(std::vector<VecX>& x, const std::vector<int>& cuts) {
  if (cuts.empty() || cuts.back() + 3 < static_cast<int>(x.size())) continue_end(x);
}

}  // namespace

void smooth_poses(std::vector<VecX>& x, double dt, const std::vector<int>& cuts, const PoseCycle& cycle, double hz) {
  const double angle = M_PI * hz * dt;
  const double strength = angle < M_PI / 2 ? std::pow(2 * std::sin(angle), -6) : 0;
  if (!cycle.repeats()) {
    if (strength > 0) smooth_all(x, cuts, strength);
    return;
  }
  const int n = cycle.steps;
  if (!cycle.ends_before_first) {
    const VecX miss = carried(cycle.carry, x[0]) - x[static_cast<size_t>(n)];
    for (int k = 1; k < n; ++k) x[static_cast<size_t>(k)] += static_cast<double>(k) / n * miss;
  }
  x.resize(static_cast<size_t>(n));
  if (strength > 0) {
    // As much of the cycles before and after as is felt.
    const int beside = static_cast<int>(std::ceil(kFelt / (hz * dt)));
    std::vector<VecX> cycles;
    std::vector<int> leaps;
    for (int k = -beside; k < n + beside; ++k) {
      const int c = floor_division(k, n), own = k - c * n;
      cycles.push_back(c == 0 ? x[static_cast<size_t>(own)]
                              : carried(power(cycle.carry, c), x[static_cast<size_t>(own)]));
      if (std::binary_search(cuts.begin(), cuts.end(), own)) leaps.push_back(k + beside);
    }
    if (!leaps.empty() && leaps.back() + 1 == static_cast<int>(cycles.size())) leaps.pop_back();
    smooth_all(cycles, leaps, strength);
    std::move(cycles.begin() + beside, cycles.begin() + beside + n, x.begin());
  }
  x.push_back(carried(cycle.carry, x[0]));
}

std::vector<VecX> led_through_keys(std::vector<VecX> keys, double dt, const std::vector<int>& cuts,
                                   const std::vector<double>& times) {
  continue_past(keys, cuts);
  const auto track = make_sampled_track(std::move(keys), dt, TrackStart::moving, cuts);
  std::vector<VecX> samples;
  for (double t : times) samples.push_back(track->at(t));
  return samples;
}

std::vector<int> cuts_between(const std::vector<int>& cuts_of_keys, double dt, const std::vector<double>& times) {
  std::vector<int> cuts;
  for (int key : cuts_of_keys) {
    // The new place is there from its key on.
    const auto after = std::lower_bound(times.begin(), times.end(), (key + 1 - 1e-9) * dt);
    if (after != times.begin() && after != times.end()) cuts.push_back(static_cast<int>(after - times.begin()) - 1);
  }
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

std::shared_ptr<const Track> make_pose_track(std::vector<VecX> samples, double dt, const std::vector<int>& cuts,
                                             const PoseCycle& cycle, TrackStart start, double t0, bool held) {
  smooth_poses(samples, dt, cuts, cycle);
  if (cycle.repeats()) return make_looped_track(samples, dt, cycle.carry, cuts, t0);
  if (start == TrackStart::moving && !held) continue_past(samples, cuts);
  TrackPtr track = make_sampled_track(std::move(samples), dt, start, cuts);
  return t0 == 0 ? track : later(std::move(track), t0);
}

}  // namespace supple
