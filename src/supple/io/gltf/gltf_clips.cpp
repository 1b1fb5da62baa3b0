#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "supple/io/gltf/gltf_parts.h"

namespace supple {

namespace {

// What was mended in one animation, told once for all its channels.
struct Mends {
  size_t unsorted = 0, not_finite = 0, not_unit = 0, short_of_values = 0, other_path = 0, twice = 0, empty = 0,
         sheared = 0, targets = 0;
};

// Keys in any order and state: times, and `stride` values each.
struct Keys {
  std::vector<double> times, values;
  size_t stride = 0;

  void keep(const std::vector<size_t>& which) {
    Keys out;
    out.stride = stride;
    for (const size_t k : which) {
      out.times.push_back(times[k]);
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(k * stride);
      out.values.insert(out.values.end(), from, from + static_cast<std::ptrdiff_t>(stride));
    }
    *this = std::move(out);
  }
};

// Leaves finite keys at ascending times; of several at one time the last.
void mend_keys(Keys& keys, Mends& mends) {
  std::vector<size_t> order;
  for (size_t k = 0; k < keys.times.size(); ++k) {
    bool finite = std::isfinite(keys.times[k]);
    for (size_t i = 0; i < keys.stride; ++i) finite = finite && std::isfinite(keys.values[k * keys.stride + i]);
    if (finite) order.push_back(k);
  }
  const size_t not_finite = keys.times.size() - order.size();
  const bool ascending = std::adjacent_find(order.begin(), order.end(), [&](size_t a, size_t b) {
                           return keys.times[a] >= keys.times[b];
                         }) == order.end();
  if (not_finite == 0 && ascending) return;
  mends.not_finite += not_finite;
  if (!ascending) {
    ++mends.unsorted;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys.times[a] < keys.times[b]; });
    std::vector<size_t> distinct;
    for (const size_t k : order) {
      if (!distinct.empty() && keys.times[distinct.back()] == keys.times[k]) distinct.pop_back();
      distinct.push_back(k);
    }
    order = std::move(distinct);
  }
  keys.keep(order);
}

// Rotations to unit length; keys of no length at all are dropped.
void mend_rotations(Keys& keys, bool cubic, Mends& mends) {
  std::vector<size_t> kept;
  for (size_t k = 0; k < keys.times.size(); ++k) {
    double* q = keys.values.data() + k * keys.stride;
    const double* at = q + (cubic ? 4 : 0);
    const double length = std::hypot(std::hypot(at[0], at[1]), std::hypot(at[2], at[3]));
    mends.not_unit += std::abs(length - 1) > 0.01;
    if (!(length > 1e-6)) continue;
    kept.push_back(k);
    for (size_t i = 0; i < keys.stride; ++i) q[i] /= length;
  }
  if (kept.size() < keys.times.size()) keys.keep(kept);
}

// To `to` values a part of `from`, a key having `parts` of them; what is missing is 0.
void fit_width(Keys& keys, size_t parts, size_t from, size_t to) {
  Keys out;
  out.times = keys.times;
  out.stride = parts * to;
  out.values.resize(out.times.size() * out.stride);
  for (size_t part = 0; part < keys.times.size() * parts; ++part) {
    for (size_t i = 0; i < std::min(from, to); ++i) out.values[part * to + i] = keys.values[part * from + i];
  }
  keys = std::move(out);
}

// A node that is animated needs its placement in parts. False when its matrix has none.
bool take_apart(Node& node) {
  if (!node.matrix) return true;
  Mat3 linear = node.matrix->linear();
  Placement placement;
  placement.translation = node.matrix->translation();
  placement.scale = linear.colwise().norm().transpose();
  if (linear.determinant() < 0) placement.scale[0] *= -1;
  if (!(placement.scale.cwiseAbs().minCoeff() > 0)) return false;
  for (int k = 0; k < 3; ++k) linear.col(k) /= placement.scale[k];
  if (!linear.isUnitary(1e-3)) return false;
  placement.rotation = Quat(linear).normalized();
  node.local = placement;
  node.matrix.reset();
  return true;
}

class ClipReader {
 public:
  ClipReader(GltfData& data, Character& character, size_t index)
      : data_(data),
        character_(character),
        source_(data.file().animations[index]),
        place_(gltf_place("animation", index, source_.name)) {
    clip_.name = source_.name;
    clip_.sources = {static_cast<int>(index)};
  }

  Clip read() {
    for (const GltfChannel& c : source_.channels) read_channel(c);
    tell();
    bool first = true;
    for (const Channel& c : clip_.channels) {
      clip_.start = first ? c.times.front() : std::min(clip_.start, c.times.front());
      clip_.end = first ? c.times.back() : std::max(clip_.end, c.times.back());
      first = false;
    }
    return clip_;
  }

