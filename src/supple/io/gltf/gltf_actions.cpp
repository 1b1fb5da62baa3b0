// Some exporters write a clip as several animations, one an action: the skeleton in one, morph targets or props in
// another. Here they are found and joined.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "supple/io/gltf/gltf_parts.h"

namespace supple {

namespace {

constexpr double kFrame = 1.0 / 24 + 1e-6;  // [s] the longest frame in use

using Targets = std::set<std::pair<int, ChannelPath>>;

Targets targets_of(const Clip& clip) {
  Targets out;
  for (const Channel& c : clip.channels) out.insert({c.node, c.path});
  return out;
}

bool disjoint(const Targets& a, const Targets& b) {
  return std::none_of(a.begin(), a.end(), [&](const auto& target) { return b.count(target) > 0; });
}

bool same_time(const Clip& a, const Clip& b) {
  return std::abs(a.start - b.start) <= kFrame && std::abs(a.end - b.end) <= kFrame;
}

// Words of a name that say which motion it is: "Armature|Walk.001" and "WalkKeyAction" are both {walk}.
std::set<std::string> motion_words(const std::string& name) {
  static const std::set<std::string> vague = {"action", "actions", "key",      "keys",  "shape",     "shapes",
                                              "morph",  "morphs",  "target",   "face",  "targets",   "shapekey",
                                              "rig",    "weights", "armature", "anim",  "shapekeys", "animation",
                                              "mesh",   "body",    "skeleton", "layer", "object",    "blendshapes"};
  std::set<std::string> words;
  std::string word;
  auto finish = [&] {
    const bool number = std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
    // A number alone tells copies apart ("Walk.001"), seldom motions.
    if (!word.empty() && !number && vague.count(word) == 0) words.insert(word);
    word.clear();
  };
  bool was_lower = false;
  for (const char raw : name) {
    const auto c = static_cast<unsigned char>(raw);
    const bool letter = std::isalnum(c) || c >= 0x80;
    if (!letter || (std::isupper(c) && was_lower)) finish();
    if (letter) word += static_cast<char>(std::tolower(c));
    was_lower = std::islower(c) || std::isdigit(c);
  }
  finish();
  return words;
}

// 2: the names speak of the same motion; 1: that of the side says more; 0: they do not.
int name_score(const std::string& body, const std::string& side) {
  const std::set<std::string> b = motion_words(body), s = motion_words(side);
  if (b.empty() || s.empty()) return 0;
  if (b == s) return 2;
  return std::includes(s.begin(), s.end(), b.begin(), b.end()) ? 1 : 0;
}

struct Side {
  size_t clip;
  int chosen = -1;  // clip that it would belong to but for its rivals
  int score = 0;
  Targets targets;
  bool joins = false;
};

class ActionMerger {
 public:
  explicit ActionMerger(Character& character) : character_(character) {
    std::set<int> joints;
    for (const Skin& s : character.skins) joints.insert(s.joints.begin(), s.joints.end());
    for (size_t i = 0; i < character.clips.size(); ++i) {
      const std::vector<Channel>& channels = character.clips[i].channels;
      // Without a skeleton the nodes themselves are the body.
      const bool moves_body = std::any_of(channels.begin(), channels.end(), [&](const Channel& c) {
        return c.path != ChannelPath::weights && (joints.empty() || joints.count(c.node) > 0);
      });
      if (moves_body) {
        bodies_.push_back(i);
      } else {
        sides_.push_back({i, -1, 0, targets_of(character.clips[i])});
      }
    }
  }

  void run() {
    if (bodies_.empty() || sides_.empty()) return;
    for (Side& side : sides_) choose_body(side);
    for (Side& side : sides_) settle(side);
    join();
  }

 private:
  const Clip& clip(size_t i) const { return character_.clips[i]; }
  std::string shown(size_t i) const {
    return clip(i).name.empty() ? fmt::format("animation {}", clip(i).sources[0]) : fmt::format("'{}'", clip(i).name);
  }

