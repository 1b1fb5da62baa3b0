#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "supple/io/soft_parts.h"

namespace supple {

namespace {

std::string_view bytes_of(const std::vector<float>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(float)};
}

size_t at(int index) { return static_cast<size_t>(index); }

const SoftBasis* basis_of_node(const GlbDocument& doc, const std::vector<SoftBasis>& bases, int node) {
  if (node < 0 || doc.file().nodes[at(node)].mesh < 0) return nullptr;
  for (const SoftBasis& basis : bases) {
    if (basis.mesh == doc.file().nodes[at(node)].mesh && basis.n_targets > 0) return &basis;
  }
  return nullptr;
}

// Samplers of the file that give weights to a mesh with more targets now.
class Widener {
 public:
  Widener(GlbDocument& doc, const std::vector<SoftBasis>& bases, std::vector<std::string>& warnings)
      : doc_(doc), bases_(bases), warnings_(warnings) {}

  void run() {
    for (size_t a = 0; a < doc_.file().animations.size(); ++a) collect(a);
    for (const auto& [key, basis] : wanted_) {
      const auto [a, s] = key;
      const int output = doc_.file().animations[a].samplers[s].output;
      doc_.json()["animations"][a]["samplers"][s]["output"] = widened(output, *basis, true);
    }
    for (const auto& [a, c, basis] : apart_) {
      // The sampler serves another channel as it is: a copy for this one.
      const int old = doc_.file().animations[a].channels[c].sampler;
      OrderedJson sampler = doc_.json()["animations"][a]["samplers"][at(old)];
      sampler["output"] = widened(doc_.file().animations[a].samplers[at(old)].output, *basis, false);
      OrderedJson& animation = doc_.json()["animations"][a];
      animation["channels"][c]["sampler"] = animation["samplers"].size();
      animation["samplers"].push_back(std::move(sampler));
    }
  }

 private:
  void collect(size_t a) {
    const GltfAnimation& animation = doc_.file().animations[a];
    std::map<int, std::set<std::pair<int, int>>> kinds;  // by sampler: how its channels must grow
    auto grow = [&](const GltfChannel& channel) {
      const SoftBasis* basis = channel.path == "weights" ? basis_of_node(doc_, bases_, channel.node) : nullptr;
      return basis && basis->n_old > 0 ? basis : nullptr;
    };
    for (size_t c = 0; c < animation.channels.size(); ++c) {
      const GltfChannel& channel = animation.channels[c];
      const SoftBasis* basis = grow(channel);
      kinds[channel.sampler].insert(basis ? std::pair(basis->n_old, basis->n_targets) : std::pair(0, 0));
      const bool pointer = channel.path == "pointer";
      const auto& target = doc_.json()["animations"][a]["channels"][c].value("target", OrderedJson::object());
      if (pointer && target.dump().find("/weights") != std::string::npos) {
        warnings_.push_back(fmt::format("{}, channel {}: weights behind KHR_animation_pointer are left as they are",
                                        gltf_place("animation", a, animation.name), c));
      }
    }
    for (size_t c = 0; c < animation.channels.size(); ++c) {
      const GltfChannel& channel = animation.channels[c];
      const SoftBasis* basis = grow(channel);
      if (!basis) continue;
      const int output = animation.samplers[at(channel.sampler)].output;
      if (output < 0 || animation.samplers[at(channel.sampler)].input < 0) continue;
      const size_t count = doc_.file().accessors[at(output)].count;
      if (count % at(basis->n_old) != 0) {
        doc_.fail(fmt::format("{}, channel {}", gltf_place("animation", a, animation.name), c),
                  fmt::format("{} weights are not a multiple of the {} targets of the mesh", count, basis->n_old),
                  "The file is damaged, or its exporter is at fault: export it again.");
      }
      if (kinds[channel.sampler].size() == 1) {
        wanted_[{a, at(channel.sampler)}] = basis;
      } else {
        apart_.emplace_back(a, c, basis);
      }
    }
  }

  // In place when every use of the accessor grows alike.
  bool only_ours(int accessor, const SoftBasis& basis) const {
    for (size_t a = 0; a < doc_.file().animations.size(); ++a) {
      const auto& samplers = doc_.file().animations[a].samplers;
      for (size_t s = 0; s < samplers.size(); ++s) {
        if (samplers[s].input != accessor && samplers[s].output != accessor) continue;
        const auto found = wanted_.find({a, s});
        if (samplers[s].input == accessor || found == wanted_.end() || found->second->n_old != basis.n_old ||
            found->second->n_targets != basis.n_targets) {
          return false;
        }
      }
    }
    return true;
  }

  // Whether a view serves this accessor alone.
  bool alone(int view, int accessor) const {
    const auto& accessors = doc_.file().accessors;
    for (size_t i = 0; i < accessors.size(); ++i) {
      const bool used = accessors[i].view == view ||
                        (accessors[i].sparse &&
                         (accessors[i].sparse->indices_view == view || accessors[i].sparse->values_view == view));
      if (used && (i != at(accessor) || accessors[i].sparse)) return false;
    }
    return true;
  }

