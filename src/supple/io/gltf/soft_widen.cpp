#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "supple/base/index.h"
#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

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

}  // namespace

void widen_animations(GlbDocument& doc, const std::vector<SoftBasis>& bases, std::vector<std::string>& warnings) {
  Widener(doc, bases, warnings).run();
}

}  // namespace supple
