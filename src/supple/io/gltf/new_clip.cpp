#include "supple/io/gltf/new_clip.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "supple/base/index.h"

namespace supple {

NewClip::NewClip(GlbDocument& doc)
    : doc_(doc),
      channels_(std::make_unique<OrderedJson>(OrderedJson::array())),
      samplers_(std::make_unique<OrderedJson>(OrderedJson::array())) {}

NewClip::~NewClip() = default;

int NewClip::add_floats(const std::vector<float>& values, size_t width, bool bounds) {
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

void NewClip::add_channel(int node, const char* path, int input, int output, const char* interpolation) {
  channels_->push_back({{"sampler", samplers_->size()}, {"target", {{"node", node}, {"path", path}}}});
  samplers_->push_back({{"input", input}, {"interpolation", interpolation}, {"output", output}});
  targets_.insert({node, path});
  ours_.insert({node, path});
}

void NewClip::repeat(const std::vector<int>& sources, const std::string& name, std::vector<std::string>& warnings) {
  for (const int source : sources) {
    const GltfAnimation& animation = doc_.file().animations[at(source)];
    const OrderedJson& json = doc_.json()["animations"][at(source)];
    std::map<size_t, size_t> taken;  // samplers of the source -> ours
    for (size_t c = 0; c < animation.channels.size(); ++c) {
      const GltfChannel& channel = animation.channels[c];
      if (channel.node >= 0 && !targets_.insert({channel.node, channel.path}).second) {
        if (ours_.count({channel.node, channel.path}) == 0) {
          warnings.push_back(fmt::format("clip '{}': {} of {} is animated twice; the first is kept", name, channel.path,
                                         gltf_place("node", at(channel.node), "")));
        }
        continue;
      }
      OrderedJson copy = json.at("channels").at(c);
      const auto old = static_cast<size_t>(copy["sampler"].get<double>());
      const auto [found, fresh] = taken.try_emplace(old, samplers_->size());
      if (fresh) samplers_->push_back(json.at("samplers").at(old));
      copy["sampler"] = found->second;
      channels_->push_back(std::move(copy));
    }
  }
}

bool NewClip::finish(const std::string& name) {
  if (channels_->empty()) return false;
  if (!floats_.empty()) {
    const int view = doc_.add_view({reinterpret_cast<const char*>(floats_.data()), floats_.size() * sizeof(float)});
    for (const int a : accessors_) doc_.json()["accessors"][at(a)]["bufferView"] = view;
  }
  doc_.json()["animations"].push_back({{"name", name}, {"channels", *channels_}, {"samplers", *samplers_}});
  return true;
}

std::optional<std::pair<float, float>> key_range(const GlbDocument& doc, const std::vector<int>& animations) {
  std::optional<std::pair<float, float>> range;
  std::set<int> seen;
  for (const int a : animations) {
    const GltfAnimation& animation = doc.file().animations[at(a)];
    for (const GltfChannel& channel : animation.channels) {
      const int input = animation.samplers[at(channel.sampler)].input;
      if (input < 0 || !seen.insert(input).second) continue;
      for (const float t : doc.array(input).floats()) {
        if (!std::isfinite(t) || t < 0) continue;
        if (!range) range = {t, t};
        range->first = std::min(range->first, t);
        range->second = std::max(range->second, t);
      }
    }
  }
  return range;
}

bool take_matrix_apart(GlbDocument& doc, int node, const std::string& why) {
  const Node& n = doc.file().nodes[at(node)];
  OrderedJson& json = doc.json()["nodes"][at(node)];
  if (!n.matrix || !json.contains("matrix")) return false;
  Mat3 turn = n.matrix->linear();
  Vec3 scale = turn.colwise().norm();
  if (turn.determinant() < 0) scale[0] = -scale[0];
  if (scale.cwiseAbs().minCoeff() > 0) turn *= scale.cwiseInverse().asDiagonal();
  if (!((turn.transpose() * turn - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-4)) {
    doc.fail(gltf_place("node", at(node), n.name), why + ", but its matrix shears or flattens",
             "Apply its transform in your modelling program.");
  }
  const Quat q = Quat(turn).normalized();
  const Vec3 x = n.matrix->translation();
  json.erase("matrix");
  json["translation"] = {x[0], x[1], x[2]};
  json["rotation"] = {q.x(), q.y(), q.z(), q.w()};
  json["scale"] = {scale[0], scale[1], scale[2]};
  return true;
}

}  // namespace supple
