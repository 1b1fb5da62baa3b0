#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/anim/weight_keys.h"
#include "supple/anim/weight_track.h"
#include "supple/base/index.h"
#include "supple/io/gltf/new_clip.h"
#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

constexpr double kKeyShare = 0.05;  // of the tolerance: frames that lines between others pass are no keys

// One new animation.
class ClipWriter {
 public:
  ClipWriter(GlbDocument& doc, const SoftClip& clip, std::vector<std::string>& warnings)
      : doc_(doc), clip_(clip), warnings_(warnings), made_(doc) {
    for (const double t : clip.times) {
      shown_.push_back(frames_.size());
      frames_.push_back(static_cast<float>(t));
    }
    reach_ends();
  }

  void add_weights(const SoftBasis& basis, const SoftSpan& span) {
    Eigen::MatrixXf ours(static_cast<Eigen::Index>(shown_.size()), basis.n_targets);
    for (size_t k = 0; k < shown_.size(); ++k)
      ours.row(static_cast<Eigen::Index>(k)) = basis.weights.row(span.first + static_cast<Eigen::Index>(shown_[k]));
    std::vector<float> times = frames_;
    if (basis.reach.size() > 0) {
      const std::vector<size_t> keys = frames_as_keys(frames_, ours, basis.reach, kKeyShare * span.tolerance);
      times.clear();
      for (size_t k = 0; k < keys.size(); ++k) {
        times.push_back(frames_[keys[k]]);
        ours.row(static_cast<Eigen::Index>(k)) = ours.row(static_cast<Eigen::Index>(keys[k])).eval();
      }
      ours.conservativeResize(static_cast<Eigen::Index>(keys.size()), Eigen::NoChange);
    }
    const WeightTrack old = old_weights(basis, span.node);
    const JoinedTrack joined = join_tracks(old, times, ours);
    const int input = joined.times == frames_ ? frame_times() : made_.add_floats(joined.times, 1, true);
    made_.add_channel(span.node, "weights", input, made_.add_floats(joined.values, 1, false),
                      joined.cubic ? "CUBICSPLINE" : "LINEAR");
  }

  void add_node(const SoftNode& node) {
    std::vector<float> flat;
    if (!node.translations.empty()) {
      for (const size_t k : shown_) {
        const Vec3& x = node.translations[k];
        flat.insert(flat.end(), {f(x[0]), f(x[1]), f(x[2])});
      }
      made_.add_channel(node.node, "translation", frame_times(), made_.add_floats(flat, 3, false), "LINEAR");
    }
    flat.clear();
    Eigen::Vector4d before = Eigen::Vector4d::Zero();
    for (size_t k = 0; k < (node.rotations.empty() ? 0 : shown_.size()); ++k) {
      const Eigen::Vector4d& q = node.rotations[shown_[k]];
      // Of q and -q, which turn alike, the one nearer to the frame before.
      const Eigen::Vector4d unit = q.normalized() * (q.dot(before) < 0 ? -1 : 1);
      flat.insert(flat.end(), {f(unit[0]), f(unit[1]), f(unit[2]), f(unit[3])});
      before = unit;
    }
    if (!flat.empty())
      made_.add_channel(node.node, "rotation", frame_times(), made_.add_floats(flat, 4, false), "LINEAR");
  }

  void repeat_sources() { made_.repeat(clip_.sources, clip_.name, warnings_); }
  bool finish(const std::string& name) { return made_.finish(name); }

 private:
  static float f(double x) { return static_cast<float>(x); }

  // Where the sources have keys before the first frame or after the last one, those two frames are held there.
  void reach_ends() {
    const auto keys = key_range(doc_, clip_.sources);
    if (!keys) return;
    const float first = std::min(frames_.front(), keys->first), last = std::max(frames_.back(), keys->second);
    // Not for rounding of the frames' times.
    auto apart = [](float a, float b) { return b - a > 1e-6f * std::max(1.0f, b); };
    if (apart(first, frames_.front())) {
      frames_.insert(frames_.begin(), first);
      shown_.insert(shown_.begin(), size_t{0});
    }
    if (apart(frames_.back(), last)) {
      frames_.push_back(last);
      shown_.push_back(shown_.back());
    }
  }

  int frame_times() {
    if (times_ < 0) times_ = made_.add_floats(frames_, 1, true);
    return times_;
  }

