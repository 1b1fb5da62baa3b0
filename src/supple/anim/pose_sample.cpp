// Samplers of glTF: what a channel says at a time.
#include <algorithm>
#include <cmath>

#include "supple/anim/drawn.h"
#include "supple/anim/node_tree.h"

namespace supple {
namespace {

// Where a time lies between keys: key `left` and the share of the way to the next one; share 0 at a key or outside.
struct Between {
  size_t left = 0;
  double share = 0, span = 0;
};

Between locate(const std::vector<double>& times, size_t n, double t) {
  if (n == 1 || !(t > times[0])) return {};
  if (t >= times[n - 1]) return {n - 1, 0, 0};
  const auto end = times.begin() + static_cast<std::ptrdiff_t>(n);
  const size_t right = static_cast<size_t>(std::upper_bound(times.begin(), end, t) - times.begin());
  const double span = times[right] - times[right - 1];
  return {right - 1, span > 0 ? (t - times[right - 1]) / span : 0, span};
}

Quat unit(double x, double y, double z, double w) {
  const Quat q(w, x, y, z);
  return q.norm() > 0 ? q.normalized() : Quat::Identity();
}
Quat unit(const double* v) { return unit(v[0], v[1], v[2], v[3]); }

// Value of the channel at t, `width` numbers. False for a channel without keys.
bool sample(const Channel& channel, double t, std::vector<double>& value) {
  const bool cubic = channel.interpolation == Interpolation::cubic;
  if (channel.width <= 0) return false;
  const size_t width = static_cast<size_t>(channel.width), stride = cubic ? 3 * width : width;
  const size_t n = std::min(channel.times.size(), channel.values.size() / stride);
  if (n == 0) return false;
  const Between at = locate(channel.times, n, t);
  const double* left = &channel.values[at.left * stride] + (cubic ? width : 0);
  value.assign(left, left + width);
  const bool rotation = channel.path == ChannelPath::rotation && width == 4;
  if (at.share > 0 && channel.interpolation != Interpolation::step) {
    const double* right = left + stride;
    const double s = at.share;
    if (cubic) {
      // Hermite, tangents given per second: the out-tangent follows its value, the in-tangent goes before.
      const double s2 = s * s, s3 = s2 * s;
      for (size_t i = 0; i < width; ++i) {
        value[i] = (2 * s3 - 3 * s2 + 1) * left[i] + (s3 - 2 * s2 + s) * at.span * left[width + i] +
                   (3 * s2 - 2 * s3) * right[i] + (s3 - s2) * at.span * *(right - width + i);
      }
    } else if (rotation) {
      const Quat q = unit(left).slerp(s, unit(right));
      value = {q.x(), q.y(), q.z(), q.w()};
    } else {
      for (size_t i = 0; i < width; ++i) value[i] = (1 - s) * left[i] + s * right[i];
    }
  }
  return true;
}

// Share of the key times that lie on frames start + k / fps.
double share_on_frames(const std::vector<double>& times, double start, double fps) {
  size_t n_on = 0;
  for (double t : times) {
    const double frame = (t - start) * fps;
    // Times are often rounded to milliseconds.
    n_on += std::abs(frame - std::round(frame)) <= 0.04 ? 1 : 0;
  }
  return static_cast<double>(n_on) / static_cast<double>(times.size());
}

}  // namespace

NodeState sample_clip(const Character& character, const Clip& clip, double t) {
  const int n = static_cast<int>(character.nodes.size());
  NodeState state;
  state.placements.resize(n);
  state.weights.resize(n);
  for (int i = 0; i < n; ++i) state.placements[i] = character.nodes[i].local;
  std::vector<double> value;
  for (const Channel& channel : clip.channels) {
    if (channel.node < 0 || channel.node >= n || !sample(channel, t, value)) continue;
    Placement& place = state.placements[channel.node];
    if (channel.path == ChannelPath::weights) {
      state.weights[channel.node] = value;
    } else if (channel.path == ChannelPath::rotation) {
      if (value.size() >= 4) place.rotation = unit(value.data());
    } else if (value.size() >= 3) {
      (channel.path == ChannelPath::scale ? place.scale : place.translation) = Vec3(value[0], value[1], value[2]);
    }
  }
  state.locals.resize(n);
  for (int i = 0; i < n; ++i) {
    const Node& node = character.nodes[i];
    state.locals[i] = node.matrix ? *node.matrix : state.placements[i].matrix();
  }
  return state;
}

std::vector<Placement> node_placements(const Character& character, const Clip& clip, double t) {
  return sample_clip(character, clip, t).placements;
}

std::vector<Affine> node_matrices(const Character& character, const Clip& clip, double t) {
  return chain_nodes(character, parents_first(character), sample_clip(character, clip, t).locals);
}

std::vector<Affine> node_matrices(const Character& character) {
  return chain_nodes(character, parents_first(character), rest_locals(character));
}

double frame_rate(const Clip& clip) {
  constexpr size_t kMany = 8;  // keys that say something about a rate
  constexpr double kUsual = 30;
  std::vector<double> times, spacings;
  for (const Channel& channel : clip.channels) {
    times.insert(times.end(), channel.times.begin(), channel.times.end());
    if (channel.times.size() < kMany) continue;
    for (size_t i = 1; i < channel.times.size(); ++i) spacings.push_back(channel.times[i] - channel.times[i - 1]);
  }
  if (times.empty()) return kUsual;
  std::vector<double> rates = {24, 30, 60};
  if (!spacings.empty()) rates = {24, 25, 30, 48, 50, 60, 120};
  const auto [start, end] = std::minmax_element(times.begin(), times.end());
  if (*start == *end) return kUsual;
  double spacing = 0;
  if (!spacings.empty()) {
    const auto middle = spacings.begin() + static_cast<std::ptrdiff_t>(spacings.size() / 2);
    std::nth_element(spacings.begin(), middle, spacings.end());
    spacing = *middle;
  }
  // Of many keys some may lie between frames: a last one that was moved, or the rest of a motion that was.
  for (double fps : rates) {
    if (std::abs(spacing * fps - 1) < 0.01 && share_on_frames(times, *start, fps) >= 0.6) return fps;
  }
  const double enough = spacings.empty() ? 1 : 0.95;
  for (double fps : rates) {
    if (share_on_frames(times, *start, fps) >= enough) return fps;
  }
  // The rate whose frames are about as far apart as the keys.
  for (double fps : rates) {
    if (std::abs(spacing * fps - 1) <= 0.02) return fps;
  }
  return kUsual;
}

}  // namespace supple
