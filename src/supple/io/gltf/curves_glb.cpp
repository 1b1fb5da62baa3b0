#include "supple/io/gltf/curves_glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/index.h"
#include "supple/io/gltf/new_clip.h"

namespace supple {

namespace {

const char* path_word(ChannelPath path) {
  static constexpr const char* words[] = {"translation", "rotation", "scale", "weights"};
  return words[static_cast<int>(path)];
}

size_t n_morph_targets(const GlbDocument& doc, int node) {
  const int mesh = doc.file().nodes[at(node)].mesh;
  if (mesh < 0 || doc.file().meshes[at(mesh)].primitives.empty()) return 0;
  return doc.file().meshes[at(mesh)].primitives[0].targets.size();
}

// Keys as the file has them.
struct FloatKeys {
  std::vector<float> times, values;
};

class CurvesWriter {
 public:
  CurvesWriter(GlbDocument& doc, const CurvesClip& clip, std::vector<std::string>& warnings)
      : doc_(doc), clip_(clip), warnings_(warnings), made_(doc) {
    for (const int source : clip.sources) {
      if (source < 0 || at(source) >= doc.file().animations.size())
        doc.fail(place(), fmt::format("not written: animation {} is not in the file", source));
    }
    range_ = key_range(doc, clip.sources);
  }

  void add(const CurveChannel& channel) {
    require(channel);
    const std::string node = gltf_place("node", at(channel.node), doc_.file().nodes[at(channel.node)].name);
    if (channel.path == ChannelPath::weights) {
      tell_sliders(channel, node);
    } else if (take_matrix_apart(doc_, channel.node, "it should move")) {
      warnings_.push_back(node + ": its matrix is written as translation, rotation and scale, as it moves now");
    }
    const FloatKeys keys = keys_in_file(channel);
    const auto [known, fresh] = inputs_.try_emplace(keys.times, 0);
    if (fresh) known->second = made_.add_floats(keys.times, 1, true);
    const size_t width = channel.path == ChannelPath::weights ? 1 : at(channel.width);
    const bool cubic = channel.keys.interpolation == Interpolation::cubic;
    const bool step = channel.keys.interpolation == Interpolation::step;
    made_.add_channel(channel.node, path_word(channel.path), known->second, made_.add_floats(keys.values, width, false),
                      cubic  ? "CUBICSPLINE"
                      : step ? "STEP"
                             : "LINEAR");
  }

  // The name it gets; "": none.
  std::string finish() {
    made_.repeat(clip_.sources, clip_.name, warnings_);
    std::set<std::string> taken;
    for (const GltfAnimation& animation : doc_.file().animations) taken.insert(animation.name);
    const std::string wish = clip_.name.empty() ? "curves" : clip_.name;
    std::string name = wish;
    for (int n = 2; taken.count(name) > 0; ++n) name = fmt::format("{} {}", wish, n);
    if (!made_.finish(name)) {
      warnings_.push_back(fmt::format("{}: nothing moves, so no clip is added", place()));
      return "";
    }
    if (name != wish) {
      warnings_.push_back(fmt::format("the name '{}' is taken: the clip is '{}'", wish, name));
    }
    return name;
  }

 private:
  std::string place() const { return fmt::format("clip '{}'", clip_.name); }

  void require(const CurveChannel& c) {
    const auto fail = [&](const std::string& what) {
      doc_.fail(fmt::format("{}, {} of node {}", place(), path_word(c.path), c.node), "not written: " + what);
    };
    if (c.node < 0 || at(c.node) >= doc_.file().nodes.size()) fail("the node is not in the file");
    if (!seen_.insert({c.node, c.path}).second) fail("it has keys twice");
    const size_t wanted = c.path == ChannelPath::weights    ? n_morph_targets(doc_, c.node)
                          : c.path == ChannelPath::rotation ? 4
                                                            : 3;
    if (wanted == 0) fail("it has no morph targets");
    if (c.width < 1 || at(c.width) != wanted) fail(fmt::format("{} numbers a key where {} should be", c.width, wanted));
    const bool cubic = c.keys.interpolation == Interpolation::cubic;
    const size_t n = c.keys.times.size();
    if (n == 0 || c.keys.values.size() != n * wanted * (cubic ? 3 : 1))
      fail(fmt::format("{} numbers do not fit {} keys", c.keys.values.size(), n));
    if (cubic && n < 2) fail("a spline has two keys at least");
    for (size_t k = 0; k < n; ++k) {
      const float t = file_time(c.keys.times[k]);
      if (!std::isfinite(t) || t < 0 || (k > 0 && !(t > file_time(c.keys.times[k - 1]))))
        fail(fmt::format("the time of key {} should be finite, at least 0 and after the one before", k));
    }
    for (const double x : c.keys.values)
      if (!std::isfinite(static_cast<float>(x))) fail("a value is not finite");
  }

