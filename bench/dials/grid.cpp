#include "grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "supple/base/error.h"

namespace supple {

using namespace demos;

namespace {
constexpr double kSunflowerEdge = 0.085;  // about 1500 tets
using Levels = std::array<int, 4>;        // -1, 0, 1 of frequency, amplitude, sag, half-life

Ratios ratios_of(const Levels& l) {
  const auto halves = [](int level) { return level < 0 ? 0.5 : level > 0 ? 2.0 : 1.0; };
  return {.frequency = halves(l[0]),
          .amplitude = halves(l[1]),
          .sag = l[2] < 0   ? 1.0 / 3
                 : l[2] > 0 ? 3.0
                            : 1.0,
          .half_life = halves(l[3])};
}
}  // namespace

const std::vector<DialScene>& dial_scenes() {
  static const std::vector<DialScene> list = {
      {"sunflower-linear", "sunflower-linear", {.edge = kSunflowerEdge, .short_shot = true}, {}, true, 0.02},
      {"sunflower", "sunflower", {.edge = kSunflowerEdge, .short_shot = true}, {}, false, 0.05},
      {"jellyfish", "jellyfish", {.short_shot = true}, {}, false, 0.05},
      // Firm enough that three times its sag and a quarter of its bounces are still a beam and a bounce.
      {"beam", "bar", {.cells = 4}, {"material.youngs_modulus=3e6", "material.half_life_s=0.8"}, false, 0.05},
      // As it is in the examples: it hangs by a quarter of its length and is still in less than a bounce.
      {"bar", "bar", {.cells = 4}, {}, false, 0.05},
  };
  return list;
}

const DialScene& dial_scene(const std::string& name) {
  std::string names;
  for (const DialScene& s : dial_scenes()) {
    if (s.name == name) return s;
    names += (names.empty() ? "" : ", ") + s.name;
  }
  throw InputError({.place = "scene"}, "there is no scene '" + name + "'", "Scenes: " + names + ".");
}

std::vector<Ratios> dial_points(bool all, bool with_sag) {
  std::vector<Levels> levels;
  const auto add = [&](Levels l) {
    if (!with_sag) l[2] = 0;
    if (std::find(levels.begin(), levels.end(), l) == levels.end()) levels.push_back(l);
  };
  if (all || !with_sag) {
    for (int i = 0; i < 81; ++i) add({i % 3 - 1, i / 3 % 3 - 1, i / 9 % 3 - 1, i / 27 - 1});
  } else {
    // As it is, one dial at a time, an orthogonal array in which every two dials meet at all their levels, and half of
    // the corners.
    add({0, 0, 0, 0});
    for (size_t dial = 0; dial < 4; ++dial) {
      for (int level : {-1, 1}) {
        Levels l{};
        l[dial] = level;
        add(l);
      }
    }
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) add({a - 1, b - 1, (a + b) % 3 - 1, (a + 2 * b) % 3 - 1});
    for (int i = 0; i < 8; ++i) {
      const int a = i & 1 ? 1 : -1, b = i & 2 ? 1 : -1, c = i & 4 ? 1 : -1;
      add({a, b, a * b * c, c});
    }
  }
  std::vector<Ratios> points;
  for (const Levels& l : levels) points.push_back(ratios_of(l));
  return points;
}

int dials_moved(const Ratios& r) { return (r.frequency != 1) + (r.amplitude != 1) + (r.sag != 1) + (r.half_life != 1); }

}  // namespace supple