 private:
  void read_channel(const GltfChannel& source) {
    static const std::pair<const char*, ChannelPath> paths[] = {{"translation", ChannelPath::translation},
                                                                {"rotation", ChannelPath::rotation},
                                                                {"scale", ChannelPath::scale},
                                                                {"weights", ChannelPath::weights}};
    const auto path =
        std::find_if(std::begin(paths), std::end(paths), [&](const auto& known) { return source.path == known.first; });
    if (path == std::end(paths) || source.node < 0) {
      mends_.other_path += source.node >= 0 || source.path == "pointer";
      return;
    }
    Channel channel;
    channel.node = source.node;
    channel.path = path->second;
    channel.width = width_of(channel);
    if (channel.width == 0) {
      ++mends_.targets;
      return;
    }
    const GltfSampler& sampler = source_.samplers[static_cast<size_t>(source.sampler)];
    const bool cubic = sampler.interpolation == "CUBICSPLINE";
    channel.interpolation = cubic                             ? Interpolation::cubic
                            : sampler.interpolation == "STEP" ? Interpolation::step
                                                              : Interpolation::linear;
    Keys keys = read_keys(sampler, channel, cubic ? 3 : 1);
    mend_keys(keys, mends_);
    if (channel.path == ChannelPath::rotation) mend_rotations(keys, cubic, mends_);
    if (keys.times.empty()) {
      ++mends_.empty;
      return;
    }
    if (!targets_.insert({channel.node, channel.path}).second) {
      ++mends_.twice;
      return;
    }
    Node& node = character_.nodes[static_cast<size_t>(channel.node)];
    if (channel.path != ChannelPath::weights && !take_apart(node)) {
      ++mends_.sheared;
      return;
    }
    channel.times = std::move(keys.times);
    channel.values = std::move(keys.values);
    clip_.channels.push_back(std::move(channel));
  }

  int width_of(const Channel& channel) const {
    if (channel.path != ChannelPath::weights) return channel.path == ChannelPath::rotation ? 4 : 3;
    const int mesh = character_.nodes[static_cast<size_t>(channel.node)].mesh;
    return mesh < 0 ? 0 : static_cast<int>(character_.meshes[static_cast<size_t>(mesh)].weights.size());
  }

  // parts: values a key, 3 with tangents.
  Keys read_keys(const GltfSampler& sampler, const Channel& channel, size_t parts) {
    if (sampler.input < 0 || sampler.output < 0) data_.file().fail(place_, "a sampler has no input or no output");
    const GltfAccessor& output = data_.accessor(sampler.output);
    const size_t width = static_cast<size_t>(channel.width);
    Keys keys;
    keys.times = times_of(sampler.input);
    data_.charge(keys.times.size(), 1, place_);
    keys.values = data_.values(sampler.output, place_);
    keys.stride = parts * width;
    size_t here = width;
    if (channel.path == ChannelPath::weights) {
      // As many as the exporter thought the mesh has targets.
      const size_t n = keys.times.size() * parts;
      if (n > 0 && keys.values.size() % n == 0) here = keys.values.size() / n;
      if (here != width && here > 0) ++mends_.targets;
      keys.stride = parts * here;
    } else if (output.width != channel.width) {
      data_.file().fail(
          fmt::format("{}, accessor {}", place_, sampler.output),
          fmt::format("a {} should have {} numbers a key, not {}",
                      channel.path == ChannelPath::rotation ? "rotation" : "translation or scale", width, output.width),
          "The file is damaged, or its exporter is at fault: export it again.");
    }
    const size_t there = keys.stride == 0 ? 0 : keys.values.size() / keys.stride;
    if (there != keys.times.size()) {
      ++mends_.short_of_values;
      keys.times.resize(std::min(there, keys.times.size()));
      keys.values.resize(keys.times.size() * keys.stride);
    }
    if (here != width) {
      data_.charge(keys.times.size(), parts * width, place_);
      fit_width(keys, parts, here, width);
    }
    return keys;
  }

  // Channels share their times: one reading serves all.
  const std::vector<double>& times_of(int accessor) {
    const auto found = times_.find(accessor);
    if (found != times_.end()) return found->second;
    if (data_.accessor(accessor).width != 1) data_.file().fail(place_, "times should be single numbers");
    return times_[accessor] = data_.values(accessor, place_);
  }

  void tell() {
    auto warn = [&](size_t count, const char* what) {
      if (count > 0) character_.warnings.push_back(fmt::format("{}: {} {}", place_, count, what));
    };
    warn(mends_.unsorted, "channels with times that do not ascend: sorted");
    warn(mends_.not_finite, "keys that are not finite: dropped");
    warn(mends_.not_unit, "rotations that are not of unit length: normalised or, where 0, dropped");
    warn(mends_.short_of_values, "channels with unequal numbers of times and values: cut to the shorter");
    warn(mends_.targets, "channels for another number of morph targets than their mesh has: fitted");
    warn(mends_.twice, "channels of what another one animates: ignored");
    warn(mends_.sheared, "channels of nodes with a sheared matrix: ignored");
    warn(mends_.other_path, "channels of something else than placements and weights: ignored");
    warn(mends_.empty, "channels without keys: ignored");
  }

  GltfData& data_;
  Character& character_;
  const GltfAnimation& source_;
  const std::string place_;
  Clip clip_;
  Mends mends_;
  std::set<std::pair<int, ChannelPath>> targets_;
  std::map<int, std::vector<double>> times_;
};

}  // namespace

std::vector<Clip> read_clips(GltfData& data, Character& character) {
  std::vector<Clip> clips;
  for (size_t i = 0; i < data.file().animations.size(); ++i) {
    Clip clip = ClipReader(data, character, i).read();
    if (clip.channels.empty()) {
      character.warnings.push_back(gltf_place("animation", i, clip.name) +
                                   ": it moves nothing that is read here: left out");
    } else {
      clips.push_back(std::move(clip));
    }
  }
  return clips;
}

}  // namespace supple
