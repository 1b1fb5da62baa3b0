#include "supple/tune/carried_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/anim/local_quintic.h"
#include "supple/anim/teleport.h"
#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/tune/estimators.h"

namespace supple {

namespace {

constexpr double kStill = 1e-3;       // [m/s^2] moves no flesh by more than a tenth of a millimetre
constexpr size_t kMostSpectra = 256;  // points that the line is looked for in

void require(bool good, const std::string& what) {
  if (!good) throw InputError({}, what);
}

size_t n_points(const CarriedPoints& p) {
  return p.positions.empty() ? 0 : static_cast<size_t>(p.positions[0].size() / 3);
}

void validate(const CarriedPoints& p) {
  require(p.fps > 0 && std::isfinite(p.fps), fmt::format("the frame rate is {:g}", p.fps));
  require(p.rotations.empty() || p.rotations.size() == p.positions.size(),
          fmt::format("{} frames of rotations for {} of positions", p.rotations.size(), p.positions.size()));
  for (size_t k = 0; k < p.positions.size(); ++k) {
    require(p.positions[k].size() % 3 == 0 && p.positions[k].size() == p.positions[0].size(),
            fmt::format("frame {} holds {} numbers, the first {}: 3 a point are needed", k, p.positions[k].size(),
                        p.positions[0].size()));
    require(p.positions[k].allFinite(), fmt::format("a position of frame {} is not a finite number", k));
    if (p.rotations.empty()) continue;
    require(p.rotations[k].size() == n_points(p),
            fmt::format("frame {} has {} rotations for {} points", k, p.rotations[k].size(), n_points(p)));
    for (const auto& q : p.rotations[k])
      require(std::abs(q.norm() - 1) < 1e-3, fmt::format("a rotation of frame {} is not of unit length", k));
  }
}

// Second derivatives at frames.
class Accelerations {
 public:
  explicit Accelerations(const CarriedPoints& points) : p_(points), last_(static_cast<int>(p_.positions.size()) - 1) {
    const double dt = 1 / p_.fps;
    std::vector<double> frames(p_.positions.size());
    for (size_t k = 0; k < frames.size(); ++k) frames[k] = static_cast<double>(k) * dt;
    jumps_ = find_jumps(p_.positions, frames);
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

  // R^T x'' of a point at frame k, as the motion up to a jump has it.
  Vec3 at(int k, int point) const {
    int low, high;
    own_window(
        k, [&](int step) { return jumps(step, point); }, low, high);
    low = std::max(low, 2 - k), high = std::min(high, last_ - k + 2);
    const Vec3 here = place(k, point);
    Vec3 a = Vec3::Zero();
    for (int j = low; j <= high; ++j)
      if (j != 2) a += weights_[low][high][static_cast<size_t>(j)] * (place(k - 2 + j, point) - here);
    return p_.rotations.empty() ? a : Vec3(p_.rotations[k][point].normalized().conjugate() * a);
  }

 private:
  Vec3 place(int k, int point) const { return p_.positions[static_cast<size_t>(k)].segment<3>(3 * point); }
  const CarriedPoints& p_;
  int last_;
  Jumps jumps_;
  SixWeights weights_[6][6];
};

}  // namespace

std::vector<VecX> local_accelerations(const CarriedPoints& points) {
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

double strongest_line(const std::vector<VecX>& accelerations, double fps) {
  require(fps > 0 && std::isfinite(fps), fmt::format("the frame rate is {:g}", fps));
  if (accelerations.empty()) return 0;
  for (const VecX& a : accelerations)
    require(a.size() == accelerations[0].size() && a.size() % 3 == 0 && a.allFinite(),
            "accelerations must be finite and as many in every frame");
  const size_t n = static_cast<size_t>(accelerations[0].size() / 3), chosen = std::min(n, kMostSpectra);
  std::vector<double> power, y(accelerations.size());
  double bin_hz = 0;
  for (size_t c = 0; c < 3 * chosen; ++c) {
    const auto row = static_cast<Eigen::Index>(3 * (c / 3 * n / chosen) + c % 3);
    for (size_t k = 0; k < y.size(); ++k) y[k] = accelerations[k][row];
    const Spectrum s = spectrum(y, 1 / fps);
    power.resize(std::max(power.size(), s.magnitude.size()), 0.0);
    for (size_t k = 0; k < s.magnitude.size(); ++k) power[k] += s.magnitude[k] * s.magnitude[k];
    if (s.bin_hz > 0) bin_hz = s.bin_hz;
  }
  // A frequency needs a period within the record.
  const double lowest = std::max(kLowestLine, fps / static_cast<double>(y.size()));
  size_t top = 0;
  for (size_t k = 1; k + 1 < power.size(); ++k) {
    const double f = static_cast<double>(k) * bin_hz;
    if (f < lowest || f > kHighestLine || power[k] < power[k - 1] || power[k] <= power[k + 1]) continue;
    if (top == 0 || power[k] > power[top]) top = k;
  }
  if (top == 0 || std::sqrt(power[top] / static_cast<double>(chosen)) < kStill) return 0;
  const double l = std::log(power[top - 1]), m = std::log(power[top]), r = std::log(power[top + 1]);
  const double bend = l - 2 * m + r, shift = bend < 0 && std::isfinite(bend) ? 0.5 * (l - r) / bend : 0;
  return (static_cast<double>(top) + shift) * bin_hz;
}

double move_away(double f, double line, double min_ratio) {
  if (!(line > 0) || f >= line * min_ratio || f <= line / min_ratio) return f;
  const double below = line / min_ratio, above = line * min_ratio;
  const auto possible = [](double x) { return x >= kSlowestFlesh && x <= kFastestFlesh; };
  const bool up = f >= line ? possible(above) || !possible(below) : !possible(below) && possible(above);
  return std::clamp(up ? above : below, kSlowestFlesh, kFastestFlesh);
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
