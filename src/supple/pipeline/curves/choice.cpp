#include "supple/pipeline/curves/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/attach/pattern.h"
#include "supple/base/error.h"
#include "supple/scene/spelling.h"

namespace supple::pipeline::curves {

namespace {

constexpr const char* kChannels[] = {"rotation", "translation", "scale"};

// "Tail1.rotation.x" -> "Tail1.rotation" and x.
char split_axis(std::string& pattern) {
  const size_t n = pattern.size();
  if (n < 3 || pattern[n - 2] != '.' || pattern[n - 1] < 'x' || pattern[n - 1] > 'z') return 0;
  const std::string stem = pattern.substr(0, n - 2);
  for (const char* channel : kChannels)
    if (stem.ends_with(std::string(".") + channel)) {
      const char axis = pattern[n - 1];
      pattern = stem;
      return axis;
    }
  return 0;
}

bool has_channel(const JointChoice& j, const std::string& name) {
  const auto is = [&](const char* channel) { return name.find(std::string(".") + channel + ".") != std::string::npos; };
  return (j.rotation && is("rotation")) || (j.translation && is("translation")) || (j.scale && is("scale"));
}

int count(const JointChoice& j) { return 3 * (j.rotation + j.translation + j.scale); }

// Parameters of the skeleton that the choice means, counted from its first.
std::vector<int> of_skeleton(const PatternChoice& choice, const SkeletonDeformer& skeleton) {
  std::vector<int> chosen;
  const std::vector<RigParameter>& all = skeleton.parameters();
  int at = 0;
  for (const JointChoice& own : skeleton.spec().joints) {
    for (const JointChoice& j : choice.skeleton.joints) {
      if (j.node != own.node) continue;
      for (int k = at; k < at + count(own); ++k)
        if (has_channel(j, all[k].name) && (choice.axis == 0 || all[k].name.back() == choice.axis)) chosen.push_back(k);
    }
    at += count(own);
  }
  for (const MorphChoice& own : skeleton.spec().morphs) {
    for (const MorphChoice& m : choice.skeleton.morphs)
      if (m.node == own.node && m.target == own.target) chosen.push_back(at);
    ++at;
  }
  return chosen;
}

}  // namespace

PatternChoice choose(const SceneConfig& config, const Character* character, const Drawn* drawn,
                     const std::string& pattern, const std::string& key) {
  PatternChoice out;
  out.pattern = pattern;
  out.key = key;
  if (!character) return out;
  std::string stem = pattern;
  out.axis = split_axis(stem);
  const auto has = [&](const char* channel) {
    const std::vector<std::string>& c = config.curves.channels;
    return std::find(c.begin(), c.end(), channel) != c.end();
  };
  const JointChoice channels{
      .node = -1, .rotation = has("rotation"), .translation = has("translation"), .scale = has("scale")};
  try {
    out.skeleton = choose_parameters(*character, *drawn, {stem}, channels, matches);
    // Who names a joint means it.
    if (stem.find_first_of("*?") != std::string::npos) out.idle = drop_idle(*character, *drawn, out.skeleton);
  } catch (const InputError& e) {
    out.trouble = fmt::format("\"{}\": {}", pattern, e.fault());
    out.advice = e.advice();
  }
  return out;
}

RigChoice joined(const std::vector<PatternChoice>& all) {
  RigChoice out;
  for (const PatternChoice& p : all) {
    for (const JointChoice& j : p.skeleton.joints) {
      const auto same =
          std::find_if(out.joints.begin(), out.joints.end(), [&](const JointChoice& o) { return o.node == j.node; });
      if (same == out.joints.end()) {
        out.joints.push_back(j);
      } else {
        same->rotation |= j.rotation, same->translation |= j.translation, same->scale |= j.scale;
      }
    }
    for (const MorphChoice& m : p.skeleton.morphs)
      if (std::none_of(out.morphs.begin(), out.morphs.end(),
                       [&](const MorphChoice& o) { return o.node == m.node && o.target == m.target; }))
        out.morphs.push_back(m);
  }
  std::sort(out.joints.begin(), out.joints.end(),
            [](const JointChoice& a, const JointChoice& b) { return a.node < b.node; });
  std::sort(out.morphs.begin(), out.morphs.end(), [](const MorphChoice& a, const MorphChoice& b) {
    return std::pair(a.node, a.target) < std::pair(b.node, b.target);
  });
  return out;
}

std::vector<std::string> drop_idle(const Character& character, const Drawn& drawn, RigChoice& choice) {
  std::vector<char> carries(character.nodes.size(), 0), chosen(character.nodes.size(), 0);
  for (int b : drawn.vertices.skin.bone) carries[drawn.bones[b].node] = 1;
  for (const JointChoice& j : choice.joints) chosen[j.node] = 1;
  const auto idle = [&](const JointChoice& j) {
    if (carries[j.node]) return false;
    const std::vector<int>& children = character.nodes[j.node].children;
    return std::any_of(children.begin(), children.end(), [&](int c) { return chosen[c] != 0; });
  };
  std::vector<std::string> names;
  for (const JointChoice& j : choice.joints)
    if (idle(j)) names.push_back(character.nodes[j.node].name);
  std::erase_if(choice.joints, idle);
  return names;
}

RigChoice everything_of(const Character& character, const Drawn& drawn) {
  PatternChoice all;
  for (const Bone& b : drawn.bones)
    if (b.node >= 0 && !character.nodes[b.node].matrix)
      all.skeleton.joints.push_back({.node = b.node, .rotation = true, .translation = true, .scale = true});
  for (const Morph& m : drawn.vertices.morphs) all.skeleton.morphs.push_back({m.node, m.target});
  return joined({all});
}

std::vector<int> parameters_of(const SceneConfig& config, const PatternChoice& choice,
                               const std::vector<RigParameter>& parameters, const SkeletonDeformer* skeleton,
                               int first) {
  std::vector<int> chosen;
  const int end = skeleton ? first + static_cast<int>(skeleton->parameters().size()) : first;
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    if (skeleton && i >= first && i < end) continue;
    const std::string& name = parameters[i].name;
    if (matches(choice.pattern, name) || matches(choice.pattern + ".*", name)) chosen.push_back(i);
  }
  if (skeleton)
    for (int k : of_skeleton(choice, *skeleton)) chosen.push_back(first + k);
  std::sort(chosen.begin(), chosen.end());
  if (!chosen.empty()) return chosen;
  const bool deformers = parameters.size() > (skeleton ? skeleton->parameters().size() : 0);
  std::vector<std::string> names;
  for (const RigParameter& p : parameters) names.push_back(p.name);
  if (!choice.trouble.empty() && !deformers) throw InputError(config.locate(choice.key), choice.trouble, choice.advice);
  throw InputError(
      config.locate(choice.key), fmt::format("no parameter matches \"{}\"", choice.pattern),
      suggestion(choice.pattern, names, "Parameters") + (choice.advice.empty() ? "" : " " + choice.advice));
}

}  // namespace supple::pipeline::curves