  float file_time(double t) const { return static_cast<float>(t + clip_.shift); }

  // In float, and held to the ends of the source clip: Blender lets the parts of a clip begin together, whatever keys
  // they begin with.
  FloatKeys keys_in_file(const CurveChannel& c) const {
    FloatKeys keys;
    for (const double t : c.keys.times) keys.times.push_back(file_time(t));
    for (const double x : c.keys.values) keys.values.push_back(static_cast<float>(x));
    if (!range_) return keys;
    const auto apart = [](float a, float b) { return b - a > 1e-6f * std::max(1.0f, b); };  // not for rounding
    const auto width = static_cast<std::ptrdiff_t>(c.width);
    const bool cubic = c.keys.interpolation == Interpolation::cubic;
    const std::vector<float> flat(at(c.width), 0.0f);
    if (apart(range_->first, keys.times.front())) {
      if (cubic) std::fill(keys.values.begin(), keys.values.begin() + width, 0.0f);
      const auto first = keys.values.begin() + (cubic ? width : 0);
      std::vector<float> held(first, first + width);
      if (cubic) held.insert(held.begin(), flat.begin(), flat.end());
      if (cubic) held.insert(held.end(), flat.begin(), flat.end());
      keys.values.insert(keys.values.begin(), held.begin(), held.end());
      keys.times.insert(keys.times.begin(), range_->first);
    }
    if (apart(keys.times.back(), range_->second)) {
      if (cubic) std::fill(keys.values.end() - width, keys.values.end(), 0.0f);
      const auto last = keys.values.end() - (cubic ? 2 * width : width);
      std::vector<float> held(last, last + width);
      if (cubic) held.insert(held.begin(), flat.begin(), flat.end());
      if (cubic) held.insert(held.end(), flat.begin(), flat.end());
      keys.values.insert(keys.values.end(), held.begin(), held.end());
      keys.times.push_back(range_->second);
    }
    return keys;
  }

  // Blender cuts animated weights to the range of their sliders, which it makes of the first key alone.
  void tell_sliders(const CurveChannel& c, const std::string& node) {
    const bool cubic = c.keys.interpolation == Interpolation::cubic;
    const size_t width = at(c.width), stride = cubic ? 3 * width : width;
    double low = 0, high = 1;
    for (size_t i = 0; i < c.keys.values.size(); ++i) {
      if (cubic && (i % stride) / width != 1) continue;
      low = std::min(low, c.keys.values[i]);
      high = std::max(high, c.keys.values[i]);
    }
    if (low >= -1e-6 && high <= 1 + 1e-6) return;
    warnings_.push_back(
        fmt::format("{}: weights go from {:.3g} to {:.3g}; Blender cuts them to 0 .. 1 until the range of the shape "
                    "keys is widened",
                    node, low, high));
  }

  GlbDocument& doc_;
  const CurvesClip& clip_;
  std::vector<std::string>& warnings_;
  std::optional<std::pair<float, float>> range_;  // of the sources [s]
  std::map<std::vector<float>, int> inputs_;      // times -> accessor
  std::set<std::pair<int, ChannelPath>> seen_;
  NewClip made_;
};

}  // namespace

std::vector<std::string> write_curves_glb(const std::string& input, const std::string& output,
                                          const std::vector<CurvesClip>& clips, std::vector<std::string>& warnings) {
  GlbDocument doc(input, warnings);
  std::vector<std::string> names;
  try {
    for (const CurvesClip& clip : clips) {
      CurvesWriter writer(doc, clip, warnings);
      for (const CurveChannel& channel : clip.channels) writer.add(channel);
      names.push_back(writer.finish());
    }
    doc.write(output);
  } catch (const nlohmann::json::exception& error) {
    doc.fail_of_kind(error);
  }
  return names;
}

std::string write_curves_glb(const std::string& input, const std::string& output, const CurvesClip& clip,
                             std::vector<std::string>& warnings) {
  return write_curves_glb(input, output, std::vector<CurvesClip>{clip}, warnings)[0];
}

}  // namespace supple
