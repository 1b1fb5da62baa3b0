// Which joints and morph targets patterns choose.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/rigs/skeleton_deformer_data.h"

namespace supple {

namespace {

constexpr size_t kNamesTold = 12;

using Matches = bool (*)(const std::string& pattern, const std::string& text);

class ParameterChooser {
 public:
  ParameterChooser(const Character& character, const Drawn& drawn, Matches matches)
      : character_(character), matches_(matches), moving_(character.nodes.size(), 0) {
    for (int b : drawn.vertices.skin.bone) {
      for (int n = drawn.bones[b].node; n >= 0 && !moving_[n]; n = character.nodes[n].parent) moving_[n] = 1;
    }
    for (const Morph& morph : drawn.vertices.morphs) {
      if (!morph.points.empty()) targets_.push_back({morph.node, morph.target});
    }
  }

  // A node's own name first: it may have dots.
  void choose(const std::string& pattern, const JointChoice& channels) {
    idle_.clear();
    if (choose_joints(pattern, pattern, channels)) return;
    for (const char* channel : {"rotation", "translation", "scale"}) {
      const std::string ending = std::string(".") + channel;
      if (!pattern.ends_with(ending)) continue;
      JointChoice one;
      one.rotation = channel[0] == 'r', one.translation = channel[0] == 't', one.scale = channel[0] == 's';
      if (choose_joints(pattern, pattern.substr(0, pattern.size() - ending.size()), one)) return;
    }
    const std::string between = ".weights.";
    const size_t at = pattern.find(between);
    const std::string node = at == std::string::npos ? "*" : pattern.substr(0, at);
    const std::string target = at == std::string::npos ? pattern : pattern.substr(at + between.size());
    if (!choose_targets(node, target)) fail(pattern);
  }

  RigChoice take() { return std::move(choice_); }

 private:
  bool named(const std::string& pattern, int node) const {
    const std::string own = parameter_name(character_, node);
    return matches_(pattern, own) || matches_(pattern, character_.nodes[node].name);
  }

  bool choose_joints(const std::string& whole, const std::string& name, const JointChoice& channels) {
    bool any = false;
    for (int n = 0; n < static_cast<int>(character_.nodes.size()); ++n) {
      if (!named(name, n)) continue;
      if (!moving_[n]) {
        idle_ = parameter_name(character_, n);
        continue;
      }
      if (character_.nodes[n].matrix) {
        throw InputError({character_.file, 0, 0, "joint " + parameter_name(character_, n)},
                         fmt::format("\"{}\" chooses it, but its placement is a matrix, which has no rotation or scale "
                                     "to simulate",
                                     whole),
                         "write the file with translation, rotation and scale of this node, or choose other joints");
      }
      if (!channels.rotation && !channels.translation && !channels.scale)
        throw InputError({character_.file, 0, 0, "joint " + parameter_name(character_, n)},
                         fmt::format("\"{}\" chooses it, but none of its channels", whole),
                         "choose rotation, translation or scale");
      any = true;
      const auto same = std::find_if(choice_.joints.begin(), choice_.joints.end(),
                                     [&](const JointChoice& other) { return other.node == n; });
      JointChoice& joint =
          same == choice_.joints.end() ? choice_.joints.emplace_back(JointChoice{n, false, false, false}) : *same;
      joint.rotation = joint.rotation || channels.rotation;
      joint.translation = joint.translation || channels.translation;
      joint.scale = joint.scale || channels.scale;
    }
    return any;
  }

  bool choose_targets(const std::string& node, const std::string& name) {
    bool any = false;
    for (const MorphChoice& target : targets_) {
      if (!named(node, target.node) || !matches_(name, morph_name(character_, target))) continue;
      any = true;
      const auto same = [&](const MorphChoice& other) {
        return other.node == target.node && other.target == target.target;
      };
      if (std::none_of(choice_.morphs.begin(), choice_.morphs.end(), same)) choice_.morphs.push_back(target);
    }
    return any;
  }

  [[noreturn]] void fail(const std::string& pattern) const {
    const Location where{character_.file, 0, 0, "parameters " + pattern};
    if (!idle_.empty())
      throw InputError(where, fmt::format("\"{}\" moves nothing that is drawn", idle_),
                       "choose joints that carry skin");
    std::vector<std::string> names;
    for (size_t n = 0; n < moving_.size(); ++n) {
      if (moving_[n] && !character_.nodes[n].matrix) names.push_back(parameter_name(character_, static_cast<int>(n)));
    }
    for (const MorphChoice& target : targets_)
      names.push_back(parameter_name(character_, target.node) + ".weights." + morph_name(character_, target));

    // The nearest to what is left without wildcards and channel; else what there is.
    std::string plain = pattern.substr(0, pattern.find(".rotation"));
    plain = plain.substr(0, plain.find(".translation"));
    plain = plain.substr(0, plain.find(".scale"));
    std::erase_if(plain, [](char c) { return c == '*' || c == '?'; });
    std::vector<std::string> words = names;
    for (const MorphChoice& target : targets_) words.push_back(morph_name(character_, target));
    const std::string near = nearest_word(plain, words.data(), words.data() + words.size());
    const size_t told = std::min(names.size(), kNamesTold);
    const std::string advice =
        near.empty() ? fmt::format("there are {}{}",
                                   fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(told), ", "),
                                   told < names.size() ? fmt::format(" and {} more", names.size() - told) : "")
                     : fmt::format("did you mean \"{}\"?", near);
    throw InputError(where, "it chooses no joint or morph target that moves anything drawn", advice);
  }

  const Character& character_;
  Matches matches_;
  std::vector<char> moving_;  // nodes that carry something drawn, or a node that does
  std::vector<MorphChoice> targets_;
  std::string idle_;  // matched, but moves nothing
  RigChoice choice_;
};

}  // namespace

RigChoice choose_parameters(const Character& character, const Drawn& drawn, const std::vector<std::string>& patterns,
                            const JointChoice& channels, Matches matches) {
  ParameterChooser chooser(character, drawn, matches);
  for (const std::string& pattern : patterns) chooser.choose(pattern, channels);
  return chooser.take();
}

}  // namespace supple