  int widened(int accessor, const SoftBasis& basis, bool may_replace) {
    const auto [known, fresh] = done_.try_emplace({accessor, basis.n_old, basis.n_targets}, -1);
    if (!fresh) return known->second;
    const GlbArray old = doc_.array(accessor);
    const size_t each = byte_size(old.component), row = at(basis.n_old) * each, wide = row + at(basis.n_targets) * each;
    const size_t n_rows = old.bytes.size() / row;
    std::string bytes(n_rows * wide, '\0');
    for (size_t r = 0; r < n_rows; ++r) bytes.replace(r * wide, row, old.bytes, r * row, row);
    OrderedJson a = doc_.json()["accessors"][at(accessor)];
    for (const char* key : {"byteOffset", "sparse", "min", "max"}) a.erase(key);
    a["count"] = bytes.size() / each;
    const int view = doc_.file().accessors[at(accessor)].view;
    if (may_replace && only_ours(accessor, basis)) {
      if (view >= 0 && alone(view, accessor)) {
        doc_.replace_view(view, bytes);
      } else {
        a["bufferView"] = doc_.add_view(bytes);
      }
      doc_.json()["accessors"][at(accessor)] = a;
      return known->second = accessor;
    }
    a["bufferView"] = doc_.add_view(bytes);
    return known->second = doc_.add_accessor(a);
  }

  GlbDocument& doc_;
  const std::vector<SoftBasis>& bases_;
  std::vector<std::string>& warnings_;
  std::map<std::pair<size_t, size_t>, const SoftBasis*> wanted_;     // animation, sampler
  std::vector<std::tuple<size_t, size_t, const SoftBasis*>> apart_;  // animation, channel
  std::map<std::tuple<int, int, int>, int> done_;
};

// One new animation.
class ClipWriter {
 public:
  ClipWriter(GlbDocument& doc, const SoftClip& clip, std::vector<std::string>& warnings)
      : doc_(doc), clip_(clip), warnings_(warnings) {
    for (const double t : clip.times) frames_.push_back(static_cast<float>(t));
  }

  void add_weights(const SoftBasis& basis, const SoftSpan& span) {
    const Eigen::MatrixXf ours = basis.weights.block(span.first, 0, span.count, basis.n_targets);
    const WeightTrack old = old_weights(basis, span.node);
    const JoinedTrack joined = join_tracks(old, frames_, ours);
    const int times = joined.times == frames_ ? frame_times() : add_floats(joined.times, 1, true);
    add_channel(span.node, "weights", times, add_floats(joined.values, 1, false),
                joined.cubic ? "CUBICSPLINE" : "LINEAR");
  }

  void add_node(const SoftNode& node) {
    std::vector<float> flat;
    if (!node.translations.empty()) {
      for (const Vec3& x : node.translations) flat.insert(flat.end(), {f(x[0]), f(x[1]), f(x[2])});
      add_channel(node.node, "translation", frame_times(), add_floats(flat, 3, false), "LINEAR");
    }
    flat.clear();
    Eigen::Vector4d before = Eigen::Vector4d::Zero();
    for (const Eigen::Vector4d& q : node.rotations) {
      // Of q and -q, which turn alike, the one nearer to the frame before.
      const Eigen::Vector4d unit = q.normalized() * (q.dot(before) < 0 ? -1 : 1);
      flat.insert(flat.end(), {f(unit[0]), f(unit[1]), f(unit[2]), f(unit[3])});
      before = unit;
    }
    if (!flat.empty()) add_channel(node.node, "rotation", frame_times(), add_floats(flat, 4, false), "LINEAR");
  }

  void repeat_sources() {
    for (const int source : clip_.sources) {
      const GltfAnimation& animation = doc_.file().animations[at(source)];
      const OrderedJson& json = doc_.json()["animations"][at(source)];
      std::map<size_t, size_t> taken;  // samplers of the source -> ours
      for (size_t c = 0; c < animation.channels.size(); ++c) {
        const GltfChannel& channel = animation.channels[c];
        if (channel.node >= 0 && !targets_.insert({channel.node, channel.path}).second) {
          if (ours_.count({channel.node, channel.path}) == 0) {
            warnings_.push_back(fmt::format("clip '{}': {} of {} is animated twice; the first is kept", clip_.name,
                                            channel.path, gltf_place("node", at(channel.node), "")));
          }
          continue;
        }
        OrderedJson copy = json.at("channels").at(c);
        const auto old = static_cast<size_t>(copy["sampler"].get<double>());
        const auto [found, fresh] = taken.try_emplace(old, samplers_.size());
        if (fresh) samplers_.push_back(json.at("samplers").at(old));
        copy["sampler"] = found->second;
        channels_.push_back(std::move(copy));
      }
    }
  }

