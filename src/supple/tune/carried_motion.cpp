#include "supple/tune/carried_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/anim/local_quintic.h"
#include "supple/anim/teleport.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/tune/swing_rule.h"

namespace supple {

namespace {

constexpr double kFadedAfter = 6;  // half-lives

void require(bool good, const std::string& what) {
  if (!good) throw InputError({}, what);
}

size_t n_points(const CarriedPoints& p) {
  return p.positions.empty() ? 0 : static_cast<size_t>(p.positions[0].size() / 3);
}

void validate(const CarriedPoints& p) {
  require(p.fps > 0 && std::isfinite(p.fps), fmt::format("the frame rate is {:g}", p.fps));
  for (size_t k = 0; k < p.positions.size(); ++k) {
    require(p.positions[k].size() % 3 == 0 && p.positions[k].size() == p.positions[0].size(),
            fmt::format("frame {} holds {} numbers, the first {}: 3 a point are needed", k, p.positions[k].size(),
                        p.positions[0].size()));
    require(p.positions[k].allFinite(), fmt::format("a position of frame {} is not a finite number", k));
  }
}

// Second derivatives at frames.
class Accelerations {
 public:
  explicit Accelerations(const CarriedPoints& points) : p_(points), last_(static_cast<int>(p_.positions.size()) - 1) {
    const double dt = 1 / p_.fps;
    std::vector<double> frames(p_.positions.size());
    for (size_t k = 0; k < frames.size(); ++k) frames[k] = static_cast<double>(k) * dt;
    if (p_.leaps) {
      jumps_.whole.resize(frames.size()), jumps_.partial.resize(frames.size());
      for (int k : *p_.leaps) jumps_.whole[static_cast<size_t>(k)] = 1;
    } else {
      jumps_ = find_jumps(p_.positions, frames);
    }
    const SixTimes times = {-2 * dt, -dt, 0, dt, 2 * dt, 3 * dt};
    for (int low = 0; low < 6; ++low)
      for (int high = low; high < 6; ++high) {
        weights_[low][high] = local_quintic_weights(times, 0, 2);
        fold_foreign(times, low, high, weights_[low][high]);
      }
  }

  bool jumps(int step, int point) const {
    if (step < 0 || step >= last_) return false;
    const auto& some = jumps_.partial[static_cast<size_t>(step)];
    return jumps_.whole[static_cast<size_t>(step)] || std::binary_search(some.begin(), some.end(), point);
  }

  // x'' of a point at frame k, as the motion up to a jump has it.
  Vec3 at(int k, int point) const {
    int low, high;
    own_window(
        k, [&](int step) { return jumps(step, point); }, low, high);
    low = std::max(low, 2 - k), high = std::min(high, last_ - k + 2);
    const Vec3 here = place(k, point);
    Vec3 a = Vec3::Zero();
    for (int j = low; j <= high; ++j)
      if (j != 2) a += weights_[low][high][static_cast<size_t>(j)] * (place(k - 2 + j, point) - here);
    return a;
  }

 private:
  Vec3 place(int k, int point) const { return p_.positions[static_cast<size_t>(k)].segment<3>(3 * point); }
  const CarriedPoints& p_;
  int last_;
  Jumps jumps_;
  SixWeights weights_[6][6];
};

}  // namespace

std::vector<VecX> carried_accelerations(const CarriedPoints& points) {
  validate(points);
  if (points.positions.empty()) return {};
  const Accelerations accelerations(points);
  std::vector<VecX> out(points.positions.size(), VecX(points.positions[0].size()));
  parallel_for(n_points(points), 64, [&](size_t begin, size_t end) {
    for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i)
      for (size_t k = 0; k < out.size(); ++k) out[k].segment<3>(3 * i) = accelerations.at(static_cast<int>(k), i);
  });
  return out;
}

std::vector<std::vector<double>> felt_accelerations(const CarriedPoints& points,
                                                    const std::vector<double>& frequency_hz,
                                                    const std::vector<double>& half_life_s, bool repeats) {
  const std::vector<VecX> a = carried_accelerations(points);
  const size_t n = n_points(points);
  require(frequency_hz.size() == n && half_life_s.size() == n,
          fmt::format("{} frequencies and {} half-lives for {} points", frequency_hz.size(), half_life_s.size(), n));
  std::vector<std::vector<double>> out(a.size(), std::vector<double>(n, 0));
  // So often that what is left of the start fades away.
  const double lasts = static_cast<double>(a.size()) / points.fps;
  parallel_for(n, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const SwingRule rule(frequency_hz[i], half_life_s[i], 1 / points.fps);
      const double stiffness = std::pow(2 * std::numbers::pi * frequency_hz[i], 2);
      const int passes = !repeats ? 1 : 1 + static_cast<int>(std::ceil(kFadedAfter * half_life_s[i] / lasts));
      Vec3 z = Vec3::Zero(), rate = z;
      for (int pass = 1; pass <= passes; ++pass)
        for (size_t k = 0; k < a.size(); ++k) {
          const auto at = static_cast<Eigen::Index>(3 * i);
          if (k > 0) rule.step<Vec3>(z, rate, a[k - 1].segment<3>(at), a[k].segment<3>(at));
          if (pass == passes) out[k][i] = stiffness * z.norm();
        }
    }
  });
  return out;
}

double frequency_for_thickness(double thickness_m) {
  if (!(thickness_m > 0)) return kFastestFlesh;
  return std::clamp(kUsualFrequency * std::sqrt(kUsualThickness / thickness_m), kSlowestFlesh, kFastestFlesh);
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<size_t>(below)];
  if (static_cast<size_t>(below) + 1 == values.size()) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

}  // namespace supple
