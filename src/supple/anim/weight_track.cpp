#include "supple/anim/weight_track.h"

#include <algorithm>
#include <cmath>

namespace supple {

namespace {

// The last key at or before t, and the next; both the first or the last key outside.
struct KeySpan {
  size_t a = 0, b = 0;
  double s = 0, length = 0;  // share of the way, and seconds between
};
KeySpan span_at(const std::vector<float>& times, double t) {
  const auto next = std::upper_bound(times.begin(), times.end(), t, [](double x, float key) { return x < key; });
  if (next == times.begin()) return {};
  const auto b = static_cast<size_t>(next - times.begin()), a = b - 1;
  if (next == times.end()) return {a, a, 0, 0};
  const double length = static_cast<double>(times[b]) - static_cast<double>(times[a]);
  return {a, b, (t - static_cast<double>(times[a])) / length, length};
}

// Row `part` of three of a key: in-tangent, value, out-tangent.
VecX row_of(const WeightTrack& track, size_t key, size_t part) {
  const auto width = static_cast<size_t>(track.width);
  const size_t row = track.interpolation == Interpolation::cubic ? 3 * key + part : key;
  return Eigen::Map<const Eigen::VectorXf>(track.values.data() + row * width, track.width).cast<double>();
}

}  // namespace

VecX WeightTrack::at(double t) const {
  const KeySpan k = span_at(times, t);
  if (k.a == k.b || interpolation == Interpolation::step || k.s == 0) return row_of(*this, k.a, 1);
  if (interpolation == Interpolation::linear) return (1 - k.s) * row_of(*this, k.a, 1) + k.s * row_of(*this, k.b, 1);
  const double s = k.s, s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * row_of(*this, k.a, 1) + k.length * (s3 - 2 * s2 + s) * row_of(*this, k.a, 2) +
         (3 * s2 - 2 * s3) * row_of(*this, k.b, 1) + k.length * (s3 - s2) * row_of(*this, k.b, 0);
}

VecX WeightTrack::slope(double t, int side) const {
  KeySpan k = span_at(times, t);
  if (k.s == 0 && side < 0 && k.a > 0 && static_cast<double>(times[k.a]) == t) return row_of(*this, k.a, 0);
  if (k.a == k.b || (k.s == 0 && side < 0)) return VecX::Zero(width);
  const double s = k.s, s2 = s * s;
  return (6 * s2 - 6 * s) / k.length * (row_of(*this, k.a, 1) - row_of(*this, k.b, 1)) +
         (3 * s2 - 4 * s + 1) * row_of(*this, k.a, 2) + (3 * s2 - 2 * s) * row_of(*this, k.b, 0);
}

JoinedTrack join_tracks(const WeightTrack& old, const std::vector<float>& frames, const Eigen::MatrixXf& ours) {
  // A frame that falls on a key but for rounding takes the key's time.
  std::vector<float> own = frames;
  for (float& t : own) {
    const auto near = std::lower_bound(old.times.begin(), old.times.end(), t - 1e-6f * std::max(1.0f, std::abs(t)));
    if (near != old.times.end() && *near <= t + 1e-6f * std::max(1.0f, std::abs(t))) t = *near;
  }
  if (std::adjacent_find(own.begin(), own.end(), std::greater_equal<>()) != own.end()) own = frames;

  JoinedTrack joined;
  joined.cubic = old.interpolation == Interpolation::cubic;
  joined.times = own;
  joined.times.insert(joined.times.end(), old.times.begin(), old.times.end());
  if (old.interpolation == Interpolation::step) {
    // A straight line holds a value only with a second key just before the next one.
    for (size_t k = 1; k < old.times.size(); ++k) joined.times.push_back(std::nextafter(old.times[k], -1.0f));
  }
  std::sort(joined.times.begin(), joined.times.end());
  joined.times.erase(std::unique(joined.times.begin(), joined.times.end()), joined.times.end());

  const Eigen::Index n_keys = static_cast<Eigen::Index>(joined.times.size()), n_ours = ours.cols();
  MatX mine(n_keys, n_ours);
  for (Eigen::Index i = 0; i < n_keys; ++i) {
    const KeySpan k = span_at(own, static_cast<double>(joined.times[static_cast<size_t>(i)]));
    const auto a = static_cast<Eigen::Index>(k.a), b = static_cast<Eigen::Index>(k.b);
    mine.row(i) = (1 - k.s) * ours.row(a).cast<double>() + k.s * ours.row(b).cast<double>();
  }
  const Eigen::Index width = old.width + n_ours;
  joined.values.reserve(static_cast<size_t>(n_keys * width * (joined.cubic ? 3 : 1)));
  auto put = [&](const VecX& first, const VecX& second) {
    for (const double x : first) joined.values.push_back(static_cast<float>(x));
    for (const double x : second) joined.values.push_back(static_cast<float>(x));
  };
  auto rate = [&](Eigen::Index i) -> VecX {  // from key i to the next
    if (i < 0 || i + 1 >= n_keys) return VecX::Zero(n_ours);
    const double length = static_cast<double>(joined.times[static_cast<size_t>(i + 1)]) -
                          static_cast<double>(joined.times[static_cast<size_t>(i)]);
    return (mine.row(i + 1) - mine.row(i)).transpose() / length;
  };
  for (Eigen::Index i = 0; i < n_keys; ++i) {
    const auto t = static_cast<double>(joined.times[static_cast<size_t>(i)]);
    // A piece of a cubic is a cubic, and so is a straight line: both are kept exactly.
    if (joined.cubic) put(old.slope(t, -1), rate(i - 1));
    put(old.at(t), mine.row(i).transpose());
    if (joined.cubic) put(old.slope(t, 1), rate(i));
  }
  return joined;
}

}  // namespace supple
