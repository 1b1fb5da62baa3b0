#include "supple/io/new_clip.h"

#include <fmt/format.h>

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

}  // namespace supple