  // What the sources say of the targets that were there before, or what they are at rest.
  WeightTrack old_weights(const SoftBasis& basis, int node) const {
    WeightTrack track;
    track.width = basis.n_old;
    for (const int source : clip_.sources) {
      const GltfAnimation& animation = doc_.file().animations[at(source)];
      for (size_t c = 0; c < animation.channels.size(); ++c) {
        const GltfChannel& channel = animation.channels[c];
        if (channel.node != node || channel.path != "weights" || basis.n_old == 0) continue;
        const OrderedJson& json = doc_.json()["animations"][at(source)];
        const OrderedJson& sampler = json.at("samplers").at(json.at("channels").at(c).at("sampler").get<size_t>());
        const std::string mode = animation.samplers[at(channel.sampler)].interpolation;
        track.times = doc_.array(sampler.at("input").get<int>()).floats();
        const std::vector<float> wide = doc_.array(sampler.at("output").get<int>()).floats();
        track.interpolation = mode == "STEP"          ? Interpolation::step
                              : mode == "CUBICSPLINE" ? Interpolation::cubic
                                                      : Interpolation::linear;
        const size_t width = at(basis.n_old + basis.n_targets), n_rows = wide.size() / width;
        const bool ascending =
            std::adjacent_find(track.times.begin(), track.times.end(), std::greater_equal<>()) == track.times.end();
        if (track.times.empty() || !ascending ||
            n_rows != track.times.size() * (track.interpolation == Interpolation::cubic ? 3 : 1)) {
          doc_.fail(fmt::format("{}, channel {}", gltf_place("animation", at(source), animation.name), c),
                    "its times do not ascend or do not fit its weights", "Export the file again.");
        }
        for (size_t r = 0; r < n_rows; ++r) {
          track.values.insert(track.values.end(), wide.begin() + static_cast<std::ptrdiff_t>(r * width),
                              wide.begin() + static_cast<std::ptrdiff_t>(r * width) + basis.n_old);
        }
        return track;
      }
    }
    const std::vector<double>& own = doc_.file().nodes[at(node)].weights;
    const std::vector<double>& rest = own.empty() ? doc_.file().meshes[at(basis.mesh)].weights : own;
    for (size_t k = 0; k < at(basis.n_old); ++k) track.values.push_back(k < rest.size() ? f(rest[k]) : 0.0f);
    track.times = {frames_.front()};
    return track;
  }

  GlbDocument& doc_;
  const SoftClip& clip_;
  std::vector<std::string>& warnings_;
  std::vector<float> frames_;
  std::vector<size_t> shown_;  // by key: the frame of the clip
  int times_ = -1;
  NewClip made_;
};

}  // namespace

std::vector<AddedClip> add_animations(GlbDocument& doc, const std::vector<SoftClip>& clips,
                                      const std::vector<SoftBasis>& bases, const ClipNames& names,
                                      std::vector<std::string>& warnings) {
  std::vector<AddedClip> added;
  std::set<std::string> taken;
  for (const GltfAnimation& animation : doc.file().animations) taken.insert(animation.name);
  auto free_name = [&](const std::string& wish) {
    std::string name = wish;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{} {}", wish, n);
    if (name != wish) warnings.push_back(fmt::format("the name '{}' is taken: the clip is '{}'", wish, name));
    return name;
  };
  for (size_t c = 0; c < clips.size(); ++c) {
    const SoftClip& clip = clips[c];
    ClipWriter writer(doc, clip, warnings);
    for (const SoftBasis& basis : bases) {
      for (const SoftSpan& span : basis.spans) {
        if (span.clip == static_cast<int>(c) && basis.n_targets > 0) writer.add_weights(basis, span);
      }
    }
    for (const SoftNode& node : clip.nodes) {
      take_matrix_apart(doc, node.node, "it should ride on the flesh");
      writer.add_node(node);
    }
    writer.repeat_sources();
    std::string wish = clip.name.empty() ? names.suffix : clip.name + "." + names.suffix;
    if (names.replace && !clip.name.empty()) {
      wish = clip.name;
      for (const int source : clip.sources) {
        const std::string old = doc.file().animations[at(source)].name;
        taken.erase(old);
        doc.json()["animations"][at(source)]["name"] = free_name((old.empty() ? clip.name : old) + ".rigid");
      }
    }
    const std::string name = free_name(wish);
    if (writer.finish(name)) {
      added.push_back({static_cast<int>(c), name, doc.json()["animations"].size() - 1});
    } else {
      warnings.push_back(fmt::format("clip '{}': nothing moves, so no clip is added", clip.name));
    }
  }
  return added;
}

}  // namespace supple