  // Puts the animation into the file. False when it has nothing to say.
  bool finish(const std::string& name) {
    if (channels_.empty()) return false;
    if (!floats_.empty()) {
      const int view = doc_.add_view(bytes_of(floats_));
      for (const int a : accessors_) doc_.json()["accessors"][at(a)]["bufferView"] = view;
    }
    doc_.json()["animations"].push_back({{"name", name}, {"channels", channels_}, {"samplers", samplers_}});
    return true;
  }

 private:
  static float f(double x) { return static_cast<float>(x); }

  // All lists of the clip share one view.
  int add_floats(const std::vector<float>& values, size_t width, bool bounds) {
    static const char* const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    OrderedJson a = {{"bufferView", 0},
                     {"byteOffset", 4 * floats_.size()},
                     {"componentType", 5126},
                     {"count", values.size() / width},
                     {"type", types[width]}};
    if (bounds) {
      a["min"] = OrderedJson::array({static_cast<double>(values.front())});
      a["max"] = OrderedJson::array({static_cast<double>(values.back())});
    }
    floats_.insert(floats_.end(), values.begin(), values.end());
    accessors_.push_back(doc_.add_accessor(a));
    return accessors_.back();
  }
  int frame_times() {
    if (times_ < 0) times_ = add_floats(frames_, 1, true);
    return times_;
  }
  void add_channel(int node, const char* path, int input, int output, const char* interpolation) {
    channels_.push_back({{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back({{"input", input}, {"interpolation", interpolation}, {"output", output}});
    targets_.insert({node, path});
    ours_.insert({node, path});
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
  std::vector<float> frames_, floats_;
  std::vector<int> accessors_;
  int times_ = -1;
  OrderedJson channels_ = OrderedJson::array(), samplers_ = OrderedJson::array();
  std::set<std::pair<int, std::string>> targets_, ours_;  // nodes and what of them is animated
};

// A node that has a matrix cannot be animated: the same placement as translation, rotation and scale.
void take_matrix_apart(GlbDocument& doc, int node) {
  const Node& n = doc.file().nodes[at(node)];
  OrderedJson& json = doc.json()["nodes"][at(node)];
  if (!n.matrix || !json.contains("matrix")) return;
  Mat3 turn = n.matrix->linear();
  Vec3 scale = turn.colwise().norm();
  if (turn.determinant() < 0) scale[0] = -scale[0];
  if (scale.cwiseAbs().minCoeff() > 0) turn *= scale.cwiseInverse().asDiagonal();
  if (!((turn.transpose() * turn - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-4)) {
    doc.fail(gltf_place("node", at(node), n.name), "it should ride on the flesh, but its matrix shears or flattens",
             "Apply its transform in your modelling program.");
  }
  const Quat q = Quat(turn).normalized();
  const Vec3 x = n.matrix->translation();
  json.erase("matrix");
  json["translation"] = {x[0], x[1], x[2]};
  json["rotation"] = {q.x(), q.y(), q.z(), q.w()};
  json["scale"] = {scale[0], scale[1], scale[2]};
}

}  // namespace

void widen_animations(GlbDocument& doc, const std::vector<SoftBasis>& bases, std::vector<std::string>& warnings) {
  Widener(doc, bases, warnings).run();
}

void add_animations(GlbDocument& doc, const std::vector<SoftClip>& clips, const std::vector<SoftBasis>& bases,
                    const SoftGlbOptions& options, SoftGlbReport& report) {
  std::set<std::string> taken;
  for (const GltfAnimation& animation : doc.file().animations) taken.insert(animation.name);
  auto free_name = [&](const std::string& wish) {
    std::string name = wish;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{} {}", wish, n);
    if (name != wish) report.warnings.push_back(fmt::format("the name '{}' is taken: the clip is '{}'", wish, name));
    return name;
  };
  for (size_t c = 0; c < clips.size(); ++c) {
    const SoftClip& clip = clips[c];
    ClipWriter writer(doc, clip, report.warnings);
    for (const SoftBasis& basis : bases) {
      for (const SoftSpan& span : basis.spans) {
        if (span.clip == static_cast<int>(c) && basis.n_targets > 0) writer.add_weights(basis, span);
      }
    }
    for (const SoftNode& node : clip.nodes) {
      take_matrix_apart(doc, node.node);
      writer.add_node(node);
    }
    writer.repeat_sources();
    std::string wish = clip.name.empty() ? "soft" : clip.name + ".soft";
    if (options.replace && !clip.name.empty()) {
      wish = clip.name;
      for (const int source : clip.sources) {
        const std::string old = doc.file().animations[at(source)].name;
        taken.erase(old);
        doc.json()["animations"][at(source)]["name"] = free_name((old.empty() ? clip.name : old) + ".rigid");
      }
    }
    const std::string name = free_name(wish);
    if (writer.finish(name)) {
      report.clips.push_back(name);
    } else {
      report.warnings.push_back(fmt::format("clip '{}': nothing moves, so no clip is added", clip.name));
    }
  }
}

}  // namespace supple