  void choose_body(Side& side) {
    std::vector<size_t> fitting;
    for (const size_t body : bodies_) {
      if (same_time(clip(body), clip(side.clip)) && disjoint(targets_of(clip(body)), side.targets))
        fitting.push_back(body);
    }
    if (fitting.empty()) return;
    int best = 0;
    std::vector<size_t> best_bodies;
    for (const size_t body : fitting) {
      const int score = name_score(clip(body).name, clip(side.clip).name);
      if (score > best) best = score, best_bodies.clear();
      if (score == best && score > 0) best_bodies.push_back(body);
    }
    side.score = best;
    if (bodies_.size() == 1) {
      side.chosen = static_cast<int>(fitting[0]);
    } else if (best_bodies.size() == 1) {
      side.chosen = static_cast<int>(best_bodies[0]);
    } else {
      leave(side, fmt::format("{} clips of the skeleton take the same time and no name tells which", fitting.size()));
    }
  }

  // Sides that move the same things are takes of their own: at most the one that is best by name joins its body.
  void settle(Side& side) {
    if (side.chosen < 0) return;
    for (const Side& other : sides_) {
      if (&other == &side || other.chosen != side.chosen || other.score < side.score) continue;
      if (!disjoint(side.targets, other.targets))
        return leave(side, fmt::format("{} moves the same", shown(other.clip)));
    }
    side.joins = true;
  }

  void leave(const Side& side, const std::string& why) {
    character_.warnings.push_back(fmt::format(
        "animation {} moves no joint and may belong to a clip of the skeleton, but {}: left as its own clip",
        shown(side.clip), why));
  }

  void join();

  Character& character_;
  std::vector<size_t> bodies_;
  std::vector<Side> sides_;
};

void ActionMerger::join() {
  std::set<size_t> gone;
  for (const size_t body : bodies_) {
    std::string names;
    for (const Side& side : sides_) {
      if (!side.joins || side.chosen != static_cast<int>(body)) continue;
      names += (names.empty() ? "" : ", ") + shown(side.clip);
      Clip &to = character_.clips[body], &from = character_.clips[side.clip];
      to.start = std::min(to.start, from.start);
      to.end = std::max(to.end, from.end);
      to.sources.insert(to.sources.end(), from.sources.begin(), from.sources.end());
      std::move(from.channels.begin(), from.channels.end(), std::back_inserter(to.channels));
      gone.insert(side.clip);
    }
    if (!names.empty()) {
      character_.warnings.push_back(
          fmt::format("animation {} moves other things over the same time as {}: read as one clip {}", shown(body),
                      names, shown(body)));
    }
  }
  std::vector<Clip> kept;
  for (size_t i = 0; i < character_.clips.size(); ++i) {
    if (gone.count(i) == 0) kept.push_back(std::move(character_.clips[i]));
  }
  character_.clips = std::move(kept);
}

}  // namespace

void merge_actions(Character& character) { ActionMerger(character).run(); }

void name_clips(Character& character) {
  std::set<std::string> taken;
  for (const Clip& c : character.clips) taken.insert(c.name);
  std::set<std::string> used;
  for (Clip& c : character.clips) {
    const std::string told = c.name;
    if (c.name.empty()) c.name = fmt::format("Animation_{}", c.sources[0]);
    if (used.count(c.name) == 0 && (!told.empty() || taken.count(c.name) == 0)) {
      used.insert(c.name);
      continue;
    }
    const std::string stem = c.name;
    for (int k = 2; used.count(c.name) > 0 || taken.count(c.name) > 0; ++k) c.name = fmt::format("{}_{}", stem, k);
    used.insert(c.name);
    if (!told.empty()) {
      character.warnings.push_back(
          fmt::format("animation {}: another one is named '{}' too: this is '{}' here", c.sources[0], told, c.name));
    }
  }
}

}  // namespace supple
